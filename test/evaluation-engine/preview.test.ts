import { expect, it } from 'vitest'
import { ABSENT_ID, expectError } from '../conformance/answer-forms.ts'
import { browserWith } from '../conformance/team.ts'
import { describeEachEngine } from '../harness/each-engine.ts'
import {
  connectModel,
  evaluated,
  JUDGE,
  judging,
  QUICK,
  type Row,
  rowsIn,
  type SeededItems,
  seedOutputs,
  until,
} from './evaluating.ts'

const PRICE = { modelPattern: 'judge-1', inputPerMillion: 1, outputPerMillion: 10 }

const preview = ({ client, at, datasetId }: SeededItems, body: Row = {}) =>
  client.post(`${at}/preview`, { datasetId, ...body })

const casesOf = (body: Row) => rowsIn(body.cases)
const scoresIn = (body: Row) => casesOf(body).flatMap(({ scores }) => rowsIn(scores))

describeEachEngine(
  'POST …/evaluations/preview',
  (app) => {
    it('200 has texts, verdicts, durations and costs of the first three cases, and stores neither evaluation nor scores', async () => {
      const seeded = await seedOutputs(app(), 5)
      const { client, at, itemIds } = seeded
      const server = await connectModel(seeded, { answer: () => ({ reason: 'it is short', passed: true }) })
      await client.create('/prices', PRICE)
      const { status, body } = await preview(seeded, {
        config: judging({ evaluators: [JUDGE, { type: 'exactMatch' }] }),
      })
      expect(status).toBe(200)
      const cases = casesOf(body)
      expect(cases.map(({ itemId, traceDbId }) => [itemId, traceDbId])).toEqual(
        itemIds.slice(0, 3).map((id) => [id, null]),
      )
      expect(cases[0]).toMatchObject({ input: 'question 0', output: 'answer 0', expected: 'answer 0' })
      const [judged, exact] = rowsIn(cases[0]?.scores)
      expect(judged).toMatchObject({ evaluator: 'good', state: 'scored', passed: true, reason: 'it is short' })
      expect(judged?.error).toBeNull()
      expect(Number(judged?.costUsd)).toBeGreaterThan(0)
      expect(exact).toMatchObject({ evaluator: 'exactMatch', state: 'scored', score: 1, costUsd: null })
      const costs = scoresIn(body).map(({ costUsd }) => Number(costUsd ?? 0))
      expect(body.costUsd).toBeCloseTo(
        costs.reduce((sum, cost) => sum + cost, 0),
        12,
      )
      expect(body.calls).toBe(3)
      expect(server.requests).toHaveLength(3)
      expect(await client.list(at)).toEqual([])
      expect((await client.get('/workspace/usage')).body.evaluationsToday).toEqual({ used: 0, limit: null })
    })

    it('200 sends the requests of the evaluation, which then uses the same answers without cost', async () => {
      const seeded = await seedOutputs(app(), 3)
      const server = await connectModel(seeded)
      await seeded.client.create('/prices', PRICE)
      const first = await preview(seeded, { config: judging() })
      const again = await preview(seeded, { config: judging() })
      expect(again.body).toMatchObject({ calls: 0, costUsd: 0 })
      const verdicts = (body: Row) => scoresIn(body).map(({ passed, reason }) => ({ passed, reason }))
      expect(verdicts(again.body)).toEqual(verdicts(first.body))
      const { results, path } = await evaluated(seeded, { datasetId: seeded.datasetId, config: judging() })
      expect(Object(results).cost).toMatchObject({ calls: 0, spentUsd: 0 })
      expect(server.requests).toHaveLength(3)
      const scored = await seeded.client.list(`${path}/scores`)
      expect(scored.map(({ passed }) => passed)).toEqual(scoresIn(first.body).map(({ passed }) => passed))
    })

    it('200 tries the named cases of a run, by either id of a trace', async () => {
      const seeded = await seedOutputs(app(), 4)
      const { client, below, datasetId, itemIds } = seeded
      const runId = await client.create(`${below}/runs`, { datasetId, name: 'v1' })
      const traces = itemIds.map((itemId, place) => {
        return { traceId: `try-${place}`, run: 'v1', itemId, input: 'q', output: `said ${place}` }
      })
      await client.post(`${below}/traces`, { traces })
      const config = { evaluators: [{ type: 'contains', value: 'said 3' }] }
      const ours = String((await client.get('/traces/try-3')).body.id)
      const { status, text, body } = await preview(seeded, { runId, config, caseIds: ['try-2', ours] })
      expect(status, text).toBe(200)
      expect(casesOf(body)).toMatchObject([
        { itemId: itemIds[2], output: 'said 2', scores: [{ passed: false }] },
        { itemId: itemIds[3], traceDbId: ours, output: 'said 3', scores: [{ passed: true }] },
      ])
    })

    it('200 uses as many cases as sample, all of its split, and none of an empty dataset', async () => {
      const seeded = await seedOutputs(app(), 12)
      const config = { evaluators: [{ type: 'exactMatch' }] }
      expect(casesOf((await preview(seeded, { config, sample: 10 })).body)).toHaveLength(10)
      expect(casesOf((await preview(seeded, { config, sample: 1 })).body)).toHaveLength(1)
      const datasetId = await seeded.client.create(`${seeded.below}/datasets`, { name: 'Empty' })
      expect((await preview({ ...seeded, datasetId }, { config })).body).toEqual({ cases: [], calls: 0, costUsd: 0 })
    })

    it('400 for an invalid config, with the message of the dry run', async () => {
      const seeded = await seedOutputs(app(), 1)
      const { client, at, datasetId } = seeded
      for (const config of [
        { evaluators: [{ type: 'jsonValid' }, { type: 'latency', maxMs: 0 }] },
        { evaluators: [{ type: 'regex', pattern: '(a' }] },
        { evaluators: [JUDGE] },
        { evaluators: [JUDGE], provider: 'none' },
        { evaluators: [{ type: 'pairwise' }] },
        { repetitions: 0 },
      ]) {
        const [tried, dry] = [
          await preview(seeded, { config }),
          await client.post(`${at}?dry_run=true`, { datasetId, config }),
        ]
        expect(tried.status).toBe(400)
        expect(tried.body).toEqual(dry.body)
      }
    })

    it('400 for unsupported options, 404 for missing resources', async () => {
      const seeded = await seedOutputs(app(), 1)
      const { client, at } = seeded
      const names = Array.from({ length: 6 }, (_, place) => ({ ...JUDGE, name: `judge ${place}` }))
      expectError(await preview(seeded, { config: judging({ evaluators: names }) }), 400, /at most 5 evaluators/)
      for (const sample of [0, 11, 1.5, '3']) expectError(await preview(seeded, { sample }), 400, /sample/)
      for (const caseIds of [[], ['a', 'a'], 'a', Array.from({ length: 11 }, String)])
        expectError(await preview(seeded, { caseIds }), 400, /caseIds/)
      expectError(await preview(seeded, { caseIds: ['a'], sample: 1 }), 400, /exclude each other/)
      for (const id of [ABSENT_ID, 'no id'])
        expectError(await preview(seeded, { caseIds: [id] }), 400, 'The field caseIds[0] is not a case of the dataset')
      expectError(await client.post(`${at}/preview`, { datasetId: ABSENT_ID }), 404, 'Dataset not found')
      expectError(await preview(seeded, { runId: ABSENT_ID }), 404, 'Run not found')
    })

    it('200 reports a provider that rejects or cannot be reached per score, as an error', async () => {
      const seeded = await seedOutputs(app(), 2)
      const server = await connectModel(seeded)
      server.misbehave('model not found', 2)
      const { status, body } = await preview(seeded, { config: judging() })
      expect(status).toBe(200)
      for (const score of scoresIn(body)) {
        expect(score).toMatchObject({ state: 'failed', score: null, passed: null, reason: null })
        expect(score.error).toMatch(/model/i)
      }
    })

    it('200 has an unknown cost if the model has no price', async () => {
      const seeded = await seedOutputs(app(), 1)
      await connectModel(seeded)
      expect((await preview(seeded, { config: judging() })).body).toMatchObject({ calls: 1, costUsd: null })
    })

    it('200 withholds ratings from an editor who still has to rate blindly', async () => {
      const seeded = await seedOutputs(app(), 1)
      const { client, below, datasetId, workspaceId } = seeded
      const runId = await client.create(`${below}/runs`, { datasetId, traceIds: ['blind-1'] })
      await client.post(`${below}/traces`, { traces: [{ traceId: 'blind-1', input: 'q', output: 'a' }] })
      await client.send('PUT', `${below}/runs/${runId}/annotation-policy`, { body: { blind: true } })
      const rater = await browserWith(app(), workspaceId, 'editor')
      await rater.create(`${below}/runs/${runId}/annotations`, { traceDbId: 'blind-1', rating: 'positive' })
      const blind = await browserWith(app(), workspaceId, 'editor')
      const config = { evaluators: [{ type: 'humanRating', name: 'people' }] }
      const scoresFor = async (reader: typeof blind) =>
        scoresIn((await reader.post(`${seeded.at}/preview`, { datasetId, runId, config })).body)
      expect(await scoresFor(blind)).toMatchObject([
        { state: 'skipped', score: null, error: 'withheld: this run is rated blindly' },
      ])
      expect(await scoresFor(seeded.admin)).toMatchObject([{ state: 'scored', score: 1 }])
    })

    it('sends no further request after the client has disconnected', async () => {
      const seeded = await seedOutputs(app(), 10)
      const server = await connectModel(seeded, { misbehaviour: () => 'hang' })
      const leaving = new AbortController()
      const { workspaceId } = seeded
      const { key } = (await seeded.admin.post('/api-keys', { name: 'leaver' })).body
      const request = fetch(`${app().url}/api/v1${seeded.at}/preview`, {
        method: 'POST',
        headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
        body: JSON.stringify({ datasetId: seeded.datasetId, config: judging(), sample: 10 }),
        signal: leaving.signal,
      }).catch(() => workspaceId)
      await until(() => Promise.resolve(expect(server.requests).toHaveLength(4)))
      leaving.abort()
      await request
      await until(() => Promise.resolve(expect(server.socketsOpen).toBe(0)))
      expect(server.requests).toHaveLength(4)
    })

    it('429 while three previews of the application run, and not for another application', async () => {
      const seeded = await seedOutputs(app(), 1)
      const other = await seedOutputs(app(), 1)
      const held = Promise.withResolvers<void>()
      const server = await connectModel(seeded, {
        answer: () => held.promise.then(() => ({ passed: true, reason: 'a' })),
      })
      const open = Array.from({ length: 3 }, () => preview(seeded, { config: judging({ repetitions: 2 }) }))
      await until(() => Promise.resolve(expect(server.requests).toHaveLength(3)))
      expectError(await preview(seeded), 429, /3 previews are running already/)
      expect((await preview(other)).status).toBe(200)
      held.resolve()
      for (const { status } of await Promise.all(open)) expect(status).toBe(200)
      expect((await preview(seeded)).status).toBe(200)
    })
  },
  QUICK,
)

describeEachEngine(
  'a preview that needs too long',
  (app) => {
    it('200 has the finished scores, and marks the others as unfinished', async () => {
      const seeded = await seedOutputs(app(), 2)
      await connectModel(seeded, { misbehaviour: () => 'hang' })
      const config = judging({ evaluators: [JUDGE, { type: 'exactMatch' }] })
      const { status, body } = await preview(seeded, { config })
      expect(status).toBe(200)
      const [judged, exact] = [
        scoresIn(body).filter(({ evaluator }) => evaluator === 'good'),
        scoresIn(body).slice(1, 2),
      ]
      for (const score of judged) expect(score).toMatchObject({ state: 'skipped', passed: null })
      expect(judged[0]?.error).toMatch(/^a preview ends after 0\.5 seconds/)
      expect(exact).toMatchObject([{ evaluator: 'exactMatch' }])
    })
  },
  { ...QUICK, previewTimeoutMs: 500 },
)
