import { describe, expect, it } from 'vitest'
import { NEW_ID } from '../conformance/answer-forms.ts'
import { describeEachEngine } from '../harness/each-engine.ts'
import {
  evaluated,
  expectExactProgress,
  metricOf,
  QUICK,
  rowsIn,
  scoresOf,
  seedComponent,
  seedItems,
} from './evaluating.ts'

describeEachEngine(
  'cases and their scores',
  (app) => {
    /** Four items with an expected value, and a run that met each of them in another way, and one that met none. */
    async function seedRun() {
      const seeded = await seedComponent(app())
      const { client, below } = seeded
      await client.post(`${below}/traces`, { traceId: 'own-trace', input: 'What is 2 + 2?', output: 'four' })
      const { datasetId, itemIds } = await seedItems(seeded, [
        { input: 'Capital of France?', expected: 'Paris is the capital' },
        { traceId: 'own-trace', expected: 'four' },
        { input: '{"b": 2, "a": 1}', expected: '{"sum": 3}' },
        { input: 'never asked', expected: 'nothing' },
      ])
      const [linked = '', own = '', equal = ''] = itemIds
      const traceIds = ['own-trace', 'by-input', 'by-nothing', 'not-here']
      const runId = await client.create(`${below}/runs`, { datasetId, name: 'Nightly', traceIds })
      await client.post(`${below}/traces`, {
        traces: [
          { traceId: 'by-link', input: 'worded otherwise', output: 'Paris', run: 'Nightly', itemId: linked },
          { traceId: 'by-input', input: { a: 1, b: 2 }, output: '{"sum":3}' },
          { traceId: 'by-nothing', input: 'a stranger', output: '{"broken": ' },
        ],
      })
      return { ...seeded, datasetId, runId, itemIds: { linked, own, equal } }
    }

    it('a config without evaluators gets the ones that apply to each trace of a run, with exact numbers', async () => {
      const seeded = await seedRun()
      const { client, below, datasetId, runId } = seeded
      await client.create(`${below}/runs/${runId}/annotations`, { traceDbId: 'by-link', rating: 'positive' })
      const body = await evaluated(seeded, { datasetId, runId })
      expect(body).toMatchObject({ status: 'completed', error: null })
      expect(body.progress).toEqual({ total: 20, done: 9, failed: 0, skipped: 11 })
      await expectExactProgress(client, body.path)
      // Of three with an expected value two are right. “Paris” is one of three words (without “the”): 2 · 1 · ⅓ / (1 + ⅓). Without
      // punctuation, as SQuAD counts, the JSON is “sum3” against “sum 3”. One more is missing than was skipped: the item without a trace.
      expect(metricOf(body, 'exactMatch')).toMatchObject({ kind: 'binary', n: 3, missing: 3, mean: 2 / 3 })
      expect(metricOf(body, 'tokenF1')).toMatchObject({ kind: 'numeric', n: 3, missing: 3, mean: (0.5 + 1 + 0) / 3 })
      // One is JSON, one is JSON that is broken; prose is not wrong JSON.
      expect(metricOf(body, 'jsonValid')).toMatchObject({ n: 2, missing: 4, mean: 0.5 })
      expect(metricOf(body, 'humanRating')).toMatchObject({ n: 1, missing: 5, mean: 1 })
      expect(Object(body.results).meta).toMatchObject({ totalRuns: 4, errorRate: 0 })
    })

    it('a trace of a run is matched with its item by its link, as the trace of the item, or by the same input', async () => {
      const seeded = await seedRun()
      const { client, datasetId, runId, itemIds } = seeded
      const config = { evaluators: [{ type: 'exactMatch' }] }
      const { path } = await evaluated(seeded, { datasetId, runId, config })
      const scores = await scoresOf(client, path)
      const names = new Map((await client.list('/traces')).map(({ id, traceId }) => [id, traceId]))
      const met = Object.fromEntries(scores.map(({ traceDbId, ...rest }) => [names.get(traceDbId) ?? traceDbId, rest]))
      expect(met).toMatchObject({
        'by-link': { itemId: itemIds.linked, state: 'scored', score: 0, passed: false },
        'own-trace': { itemId: itemIds.own, state: 'scored', score: 1, passed: true, reason: null },
        'by-input': { itemId: itemIds.equal, state: 'scored', score: 1, passed: true },
        'by-nothing': { itemId: null, state: 'skipped', error: 'the item has no expected value' },
        'not-here': { itemId: null, state: 'skipped', error: 'the trace has not arrived' },
      })
      expect(scores).toHaveLength(5)
    })

    it('the items of a dataset are judged by their output, and by their trace if they have none', async () => {
      const seeded = await seedComponent(app())
      const { client, below } = seeded
      await client.post(`${below}/traces`, { traceId: 'kept', input: 'q', output: 'of the trace' })
      const { datasetId, itemIds } = await seedItems(seeded, [
        { input: 'q1', output: 'same', expected: 'same' },
        { input: 'q2', output: { a: [1, 2] }, expected: '{"a":[1,2]}' },
        { traceId: 'kept', expected: 'of the trace' },
        { input: 'q4', expected: 'no output' },
        { traceId: 'not here', expected: 'x' },
      ])
      const body = await evaluated(seeded, {
        datasetId,
        config: { evaluators: [{ type: 'exactMatch', name: 'same' }] },
      })
      expect(body.progress).toEqual({ total: 5, done: 3, failed: 0, skipped: 2 })
      expect(metricOf(body, 'same')).toMatchObject({ n: 3, cases: 3, mean: 1, missing: 2 })
      const scores = await scoresOf(client, body.path)
      expect(scores.map(({ itemId }) => itemId)).toEqual(itemIds)
      expect(scores.map(({ state, error }) => [state, error])).toEqual([
        ['scored', null],
        ['scored', null],
        ['scored', null],
        ['skipped', 'there is no output'],
        ['skipped', 'the trace has not arrived'],
      ])
      expect(scores.map(({ traceDbId }) => traceDbId)).toEqual([null, null, NEW_ID, null, 'not here'])
    })

    it('a retry runs failed scores, and not those skipped because their trace had not arrived', async () => {
      const seeded = await seedComponent(app())
      const { client, below } = seeded
      const { datasetId } = await seedItems(seeded, [
        { traceId: 'late', expected: 'yes' },
        { input: 'q', output: 'yes', expected: 'yes' },
      ])
      const { path } = await evaluated(seeded, { datasetId, config: { evaluators: [{ type: 'exactMatch' }] } })
      await client.post(`${below}/traces`, { traceId: 'late', input: 'q', output: 'yes' })
      const again = await client.post(`${path}/retry`, undefined)
      expect(again.status).toBe(409)
      expect(again.body.error).toBe('Nothing has failed in this evaluation')
      expect((await client.get(path)).body).toMatchObject({ status: 'completed', progress: { done: 1, skipped: 1 } })
    })

    it('ratings count by the scheme of the application, and not if they were withdrawn', async () => {
      const seeded = await seedComponent(app())
      const { client, below } = seeded
      const ratings = [1, 2, 3, 4, 5].map((score) => ({ value: String(score), score }))
      await client.send('PUT', '/rating-scheme', { body: { ratings, ordered: true } })
      const { datasetId } = await seedItems(seeded, [{ input: 'unused' }])
      const traces = ['t1', 't2', 't3', 't4'].map((traceId) => ({ traceId, input: 'q', output: 'a' }))
      await client.post(`${below}/traces`, { traces })
      const runId = await client.create(`${below}/runs`, { datasetId, traceIds: traces.map(({ traceId }) => traceId) })
      const say = (traceDbId: string, rating: string) =>
        client.create(`${below}/runs/${runId}/annotations`, { traceDbId, rating })
      await say('t1', '5')
      await say('t2', '1')
      await say('t3', '3')
      await say('t4', '5')
      await say('t4', '')
      const config = { evaluators: [{ type: 'humanRating' }] }
      const { path } = await evaluated(seeded, { datasetId, runId, config })
      const results = (await scoresOf(client, path)).map(({ score, error }) => [score, error])
      expect(results).toEqual([
        [1, null],
        [0, null],
        [null, 'the trace has no positive or negative rating'],
        [null, 'the trace has no rating'],
      ])
    })

    it('insights about the traces are returned in addition to the scores', async () => {
      const seeded = await seedComponent(app())
      const { client, below } = seeded
      const { datasetId } = await seedItems(seeded, [{ input: 'unused' }])
      const traces = Array.from({ length: 10 }, (_, place) => ({
        traceId: `t${place}`,
        input: 'q',
        output: place < 4 ? '' : 'fine',
        status: place < 5 ? 'ok' : 'error',
        startTime: '2026-11-14T09:30:00.000Z',
        endTime: '2026-11-14T09:30:00.250Z',
        totalTokens: 10,
        costUsd: 0.25,
      }))
      await client.post(`${below}/traces`, { traces })
      const runId = await client.create(`${below}/runs`, { datasetId, traceIds: traces.map(({ traceId }) => traceId) })
      const body = await evaluated(seeded, { datasetId, runId })
      expect(body.status).toBe('completed')
      expect(Object(body.results).meta).toMatchObject({
        totalRuns: 10,
        totalTokens: 100,
        totalCostUsd: 2.5,
        averageDurationMs: 250,
        errorRate: 0.5,
      })
      const insights = rowsIn(Object(body.results).insights)
      const errors = insights.find(({ type }) => type === 'error_rate')
      expect(errors).toMatchObject({ frequency: 0.5, severity: expect.stringMatching(/^(high|medium|low)$/) })
      expect(rowsIn(errors?.affectedRunIds)).toHaveLength(5)
      expect(insights.find(({ type }) => type === 'empty_output')).toMatchObject({ frequency: 0.8 })
    })

    it('tool calls, duration and cost of a trace are judged by its spans', async () => {
      const seeded = await seedComponent(app())
      const { client, below } = seeded
      const { datasetId } = await seedItems(seeded, [{ input: 'unused' }])
      const times = { startTime: '2026-11-14T09:30:00.000Z', endTime: '2026-11-14T09:30:01.500Z' }
      const tools = (names: string[]) => names.map((name) => ({ name, kind: 'tool', input: { for: name }, ...times }))
      await client.post(`${below}/traces`, {
        traces: [
          {
            traceId: 'a',
            input: 'q',
            output: 'x',
            ...times,
            totalTokens: 90,
            costUsd: 0.5,
            spans: tools(['find', 'book']),
          },
          { traceId: 'b', input: 'q', output: 'x', ...times, totalTokens: 110, costUsd: 2, spans: tools(['book']) },
        ],
      })
      const runId = await client.create(`${below}/runs`, { datasetId, traceIds: ['a', 'b', 'not here'] })
      const evaluators = [
        { type: 'latency', maxMs: 2_000 },
        { type: 'cost', maxUsd: 1 },
        { type: 'tokens', max: 100 },
        { type: 'trajectory', steps: ['find', 'book'] },
      ]
      const body = await evaluated(seeded, { datasetId, runId, config: { evaluators } })
      expect(body).toMatchObject({ status: 'completed', progress: { total: 12, done: 8, failed: 0, skipped: 4 } })
      // A trace that has not arrived, and an item without a trace.
      expect(metricOf(body, 'latency')).toMatchObject({ n: 2, missing: 2, passed: { mean: 1 } })
      expect(metricOf(body, 'cost')).toMatchObject({ n: 2, missing: 2, passed: { mean: 0.5 } })
      expect(metricOf(body, 'tokens')).toMatchObject({ n: 2, missing: 2, passed: { mean: 0.5 } })
      expect(metricOf(body, 'trajectory')).toMatchObject({ n: 2, missing: 2, passed: { mean: 0.5 } })
      const skipped = await scoresOf(client, body.path, '&state=skipped')
      expect(skipped.map(({ error }) => error)).toEqual(Array(4).fill('the trace has not arrived'))
    })

    it('F1 is computed over all cases, with every class', async () => {
      const seeded = await seedComponent(app())
      const said = [
        ['cat', 'cat'],
        ['cat', 'dog'],
        ['dog', 'dog'],
        ['dog', 'dog'],
      ] as const
      const items = said.map(([output, expected], place) => ({ input: `q${place}`, output, expected }))
      const { datasetId } = await seedItems(seeded, items)
      const body = await evaluated(seeded, { datasetId, config: { evaluators: [{ type: 'f1' }] } })
      // cat: precision 1/2, recall 1; dog: precision 1, recall 2/3.
      const cat = (2 * 0.5) / 1.5
      const dog = (2 * (2 / 3)) / (1 + 2 / 3)
      expect(metricOf(body, 'f1').mean).toBeCloseTo((cat + dog) / 2, 12)
      expect(metricOf(body, 'f1').labels).toMatchObject([
        { label: 'cat', n: 2 },
        { label: 'dog', n: 2 },
      ])
      expect(rowsIn(metricOf(body, 'f1').classes)).toHaveLength(2)
    })

    describe('names', () => {
      const NAMES = [
        '__proto__',
        'constructor',
        'toString',
        `it's "quoted"; drop table x --`,
        'ünï·cødé 🎯',
        ' ',
        'a:b',
        '%_',
      ]

      it('scores and metrics belong to their evaluator, for any name', async () => {
        const seeded = await seedComponent(app())
        const { client } = seeded
        const { datasetId } = await seedItems(seeded, [{ input: 'q', output: 'yes', expected: 'yes' }])
        const evaluators = NAMES.map((name, place) => ({
          type: 'contains',
          name,
          value: place % 2 === 0 ? 'yes' : 'no',
        }))
        const body = await evaluated(seeded, { datasetId, config: { evaluators } })
        expect(body).toMatchObject({ status: 'completed', progress: { total: NAMES.length, done: NAMES.length } })
        for (const [place, name] of NAMES.entries()) {
          expect(metricOf(body, name)).toMatchObject({ n: 1, mean: place % 2 === 0 ? 1 : 0 })
          const scores = await scoresOf(client, body.path, `&evaluator=${encodeURIComponent(name)}`)
          expect(scores).toMatchObject([{ evaluator: name, score: place % 2 === 0 ? 1 : 0 }])
        }
      })

      it('a name that the database cannot store is rejected before the evaluation starts', async () => {
        const seeded = await seedComponent(app())
        const { datasetId } = await seedItems(seeded, [{ input: 'q', output: 'yes' }])
        const config = { evaluators: [{ type: 'jsonValid', name: 'a\u0000b' }] }
        const { status, body } = await seeded.client.post(seeded.at, { datasetId, config })
        expect(status).toBe(400)
        expect(body.error).toMatch(/\p{L}/u)
        expect(await seeded.client.list(seeded.at)).toEqual([])
      })
    })

    it('fifty evaluators in one evaluation have fifty numbers', async () => {
      const seeded = await seedComponent(app())
      const items = Array.from({ length: 12 }, (_, place) => ({ input: `q${place}`, output: 'x'.repeat(place) }))
      const { datasetId } = await seedItems(seeded, items)
      const evaluators = Array.from({ length: 50 }, (_, place) => {
        return { type: 'length', name: `at least ${place}`, minCharacters: place }
      })
      const body = await evaluated(seeded, { datasetId, config: { evaluators } })
      expect(body).toMatchObject({ status: 'completed', progress: { total: 600, done: 600, failed: 0, skipped: 0 } })
      for (let least = 0; least < 50; least += 1) {
        expect(metricOf(body, `at least ${least}`).mean).toBe(Math.max(0, 12 - least) / 12)
      }
      const tooMany = [...evaluators, { type: 'jsonValid' }]
      const rejected = await evaluated(seeded, { datasetId, config: { evaluators: tooMany } })
      expect(rejected).toMatchObject({ status: 'failed', error: 'config.evaluators has more than 50 entries' })
    })
  },
  QUICK,
)
