// @module-tag deep
/** Evaluations whose schemas, patterns and texts need as much work as they can; another workspace is served meanwhile. */
import { expect, it } from 'vitest'
import { ended, seedComponent, seedItems, start } from '../evaluation-engine/evaluating.ts'
import type { Client } from '../harness/client.ts'
import { describeEachEngine } from '../harness/each-engine.ts'
import { TEXTS } from './adversarial-cases.ts'

/** Needs half a second and more to be compiled. */
const SLOW_SCHEMA = {
  allOf: Array.from({ length: 400 }, (_, place) => ({ pattern: `(a{9}${place.toString(36)}){90}` })),
}
/** A thread that compiled this would serve one or two requests meanwhile. */
const SERVED_MIN = 20

describeEachEngine('evaluations that need much work', (app) => {
  it('a bystander is served while a dry run compiles a large schema', async () => {
    const { client, at, ...seeded } = await seedComponent(app())
    const { datasetId } = await seedItems({ client, ...seeded }, [{ input: 'q', output: 'a' }])
    const bystander = await app().newWorkspace()
    // What was compiled for another test is kept for a while.
    const config = { evaluators: [{ type: 'jsonSchema', schema: { title: datasetId, ...SLOW_SCHEMA } }] }
    const dryRun = client.post(`${at}?dry_run=true`, { datasetId, config })
    const { served } = await servedUntil(bystander.client, dryRun)
    expect((await dryRun).status).toBe(200)
    expect(served).toBeGreaterThanOrEqual(SERVED_MIN)
  })

  it('a bystander is served while adversarial texts are scored, and all of them get a state', async () => {
    const seeded = await seedComponent(app())
    const { client } = seeded
    const texts = Object.values(TEXTS).filter((_, place) => place % 3 === 0)
    const items = texts.map((make) => ({ input: 'q', output: make(120_000), expected: make(110_000) }))
    const { below } = seeded
    const datasetId = await client.create(`${below}/datasets`, { name: 'Adversarial' })
    for (const item of items) await client.create(`${below}/datasets/${datasetId}/items`, item)
    const bystander = await app().newWorkspace()
    const evaluators = [
      { type: 'jsonSchema', schema: { title: datasetId, allOf: SLOW_SCHEMA.allOf.slice(0, 100) } },
      { type: 'jsonEqual', ignoreOrder: true, subset: true },
      { type: 'regex', pattern: '(?:[a-z]{0,40}x){10}' },
      { type: 'trajectory' },
      { type: 'bleu' },
      { type: 'tokenF1' },
    ]
    const path = await start(seeded, { datasetId, config: { evaluators } })
    const end = ended(client, path)
    const { served, longestShare } = await servedUntil(bystander.client, end)
    const { status, progress } = await end
    expect(status).toBe('completed')
    const { total, done, skipped, failed } = Object(progress)
    expect({ total, failed }).toEqual({ total: items.length * evaluators.length, failed: 0 })
    expect(done + skipped).toBe(total)
    expect(served).toBeGreaterThanOrEqual(SERVED_MIN)
    // One score that stops the thread would be most of the time.
    expect(longestShare).toBeLessThan(0.5)
  })
})

/** How many requests, one after the other, are served until that has ended, and which share of the time the longest of them needs. */
async function servedUntil(client: Client, work: Promise<unknown>) {
  let isOver = false
  const watched = work.finally(() => {
    isOver = true
  })
  const startedAt = performance.now()
  let served = 0
  let longest = 0
  while (!isOver) {
    const sentAt = performance.now()
    expect((await client.get('/workspace')).status).toBe(200)
    longest = Math.max(longest, performance.now() - sentAt)
    served += 1
  }
  await watched
  return { served, longestShare: longest / (performance.now() - startedAt) }
}
