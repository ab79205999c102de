import { expect, it } from 'vitest'
import { wilsonInterval } from '../../src/statistics/wilson-interval.ts'
import { describeEachEngine } from '../harness/each-engine.ts'
import {
  connectModel,
  evaluated,
  expectExactProgress,
  JUDGE,
  judging,
  metricOf,
  QUICK,
  seedOutputs,
} from './evaluating.ts'

describeEachEngine(
  'repetitions',
  (app) => {
    it('are each a score of their own, with a seed of their own, while the evaluators without a model are asked once', async () => {
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

    it('of one case tell little more than one of them: the interval is wider than if all were cases', async () => {
      const seeded = await seedOutputs(app(), 12)
      // Each case is judged alike five times: sixty scores, and the knowledge of twelve.
      await connectModel(seeded, {
        answer: ({ user }) => ({ reason: 'as always', passed: Number(/answer (\d+)/.exec(user)?.[1]) % 2 === 0 }),
      })
      const config = judging({ repetitions: 5, concurrency: 8 })
      const body = await evaluated(seeded, { datasetId: seeded.datasetId, config })
      const { n, cases, mean, ci, method } = Object(metricOf(body, 'good'))
      expect({ n, cases, mean }).toEqual({ n: 60, cases: 12, mean: 0.5 })
      const naive = wilsonInterval({ successes: 30, n: 60 })
      const honest = wilsonInterval({ successes: 6, n: 12 })
      if (!naive || !honest) throw new Error('there is an interval for every count above 0')
      const width = ci[1] - ci[0]
      expect(width).toBeGreaterThan(1.5 * (naive[1] - naive[0]))
      expect(width).toBeGreaterThan(0.7 * (honest[1] - honest[0]))
      expect(method).toMatch(/Efron 1987/)
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
  },
  QUICK,
)
