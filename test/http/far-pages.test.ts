import { expect, it } from 'vitest'
import { describeEachEngine } from '../harness/each-engine.ts'

const ITEMS = 5_010

describeEachEngine('a page that is far from the start of a list', (app) => {
  it('is read without the main thread, and has the rows that the pages before it do not have', async () => {
    const { client } = await app().newWorkspace()
    const component = await client.create('/components', { name: 'Answers' })
    const dataset = await client.create(`/components/${component}/datasets`, { name: 'Questions' })
    const path = `/components/${component}/datasets/${dataset}`
    const rows = Array.from({ length: ITEMS }, (_, place) => `question ${place}\n`).join('')
    await client.post(`${path}/import`, `input\n${rows}`, { 'content-type': 'text/csv' })

    const { storage } = app()
    const { bulk } = storage
    let bulkReads = 0
    storage.bulk = (caller) => {
      bulkReads += 1
      return bulk(caller)
    }
    const inputsAt = async (offset: number) => {
      const items = await client.list(`${path}/items?limit=5&offset=${offset}`)
      return items.map(({ input }) => input)
    }
    try {
      const near = await inputsAt(5_000)
      expect(bulkReads).toBe(0)
      const far = await inputsAt(5_001)
      expect(bulkReads).toBe(1)
      expect(far.slice(0, 4)).toEqual(near.slice(1))
      expect(await inputsAt(ITEMS - 2)).toHaveLength(2)
    } finally {
      storage.bulk = bulk
    }
  })
})
