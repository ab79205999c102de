// @module-tag sql
import { expect, it } from 'vitest'
import {
  countTestOpenings,
  findDrawnTest,
  hasTestOpening,
  insertTestOpening,
  setDrawnTest,
} from '../../src/datasets/splits/split-queries.ts'
import type { Client } from '../harness/client.ts'
import { describeEachEngine } from '../harness/each-engine.ts'
import type { Row } from '../playground/trying.ts'
import { answerAtOnce, experimentWith, seedExperiment, startExperiment } from './seed-experiment.ts'

const READ = 'been seen in training or validation, or are nearly the same as one of them'

describeEachEngine('…/datasets/{datasetId}/test-split', (app) => {
  it('is drawn from items that nothing has learned from, and its openings are counted separately', async () => {
    const of = await seedExperiment(app(), { answer: answerAtOnce })
    const { client, componentId, datasetId } = of
    const dataset = `/components/${componentId}/datasets/${datasetId}`
    const read = async () => (await client.get(`${dataset}/test-split`)).body
    expect(await read()).toMatchObject({ items: 0, mayDraw: false, drawnAt: null })
    const { path } = await startExperiment(of)
    await experimentWith(client, path)
    const worn = { items: 30, openings: 1, earlierOpenings: 0, fresh: 0, mayDraw: false }
    expect(await read()).toMatchObject({
      ...worn,
      summary: `All other items have ${READ}; add at least 30 new items without a split.`,
    })
    const rejected = await client.post(`${dataset}/test-split`, undefined)
    expect(rejected.status, rejected.text).toBe(409)

    const before = await splitsOf(client, dataset)
    const known = String(Object(before[0]).input)
    const added = Array.from({ length: 35 }, (_, place) => item(`${'abcdef'.charAt(place % 6)}${100 + place}`))
    await client.post(`${dataset}/items`, [...added, { input: known, expected: 'right' }])
    expect(await read(), 'a copy of an item that was read is not fresh').toMatchObject({ fresh: 35, mayDraw: true })
    const { status, text, body } = await client.post(`${dataset}/test-split`, undefined)
    expect(status, text).toBe(200)
    expect(body).toMatchObject({ items: 30, openings: 0, earlierOpenings: 1, fresh: 5, mayDraw: false })
    expect(body.drawnAt).toEqual(expect.any(String))
    const splits = new Map((await splitsOf(client, dataset)).map(({ id, split }) => [id, split]))
    const old = before.filter(({ split }) => split === 'test')
    expect(old).toHaveLength(30)
    expect(new Set(old.map(({ id }) => splits.get(id)))).toEqual(new Set(['train']))
    const ids = new Set(before.map(({ id }) => id))
    const drawn = [...splits].filter(([id, split]) => split === 'test' && !ids.has(id))
    expect(drawn).toHaveLength(30)

    // The next experiment opens the new split for the first time; the list keeps all of them.
    const { path: next } = await startExperiment(of, { splits: { train: 0.3, validation: 0.2, test: 0.5, seed: 8 } })
    await experimentWith(client, next)
    expect((await client.get(`${next}/results`)).body.openings).toBe(1)
    expect(await read()).toMatchObject({ openings: 1, earlierOpenings: 1 })
    expect(await client.list(`${dataset}/test-openings`)).toHaveLength(2)
    const { body: list } = await client.get(`/components/${componentId}/experiment-summaries`)
    expect(list.splits).toMatchObject([{ openings: 1, earlierOpenings: 1 }])
  })

  it('counts what has read an earlier split once more when it reads the new one', async () => {
    const { client, workspaceId } = await app().newWorkspace()
    const componentId = await client.create('/components', { name: 'support' })
    const datasetId = await client.create(`/components/${componentId}/datasets`, { name: 'golden' })
    const { storage } = app()
    const opening = { workspaceId, datasetId, subject: 'comparison:a:b:c:d' }
    const openAt = (now: string) => storage.transaction((tx) => insertTestOpening(tx, { ...opening, now }))
    const state = async () => [
      await hasTestOpening(storage.read, opening),
      await countTestOpenings(storage.read, opening),
    ]
    await openAt('2026-01-01T00:00:00.000Z')
    await openAt('2026-01-02T00:00:00.000Z')
    expect(await state()).toEqual([true, 1])
    const drawn = { drawnAt: '2026-01-03T00:00:00.000Z', earlierOpenings: 1 }
    await storage.transaction((tx) => setDrawnTest(tx, opening, drawn))
    expect(await state()).toEqual([false, 0])
    await openAt('2026-01-04T00:00:00.000Z')
    await openAt('2026-01-05T00:00:00.000Z')
    expect(await state()).toEqual([true, 1])
    expect(await findDrawnTest(storage.read, opening)).toEqual(drawn)
  })
})

function item(question: string): Row {
  return { input: JSON.stringify({ question }), expected: 'right' }
}

async function splitsOf(client: Client, dataset: string): Promise<Row[]> {
  return client.list(`${dataset}/items?limit=100`)
}
