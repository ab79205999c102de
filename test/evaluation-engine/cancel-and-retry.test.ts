import { describe, expect, it } from 'vitest'
import { TIMESTAMP } from '../conformance/answer-forms.ts'
import { describeEachEngine } from '../harness/each-engine.ts'
import {
  connectModel,
  ended,
  evaluated,
  expectExactProgress,
  judging,
  metricOf,
  QUICK,
  scoresOf,
  seedComponent,
  seedItems,
  seedOutputs,
  start,
  until,
} from './evaluating.ts'

const CANCELLED = 'the evaluation was cancelled'
const GOOD = { reason: 'fine', passed: true }

describeEachEngine(
  'cancelling and trying again',
  (app) => {
    /** A provider that answers three requests and then hangs until the test releases it. */
    async function seedHanging(count: number) {
      const seeded = await seedOutputs(app(), count)
      const provider = { isWell: false, answered: 0 }
      const server = await connectModel(seeded, {
        answer: () => GOOD,
        misbehaviour: () => {
          if (provider.isWell || provider.answered < 3) {
            provider.answered += 1
            return undefined
          }
          return 'hang'
        },
      })
      return { ...seeded, server, provider }
    }

    async function startAndHang(count = 10) {
      const seeded = await seedHanging(count)
      const { client, server, datasetId } = seeded
      const path = await start(seeded, { datasetId, config: judging({ concurrency: 2 }) })
      await until(async () => {
        expect(server.requests.length).toBeGreaterThanOrEqual(4)
        expect((await client.get(path)).body.progress).toMatchObject({ done: 3 })
      })
      return { ...seeded, path }
    }

    async function settled({ client, path }: Pick<Awaited<ReturnType<typeof startAndHang>>, 'client' | 'path'>) {
      await until(async () => {
        const open = await scoresOf(client, path)
        expect(open.filter(({ state }) => !['scored', 'failed', 'skipped'].includes(String(state)))).toEqual([])
      })
      return expectExactProgress(client, path)
    }

    it('a cancelled evaluation is failed at once, even if its provider hangs', async () => {
      const { client, path } = await startAndHang()
      const id = path.split('/').at(-1)
      const answer = await client.post(`${path}/cancel`, undefined)
      expect(answer.status).toBe(202)
      expect(answer.body).toEqual({ id, name: null, status: 'failed' })
      expect((await client.get(path)).body).toMatchObject({
        status: 'failed',
        error: 'cancelled',
        results: null,
        completedAt: TIMESTAMP,
      })
    })

    it('a cancelled evaluation ends the calls under way, keeps its scores and skips the rest with the reason', async () => {
      const seeded = await startAndHang()
      const { client, path, server } = seeded
      await client.post(`${path}/cancel`, undefined)
      const scores = await settled(seeded)
      expect((await client.get(path)).body.progress).toEqual({ total: 10, done: 3, failed: 0, skipped: 7 })
      expect(scores.filter(({ error }) => error === CANCELLED)).toHaveLength(7)
      await until(() => expect(server.socketsOpen).toBeLessThanOrEqual(1))
      const asked = server.requests.length
      await expectExactProgress(client, path)
      expect(server.requests).toHaveLength(asked)
    })

    it('a retry after a cancellation scores the remaining cases, and sends no request twice', async () => {
      const seeded = await startAndHang()
      const { client, path, server, provider } = seeded
      await client.post(`${path}/cancel`, undefined)
      await settled(seeded)
      const asked = server.requests.length
      provider.isWell = true
      const answer = await client.post(`${path}/retry`, undefined)
      expect(answer.status).toBe(202)
      expect(answer.body).toMatchObject({ status: 'pending' })
      const body = await ended(client, path)
      expect(body).toMatchObject({ status: 'completed', error: null })
      expect(body.progress).toEqual({ total: 10, done: 10, failed: 0, skipped: 0 })
      expect(metricOf(body, 'good')).toMatchObject({ n: 10, mean: 1, failed: 0, missing: 0 })
      expect(server.requests).toHaveLength(asked + 7)
      await expectExactProgress(client, path)
    })

    it('a retry before the worker has noticed the cancellation ends with every case scored once', async () => {
      const seeded = await startAndHang(30)
      const { client, path, provider } = seeded
      for (let time = 0; time < 3; time += 1) {
        expect((await client.post(`${path}/cancel`, undefined)).status).toBe(202)
        expect((await client.post(`${path}/retry`, undefined)).status).toBe(202)
      }
      provider.isWell = true
      const body = await ended(client, path)
      expect(body).toMatchObject({ status: 'completed', error: null })
      expect(body.progress).toEqual({ total: 30, done: 30, failed: 0, skipped: 0 })
      expect(metricOf(body, 'good')).toMatchObject({ n: 30 })
      await expectExactProgress(client, path)
    })

    it('the worker of the cancelled attempt cannot finish the evaluation after a retry', async () => {
      const seeded = await seedOutputs(app(), 2)
      const { client, datasetId } = seeded
      const first = Promise.withResolvers<void>()
      const second = Promise.withResolvers<void>()
      const server = await connectModel(seeded, {
        answer: async ({ user }) => {
          await (user.includes('answer 0') ? second : first).promise
          return GOOD
        },
        // The first question is rejected the first time; all others are answered when the test releases them.
        misbehaviour: () => (server.requests.length === 1 ? { status: 400 } : undefined),
      })
      const path = await start(seeded, { datasetId, config: judging({ concurrency: 1 }) })
      await until(() => expect(server.requests).toHaveLength(2))
      expect((await client.post(`${path}/cancel`, undefined)).status).toBe(202)
      expect((await client.post(`${path}/retry`, undefined)).status).toBe(202)
      await until(() => expect(server.requests).toHaveLength(3))
      first.resolve()
      // Time for the one before to do what it must not.
      for (let looks = 0; looks < 30; looks += 1) await client.get(path)
      second.resolve()
      const body = await ended(client, path)
      expect(body).toMatchObject({ status: 'completed', progress: { total: 2, done: 2, failed: 0, skipped: 0 } })
      expect(metricOf(body, 'good')).toMatchObject({ n: 2 })
    })

    it('one that was cancelled before it began can be tried again, and then has all of its cases', async () => {
      const seeded = await seedOutputs(app(), 5)
      const { client, datasetId } = seeded
      const path = await start(seeded, { datasetId, config: { evaluators: [{ type: 'exactMatch' }] } })
      const cancelled = await client.post(`${path}/cancel`, undefined)
      // It may have finished before.
      if (cancelled.status === 202) expect((await client.post(`${path}/retry`, undefined)).status).toBe(202)
      const body = await ended(client, path)
      expect(body).toMatchObject({ status: 'completed', progress: { total: 5, done: 5, failed: 0, skipped: 0 } })
    })

    it.each([
      ['laid out:', 'planned, and a retry adds no case', 2],
      ['laying out:', 'not planned to its end, and a retry adds the missing cases', 3],
    ])('the mark "%s" of an older version means %s', async (plannedTo, _, total) => {
      const seeded = await seedComponent(app())
      const { client, below, at } = seeded
      const { datasetId } = await seedItems(seeded, [{ input: 'one' }, { input: 'two' }])
      const { path, ...body } = await evaluated(seeded, { datasetId, config: { evaluators: [{ type: 'exactMatch' }] } })
      expect(body).toMatchObject({ status: 'failed', progress: { total: 2 } })
      await client.post(`${below}/datasets/${datasetId}/items`, [{ input: 'three' }])
      await app().storage.transaction((tx) =>
        tx
          .updateTable('evaluations')
          .set({ planned_to: plannedTo })
          .where('workspace_id', '=', seeded.workspaceId)
          .where('id', '=', path.slice(at.length + 1))
          .execute(),
      )
      expect((await client.post(`${path}/retry`, undefined)).status).toBe(202)
      expect((await ended(client, path)).progress).toMatchObject({ total })
    })

    it('one that was cancelled while its cases were planned gets the rest by a retry', { tags: 'deep' }, async () => {
      const seeded = await seedComponent(app())
      const { client } = seeded
      const items = Array.from({ length: 2_000 }, (_, place) => ({ input: `q${place}`, output: 'yes' }))
      const { datasetId } = await seedItems(seeded, items)
      const evaluators = Array.from({ length: 5 }, (_, place) => ({ type: 'contains', name: `${place}`, value: 'yes' }))
      const path = await start(seeded, { datasetId, config: { evaluators } })
      await until(async () => {
        expect(Object((await client.get(path)).body.progress).total).toBeGreaterThan(0)
      })
      expect((await client.post(`${path}/cancel`, undefined)).status).toBe(202)
      const { total } = Object((await client.get(path)).body.progress)
      expect(total, 'the test is of use only if not all is planned').toBeLessThan(10_000)
      expect((await client.post(`${path}/retry`, undefined)).status).toBe(202)
      const body = await ended(client, path)
      expect(body).toMatchObject({ status: 'completed', progress: { total: 10_000, done: 10_000, skipped: 0 } })
    })

    it('one that failed because its connection was missing runs once there is one', async () => {
      const seeded = await seedOutputs(app(), 2)
      const { client, datasetId } = seeded
      const { path, ...body } = await evaluated(seeded, { datasetId, config: judging() })
      expect(body).toMatchObject({ status: 'failed', error: 'config.provider: there is no connection named "judges"' })
      await connectModel(seeded, { answer: () => GOOD })
      expect((await client.post(`${path}/retry`, undefined)).status).toBe(202)
      expect(await ended(client, path)).toMatchObject({ status: 'completed', progress: { total: 2, done: 2 } })
    })

    it('a retry scores only what failed, until nothing has failed', async () => {
      const seeded = await seedOutputs(app(), 9)
      const { client, datasetId } = seeded
      const provider = { isWell: false }
      const server = await connectModel(seeded, {
        answer: () => GOOD,
        misbehaviour: ({ user }) => (!provider.isWell && /answer [258]/.test(user) ? { status: 503 } : undefined),
      })
      const evaluators = [...Object(judging()).evaluators, { type: 'exactMatch' }]
      const first = await evaluated(seeded, { datasetId, config: judging({ evaluators }) })
      expect(first).toMatchObject({ status: 'completed', progress: { total: 18, done: 15, failed: 3, skipped: 0 } })
      expect(metricOf(first, 'good')).toMatchObject({ n: 6, failed: 3 })
      const before = await scoresOf(client, first.path)
      const asked = server.requests.length
      provider.isWell = true
      expect((await client.post(`${first.path}/retry`, undefined)).status).toBe(202)
      const second = await ended(client, first.path)
      expect(second).toMatchObject({ status: 'completed', progress: { total: 18, done: 18, failed: 0, skipped: 0 } })
      expect(metricOf(second, 'good')).toMatchObject({ n: 9, failed: 0 })
      expect(server.requests.slice(asked).map(({ user }) => /answer (\d)/.exec(user)?.[1])).toEqual(
        expect.arrayContaining(['2', '5', '8']),
      )
      expect(server.requests).toHaveLength(asked + 3)
      const after = await expectExactProgress(client, first.path)
      const scored = before.filter(({ state }) => state === 'scored')
      expect(after).toEqual(expect.arrayContaining(scored))
      expect((await client.post(`${first.path}/retry`, undefined)).status).toBe(409)
    })

    it('of many concurrent requests to cancel or to retry, one succeeds', async () => {
      const { client, path, provider } = await startAndHang()
      const all = async (what: string) => {
        const answers = await Promise.all(Array.from({ length: 8 }, () => client.post(`${path}/${what}`, undefined)))
        return answers.map(({ status }) => status).sort()
      }
      const onlyOne = [202, ...Array<number>(7).fill(409)]
      expect(await all('cancel')).toEqual(onlyOne)
      provider.isWell = true
      expect(await all('retry')).toEqual(onlyOne)
      expect(await ended(client, path)).toMatchObject({ status: 'completed', progress: { total: 10, done: 10 } })
    })

    it('one that was cancelled when every case had its score can still be summed up', async () => {
      const seeded = await seedOutputs(app(), 2)
      const { client, datasetId, workspaceId } = seeded
      const { path, id } = await evaluated(seeded, { datasetId })
      // The state of a cancellation between the last score and the sum.
      await app().storage.transaction((tx) =>
        tx
          .updateTable('evaluations')
          .set({ status: 'failed', error: 'cancelled', results: null })
          .where('workspace_id', '=', workspaceId)
          .where('id', '=', String(id))
          .execute(),
      )
      expect((await client.post(`${path}/retry`, undefined)).status).toBe(202)
      const body = await ended(client, path)
      expect(body).toMatchObject({ status: 'completed', error: null })
      expect(metricOf(body, 'exactMatch')).toMatchObject({ n: 2, mean: 1 })
    })

    describe('409', () => {
      it('for cancelling a finished evaluation, which does not change', async () => {
        const seeded = await seedOutputs(app(), 2)
        const { client } = seeded
        const { path } = await evaluated(seeded, { datasetId: seeded.datasetId })
        const before = (await client.get(path)).body
        const answer = await client.post(`${path}/cancel`, undefined)
        expect(answer.status).toBe(409)
        expect(answer.body.error).toBe('The evaluation is already finished (completed)')
        expect((await client.get(path)).body).toEqual(before)
      })

      it('for a retry of an unfinished evaluation', async () => {
        const { client, path } = await startAndHang()
        const answer = await client.post(`${path}/retry`, undefined)
        expect(answer.status).toBe(409)
        expect(answer.body.error).toBe('The evaluation has not ended yet')
        await client.post(`${path}/cancel`, undefined)
        expect((await client.post(`${path}/cancel`, undefined)).status).toBe(409)
      })
    })
  },
  { ...QUICK, modelTimeoutMs: 110_000 },
)
