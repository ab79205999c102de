import { expect, it } from 'vitest'
import { wilsonInterval } from '../../src/statistics/rate-intervals.ts'
import { describeEachEngine } from '../harness/each-engine.ts'
import {
  connectModel,
  evaluated,
  expectExactProgress,
  JUDGE,
  judging,
  metricOf,
  QUICK,
  type Row,
  seedComponent,
  seedItems,
  seedOutputs,
} from './evaluating.ts'

describeEachEngine(
  'repetitions',
  (app) => {
    it('are separate scores with separate seeds, while evaluators without a model run once', async () => {
      const seeded = await seedOutputs(app(), 4)
      const server = await connectModel(seeded)
      const evaluators = [JUDGE, { type: 'exactMatch' }]
      const body = await evaluated(seeded, {
        datasetId: seeded.datasetId,
        config: judging({ evaluators, repetitions: 3 }),
      })
      expect(body.progress).toEqual({ total: 16, done: 16, failed: 0, skipped: 0 })
      expect(metricOf(body, 'good')).toMatchObject({ n: 12, cases: 4 })
      expect(metricOf(body, 'exactMatch')).toMatchObject({ n: 4, cases: 4, mean: 1 })
      expect(server.requests).toHaveLength(12)
      expect(server.requests.map(({ body: { seed } }) => seed).sort()).toEqual([1, 1, 1, 1, 2, 2, 2, 2, 3, 3, 3, 3])
      const scores = await expectExactProgress(seeded.client, body.path)
      const places = scores.map(({ itemId, evaluator, repetition }) => `${itemId} ${evaluator} ${repetition}`)
      expect(new Set(places).size).toBe(16)
    })

    it('of one case count as one case: the interval is wider than if all were cases', async () => {
      const seeded = await seedOutputs(app(), 12)
      // Each case is judged alike five times: sixty scores, and the knowledge of twelve.
      await connectModel(seeded, {
        answer: ({ user }) => ({ reason: 'as always', passed: Number(/answer (\d+)/.exec(user)?.[1]) % 2 === 0 }),
      })
      const config = judging({ repetitions: 5, concurrency: 8 })
      const body = await evaluated(seeded, { datasetId: seeded.datasetId, config })
      const { n, cases, mean, ci, method } = Object(metricOf(body, 'good'))
      expect({ n, cases, mean }).toEqual({ n: 60, cases: 12, mean: 0.5 })
      expect(ci).toEqual(wilsonInterval({ successes: 6, n: 12 }))
      expect(method).toMatch(/Wilson 1927.*mean of items/)
      expect((await seeded.client.get(body.path)).body.results).toEqual(body.results)
    })

    it('that fail are counted and leave the others', async () => {
      const seeded = await seedOutputs(app(), 3)
      await connectModel(seeded, {
        answer: () => ({ reason: 'fine', passed: true }),
        misbehaviour: ({ body }) => (body.seed === 2 ? { status: 400 } : undefined),
      })
      const body = await evaluated(seeded, { datasetId: seeded.datasetId, config: judging({ repetitions: 3 }) })
      expect(body.progress).toEqual({ total: 9, done: 6, failed: 3, skipped: 0 })
      expect(metricOf(body, 'good')).toMatchObject({ n: 6, cases: 3, failed: 3, mean: 1 })
      const scores = await expectExactProgress(seeded.client, body.path)
      expect(scores.filter(({ state }) => state === 'failed').map(({ repetition }) => repetition)).toEqual([2, 2, 2])
    })

    /** A run with so many traces of each item, of which so many have the right answer. */
    async function passedOver(items: readonly { tried: number; right: number }[], evaluators: readonly object[]) {
      const seeded = await seedComponent(app())
      const { client, below } = seeded
      const asked = items.map((_, place) => ({ input: `question ${place}`, expected: 'right' }))
      const { datasetId } = await seedItems(seeded, asked)
      const traces = items.flatMap(({ tried, right }, item) =>
        Array.from({ length: tried }, (_, time) => ({
          traceId: `t${item}-${time}`,
          input: `question ${item}`,
          output: time < right ? 'right' : 'wrong',
        })),
      )
      await client.post(`${below}/traces`, { traces })
      const runId = await client.create(`${below}/runs`, { datasetId, traceIds: traces.map(({ traceId }) => traceId) })
      return evaluated(seeded, { datasetId, runId, config: { evaluators } })
    }

    it('of a run, several traces of one item, count as one case, too', async () => {
      const items = Array.from({ length: 12 }, (_, place) => ({ tried: 5, right: place % 2 === 0 ? 5 : 0 }))
      const body = await passedOver(items, [{ type: 'exactMatch' }, { type: 'f1' }])
      const { n, cases, mean, ci, method } = Object(metricOf(body, 'exactMatch'))
      expect({ n, cases, mean }).toEqual({ n: 60, cases: 60, mean: 0.5 })
      const naive = wilsonInterval({ successes: 30, n: 60 })
      if (!naive) throw new Error('there is an interval for every count above 0')
      expect(ci[1] - ci[0]).toBeGreaterThan(1.5 * (naive[1] - naive[0]))
      expect(method).toMatch(/Wilson 1927.*mean of items/)
      expect(metricOf(body, 'f1').method).toBe('macro F1, BCa bootstrap over items, 95 % (Efron 1987)')
    })

    it('of a run give pass@k and pass^k', async () => {
      const items = [
        { tried: 3, right: 3 },
        { tried: 3, right: 1 },
        { tried: 3, right: 0 },
        { tried: 1, right: 1 },
      ]
      const body = await passedOver(items, [{ type: 'contains', value: 'right' }])
      const { attempts, n } = Object(metricOf(body, 'contains'))
      expect(n).toBe(10)
      // Of two: 1, 1 − 1/3 and 0 that at least one passes; 1, 0 and 0 that both do. Of three: 1, 1 and 0; 1, 0 and 0.
      expect(attempts.map(({ k, n }: Row) => [k, n])).toEqual([
        [2, 3],
        [3, 3],
      ])
      expect(attempts[0].passAtK.mean).toBeCloseTo(5 / 9, 12)
      expect(attempts[0].passHatK.mean).toBeCloseTo(1 / 3, 12)
      expect(attempts[1].passAtK.mean).toBeCloseTo(2 / 3, 12)
      expect(attempts[1].passHatK.mean).toBeCloseTo(1 / 3, 12)
      for (const { passAtK, passHatK } of attempts) {
        for (const { mean, ci, method } of [passAtK, passHatK]) {
          expect(ci[0]).toBeLessThan(mean)
          expect(ci[1]).toBeGreaterThan(mean)
          expect(method).toMatch(/Rubin 1981/)
        }
      }
    })

    it('that do not exist give no pass@k', async () => {
      const body = await passedOver(
        [
          { tried: 1, right: 1 },
          { tried: 1, right: 0 },
        ],
        [{ type: 'contains', value: 'r' }],
      )
      expect(metricOf(body, 'contains').attempts).toBeNull()
    })
  },
  QUICK,
)
