import { expect, it } from 'vitest'
import { describeEachEngine } from '../harness/each-engine.ts'
import { evaluated, metricOf, QUICK, type Row, scoresOf, seedComponent, seedItems } from './evaluating.ts'

const EVALUATORS = [{ type: 'exactMatch', name: 'right' }]
const ITEMS = 24

describeEachEngine(
  'an evaluation of grouped and split items',
  (app) => {
    /** Six documents of four items; the answers of a document are all right or all wrong. Every third item is a test. */
    async function seed() {
      const seeded = await seedComponent(app())
      const items = Array.from({ length: ITEMS }, (_, place) => {
        const document = Math.floor(place / 4)
        const output = document % 2 === 0 ? 'right' : 'wrong'
        const split = place % 3 === 0 ? 'test' : place % 3 === 1 ? 'train' : null
        return { input: `q${place}`, output, expected: 'right', metadata: { document }, split }
      })
      return { ...seeded, ...(await seedItems(seeded, items)) }
    }

    type SeededItems = Awaited<ReturnType<typeof seed>>

    async function seedRun({ client, below, datasetId, itemIds }: SeededItems, name: string): Promise<string> {
      const runId = await client.create(`${below}/runs`, { datasetId, name })
      const traces = itemIds.map((itemId, place) => ({
        traceId: `${name}-${place}`,
        run: name,
        // Every other trace finds its item by its question.
        ...(place % 2 === 0 ? { itemId } : { input: `q${place}` }),
        output: 'right',
      }))
      const { status, text } = await client.post(`${below}/traces`, { traces })
      if (status !== 201) throw new Error(text)
      return runId
    }

    function testSetOf(body: Row): unknown {
      return Object(body.results).testSet
    }

    it('has wider intervals by group, and returns the number of groups', async () => {
      const seeded = await seed()
      const { client, below, datasetId } = seeded
      const config = { evaluators: EVALUATORS }
      const alone = metricOf(await evaluated(seeded, { datasetId, config }), 'right')
      expect(alone).toMatchObject({ n: ITEMS, mean: 0.5, groups: null, designEffect: null })
      await client.patch(`${below}/datasets/${datasetId}/settings`, { groupBy: 'metadata.document' })
      const body = await evaluated(seeded, { datasetId, config })
      const grouped = metricOf(body, 'right')
      expect(Object(body.results).groupBy).toBe('metadata.document')
      expect(grouped).toMatchObject({ n: ITEMS, mean: 0.5, groups: 6, method: expect.stringContaining('by group') })
      // All items of a document agree: 23/24 · 6/5 · 4 items.
      expect(grouped.designEffect).toBeCloseTo(4.6, 10)
      expect(widthOf(grouped)).toBeGreaterThan(1.5 * widthOf(alone))
      expect(Object(grouped.passed).ci).toEqual(grouped.ci)
    })

    it('scores only the items of the split that its config names', async () => {
      const seeded = await seed()
      const { datasetId, itemIds, client } = seeded
      const body = await evaluated(seeded, { datasetId, config: { evaluators: EVALUATORS, split: 'train' } })
      const scored = (await scoresOf(client, body.path)).map(({ itemId }) => itemId)
      expect(scored.sort()).toEqual(itemIds.filter((_, place) => place % 3 === 1).sort())
      expect(body.results).toMatchObject({ split: 'train', testSet: null, meta: { totalRuns: 0 } })
    })

    it('scores only the traces of a run whose item is in the split, for every way to match the item', async () => {
      const seeded = await seed()
      const { datasetId, itemIds, client, at } = seeded
      const runId = await seedRun(seeded, 'v1')
      const config = { evaluators: EVALUATORS, split: 'test' }
      const body = await evaluated(seeded, { datasetId, runId, config })
      const scored = (await scoresOf(client, body.path)).map(({ itemId }) => itemId)
      expect(scored.sort()).toEqual(itemIds.filter((_, place) => place % 3 === 0).sort())
      expect(body.results).toMatchObject({ split: 'test', meta: { totalRuns: 8 } })
      const dry = await client.post(`${at}?dry_run=true`, { datasetId, runId, config })
      expect(dry.body).toMatchObject({ cases: 8, scores: 8 })
    })

    it('has the same groups and splits in a large evaluation, which is computed in a worker', {
      tags: 'deep',
    }, async () => {
      const seeded = await seedComponent(app())
      const items = Array.from({ length: 1_200 }, (_, place) => {
        const document = Math.floor(place / 10)
        const output = document % 3 === 0 || place % 7 === 0 ? 'right' : 'wrong'
        return {
          input: `q${place}`,
          output,
          expected: 'right',
          metadata: { document },
          split: place % 2 === 0 ? 'test' : null,
        }
      })
      const { datasetId } = await seedItems(seeded, items)
      await seeded.client.patch(`${seeded.below}/datasets/${datasetId}/settings`, { groupBy: 'metadata.document' })
      const body = await evaluated(seeded, { datasetId, config: { evaluators: EVALUATORS, split: 'test' } })
      expect(body.results).toMatchObject({ split: 'test', testSet: { openings: 1 } })
      expect(metricOf(body, 'right')).toMatchObject({ n: 600, groups: 120 })
      expect(metricOf(body, 'right').designEffect).toBeGreaterThan(2)
    })

    it('fails with a config that names no split of datasets', async () => {
      const seeded = await seed()
      const { datasetId, client, at } = seeded
      const config = { evaluators: EVALUATORS, split: 'holdout' }
      const body = await evaluated(seeded, { datasetId, config })
      expect(body).toMatchObject({ status: 'failed', error: 'config.split must be one of train, validation, test' })
      expect((await client.post(`${at}?dry_run=true`, { datasetId, config })).status).toBe(400)
    })

    it('counts every evaluation and comparison that reads the test split, each once', async () => {
      const seeded = await seed()
      const { datasetId, client, below } = seeded
      const [baselineRunId, runId] = [await seedRun(seeded, 'v1'), await seedRun(seeded, 'v2')]
      const train = { evaluators: EVALUATORS, split: 'train' }
      expect(testSetOf(await evaluated(seeded, { datasetId, runId, config: train }))).toBeNull()
      const all = await evaluated(seeded, { datasetId, runId: baselineRunId, config: { evaluators: EVALUATORS } })
      expect(testSetOf(all)).toEqual({ openings: 1, summary: 'This test set has decided once.' })
      const gate = { evaluators: EVALUATORS, split: 'test', baselineRunId, gate: { metric: 'right', margin: 0.5 } }
      const gated = await evaluated(seeded, { datasetId, runId, config: gate })
      expect(testSetOf(gated)).toEqual({ openings: 2, summary: 'This test set has decided 2 times.' })
      expect(Object(gated.results).comparison).toMatchObject({ split: 'test', pairs: 8 })
      const path = (before: string, after: string, more = '') =>
        `${below}/comparisons?baseline=${before}&candidate=${after}${more}`
      const read = async (address: string) => (await client.get(address)).body
      expect(await read(path(baselineRunId, runId, '&split=train'))).toMatchObject({ pairs: 8, testSet: null })
      const third = { openings: 3, summary: 'This test set has decided 3 times.' }
      expect(await read(path(baselineRunId, runId))).toMatchObject({ pairs: ITEMS, split: null, testSet: third })
      expect(await read(path(runId, baselineRunId, '&split=test'))).toMatchObject({ pairs: 8, testSet: third })
      // A newer evaluation makes it another comparison.
      await evaluated(seeded, { datasetId, runId, config: train })
      expect(await read(path(baselineRunId, runId))).toMatchObject({ testSet: { openings: 4 } })
      const openings = await client.list(`${below}/datasets/${datasetId}/test-openings`)
      const runIds = [baselineRunId, runId].sort()
      expect(openings.map(({ openedAt: _, ...opening }) => opening)).toEqual([
        { evaluationId: null, trialId: null, runIds },
        { evaluationId: null, trialId: null, runIds },
        { evaluationId: gated.id, trialId: null, runIds: [] },
        { evaluationId: all.id, trialId: null, runIds: [] },
      ])
      const pages = await Promise.all(
        [0, 1, 2, 3].map((offset) =>
          client.list(`${below}/datasets/${datasetId}/test-openings?limit=1&offset=${offset}`),
        ),
      )
      expect(pages.flat()).toEqual(openings)
    })

    it('a key that may only read compares the test split and is counted, too', async () => {
      const seeded = await seed()
      const { admin, below } = seeded
      const [before, after] = [await seedRun(seeded, 'v1'), await seedRun(seeded, 'v2')]
      const { body } = await admin.post('/api-keys', { name: 'reader', role: 'viewer' })
      const reader = app().withKey(String(body.key))
      const compared = await reader.get(`${below}/comparisons?baseline=${before}&candidate=${after}&split=test`)
      expect(compared.body).toMatchObject({ testSet: { openings: 1 } })
    })
  },
  QUICK,
)

function widthOf({ ci }: Row): number {
  const [low = NaN, high = NaN] = Array.isArray(ci) ? ci.map(Number) : []
  return high - low
}
