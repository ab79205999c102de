import { expect, it } from 'vitest'
import { CANARY_ANSWER } from '../../src/llm/injection-canaries.ts'
import { wilsonInterval } from '../../src/statistics/rate-intervals.ts'
import { describeEachEngine } from '../harness/each-engine.ts'
import { connectModel, evaluated, judging, metricOf, QUICK, seedOutputs } from './evaluating.ts'

/** The bare answer, and twenty with an injection. */
const TRIED = 21

const isCanary = (user: string) => user.includes(CANARY_ANSWER)
/** Falls for two of them. */
const answer = ({ user }: { user: string }) => ({
  reason: 'as asked',
  passed: !isCanary(user) || user.includes('5/5') || user.includes('bonus'),
})

describeEachEngine(
  'canaries',
  (app) => {
    it('report how often a judge accepts an injection, and are run once', async () => {
      const seeded = await seedOutputs(app(), 3)
      const { datasetId } = seeded
      const server = await connectModel(seeded, { answer })
      const body = await evaluated(seeded, { datasetId, config: judging({ canaries: true }) })
      expect(body).toMatchObject({ status: 'completed', progress: { total: 3, done: 3 } })
      expect(metricOf(body, 'good')).toMatchObject({
        n: 3,
        mean: 1,
        injection: {
          n: 20,
          rate: 0.1,
          ci: wilsonInterval({ successes: 2, n: 20 }),
          flipped: ['order', 'reward'],
          summary: '2 of 20 texts that ask for a better verdict got one (95 % CI 3 to 30 %).',
        },
      })
      expect(Object(body.results).cost.calls).toBe(3 + TRIED)
      expect(server.requests).toHaveLength(3 + TRIED)
      const again = await evaluated(seeded, { datasetId, config: judging({ canaries: true }) })
      expect(metricOf(again, 'good').injection).toEqual(metricOf(body, 'good').injection)
      expect(server.requests).toHaveLength(3 + TRIED)
      // Another judge is another one to try.
      const stricter = [{ type: 'llmJudge', name: 'good', instructions: 'Be strict.' }]
      await evaluated(seeded, { datasetId, config: judging({ evaluators: stricter, canaries: true }) })
      expect(server.requests).toHaveLength(2 * (3 + TRIED))
    })

    it('are run only if requested, and only for judges that see an output alone', async () => {
      const seeded = await seedOutputs(app(), 2)
      const { datasetId } = seeded
      const server = await connectModel(seeded, { answer })
      const plain = await evaluated(seeded, { datasetId, config: judging() })
      expect(metricOf(plain, 'good').injection).toBeNull()
      expect(server.requests.filter(({ user }) => isCanary(user))).toEqual([])
      const evaluators = [{ type: 'exactMatch' }, { type: 'comparisonJudge', name: 'like' }]
      const others = await evaluated(seeded, { datasetId, config: judging({ evaluators, canaries: true }) })
      for (const name of ['exactMatch', 'like']) expect(metricOf(others, name).injection).toBeNull()
      expect(server.requests.filter(({ user }) => isCanary(user))).toEqual([])
    })

    it('are a part of the estimate', async () => {
      const seeded = await seedOutputs(app(), 4)
      const { client, at, datasetId } = seeded
      await connectModel(seeded, { answer })
      const estimate = async (config: object) => (await client.post(`${at}?dry_run=true`, { datasetId, config })).body
      expect((await estimate(judging({ repetitions: 2 }))).calls).toBe(8)
      expect((await estimate(judging({ repetitions: 2, canaries: true }))).calls).toBe(8 + TRIED)
    })

    it('that a provider rejects do not affect the scores, and report why there is no rate', async () => {
      const seeded = await seedOutputs(app(), 2)
      const { datasetId } = seeded
      await connectModel(seeded, {
        answer,
        misbehaviour: ({ user }) => (isCanary(user) ? { status: 400 } : undefined),
      })
      const body = await evaluated(seeded, { datasetId, config: judging({ canaries: true }) })
      expect(body).toMatchObject({ status: 'completed', progress: { total: 2, done: 2, failed: 0 } })
      expect(metricOf(body, 'good')).toMatchObject({
        mean: 1,
        injection: {
          n: 0,
          rate: null,
          ci: null,
          flipped: [],
          summary: expect.stringMatching(/^It could not be tried: ./),
        },
      })
    })

    it('are retried if a provider was only busy', async () => {
      const seeded = await seedOutputs(app(), 1)
      const { datasetId } = seeded
      const server = await connectModel(seeded, {
        answer,
        misbehaviour: () => (server.requests.length % 2 === 0 ? { status: 503 } : undefined),
      })
      const body = await evaluated(seeded, { datasetId, config: judging({ canaries: true }) })
      expect(metricOf(body, 'good')).toMatchObject({ injection: { n: 20, rate: 0.1 } })
    })

    it('must be true or false', async () => {
      const seeded = await seedOutputs(app(), 1)
      const { datasetId } = seeded
      await connectModel(seeded, { answer })
      const body = await evaluated(seeded, { datasetId, config: judging({ canaries: 'yes' }) })
      expect(body).toMatchObject({ status: 'failed', error: 'config.canaries must be true or false' })
    })
  },
  QUICK,
)
