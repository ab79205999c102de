import { sql } from 'kysely'
import { expect, it, onTestFinished } from 'vitest'
import { idGenerator } from '../../src/base/ids.ts'
import { createLogger } from '../../src/base/log.ts'
import { createEvaluationHandler, type EvaluationDeps } from '../../src/evaluations/runner/run-evaluation.ts'
import { JobRunner } from '../../src/jobs/job-runner.ts'
import { movableClock } from '../conformance/movable-clock.ts'
import { describeEachEngine } from '../harness/each-engine.ts'
import { waitFor } from '../harness/wait-for.ts'
import {
  ended,
  expectExactProgress,
  metricOf,
  type Row,
  scoresOf,
  seedItems,
  seedOutputs,
  start,
  until,
} from './evaluating.ts'

const MINUTE = 60_000
const TONE = { type: 'external', name: 'tone' }
const CANCELLED = 'the evaluation was cancelled'

const clock = movableClock()
const log = createLogger('silent')
/** What evaluations without models need. */
const DEPS: EvaluationDeps = Object.assign(JSON.parse('{}'), { log, retryPauseMs: 1 })

/** The server has no worker: a test starts one to continue the evaluation. */
describeEachEngine(
  'an evaluation that waits for external scores',
  (app, engine) => {
    async function startExternal(count: number, evaluators: Row[] = [TONE]) {
      const seeded = await seedOutputs(app(), count)
      const path = await start(seeded, { datasetId: seeded.datasetId, config: { evaluators } })
      const deliver = async (scores: Row[]) => (await seeded.client.post(`${path}/scores`, { scores })).body
      return { ...seeded, path, deliver }
    }

    function startWorker(): JobRunner {
      const times = { leaseSeconds: 60, turnMs: 15_000, pollMs: 5 }
      const deps = { db: app().storage, clock, newId: idGenerator(clock), log, concurrency: 2 }
      const worker = new JobRunner({ ...deps, handlers: [createEvaluationHandler(DEPS)], ...times })
      onTestFinished(() => worker.stop())
      worker.start()
      return worker
    }

    const untilPaused = (workspaceId: string) =>
      waitFor('the job to pause', async () => {
        const [job] = await app()
          .storage.read.selectFrom('jobs')
          .selectAll()
          .where('workspace_id', '=', workspaceId)
          .execute()
        return job?.state === 'queued' && job.fence > 0 ? job : undefined
      })

    /** PostgreSQL decides by its own clock when a job is due, so there the pause is shortened. */
    async function letTimePass(minutes: number): Promise<void> {
      clock.advance(minutes * MINUTE)
      if (engine === 'sqlite') return
      await app().storage.transaction((tx) =>
        sql`update jobs set run_at = run_at - make_interval(mins => ${minutes})`.execute(tx),
      )
    }

    const statesOf = async ({ client, path }: Pick<Awaited<ReturnType<typeof startExternal>>, 'client' | 'path'>) =>
      (await scoresOf(client, path)).map(({ state, error }) => [state, error])

    it('takes scores before it is planned, and plans each of them once', async () => {
      const seeded = await startExternal(4, [TONE, { type: 'exactMatch' }])
      const [a, b, c] = seeded.itemIds
      const first = [a, b, c].map((itemId) => ({ evaluator: 'tone', itemId, score: 0.5 }))
      expect(await seeded.deliver(first)).toMatchObject({ stored: 3 })
      expect((await seeded.client.get(seeded.path)).body).toMatchObject({
        status: 'pending',
        progress: { total: 3, done: 3 },
      })
      startWorker()
      await until(async () => {
        expect((await seeded.client.get(seeded.path)).body.progress).toMatchObject({ total: 8, done: 7 })
      })
      expect(await seeded.deliver([{ evaluator: 'tone', itemId: seeded.itemIds[3], score: 0.5 }])).toMatchObject({
        stored: 1,
      })
      expect(metricOf(await ended(seeded.client, seeded.path), 'tone')).toMatchObject({ n: 4, mean: 0.5 })
      await expectExactProgress(seeded.client, seeded.path)
    })

    it('takes only scores of cases that its split has, before and after it is planned', async () => {
      const seeded = await seedOutputs(app(), 0)
      const { client } = seeded
      const items = [
        { input: 'a', output: 'x', split: 'test' },
        { input: 'b', output: 'x', split: 'train' },
      ]
      const { datasetId, itemIds } = await seedItems(seeded, items, 'Split')
      const path = await start(seeded, { datasetId, config: { evaluators: [TONE], split: 'test' } })
      const deliverLast = async () => {
        const scores = [{ evaluator: 'tone', itemId: itemIds[1], score: 1 }]
        return (await client.post(`${path}/scores`, { scores })).body
      }
      const none = { stored: 0, unchanged: 0, unknown: [{ index: 0, reason: 'the evaluation has no such case' }] }
      expect(await deliverLast()).toEqual(none)
      startWorker()
      await untilPaused(seeded.workspaceId)
      expect(await deliverLast()).toEqual(none)
      await client.post(`${path}/scores`, { scores: [{ evaluator: 'tone', itemId: itemIds[0], score: 1 }] })
      expect(await ended(client, path)).toMatchObject({ status: 'completed', progress: { total: 1, done: 1 } })
    })

    it('skips scores that do not arrive in time, each evaluator by its own timeout, and finishes', async () => {
      const evaluators = [
        { ...TONE, timeoutMinutes: 10 },
        { type: 'external', name: 'style' },
      ]
      const seeded = await startExternal(2, evaluators)
      const { client, path, workspaceId } = seeded
      const [a, b] = seeded.itemIds
      startWorker()
      await untilPaused(workspaceId)
      expect(await seeded.deliver([{ evaluator: 'tone', itemId: a, score: 1 }])).toMatchObject({ stored: 1 })
      await letTimePass(10)
      await until(async () => {
        expect((await client.get(path)).body).toMatchObject({ status: 'running', progress: { done: 1, skipped: 1 } })
      })
      const late = { evaluator: 'tone', itemId: b, score: 1 }
      expect(await seeded.deliver([late])).toMatchObject({ unknown: [{ reason: expect.stringContaining('is final') }] })
      await waitFor('the next pause', async () => ((await untilPaused(workspaceId)).fence > 1 ? true : undefined))
      await letTimePass(50)
      const evaluation = await ended(client, path)
      expect(evaluation).toMatchObject({ status: 'completed', progress: { total: 4, done: 1, failed: 0, skipped: 3 } })
      expect(metricOf(evaluation, 'tone')).toMatchObject({ n: 1, missing: 1 })
      const reasons = (await expectExactProgress(client, path)).map(({ error }) => error).sort()
      expect(reasons).toEqual([
        'not delivered within 10 minutes',
        'not delivered within 60 minutes',
        'not delivered within 60 minutes',
        null,
      ])
    })

    it('fails with the reason if nothing at all was delivered', async () => {
      const seeded = await startExternal(2, [{ ...TONE, timeoutMinutes: 1 }])
      startWorker()
      await untilPaused(seeded.workspaceId)
      await letTimePass(1)
      expect(await ended(seeded.client, seeded.path)).toMatchObject({
        status: 'failed',
        error: 'Nothing could be scored (2 scores: not delivered within 1 minute)',
      })
    })

    it('skips the rest as soon as it is canceled', async () => {
      const seeded = await startExternal(2)
      startWorker()
      await untilPaused(seeded.workspaceId)
      expect((await seeded.client.post(`${seeded.path}/cancel`, undefined)).status).toBe(202)
      await until(async () => {
        expect(await statesOf(seeded)).toEqual([
          ['skipped', CANCELLED],
          ['skipped', CANCELLED],
        ])
      })
      await expectExactProgress(seeded.client, seeded.path)
    })

    it('takes no scores once it is deleted, and its job ends', async () => {
      const seeded = await startExternal(1)
      startWorker()
      await untilPaused(seeded.workspaceId)
      expect((await seeded.client.send('DELETE', seeded.path)).status).toBe(204)
      const scores = [{ evaluator: 'tone', itemId: seeded.itemIds[0], score: 1 }]
      expect((await seeded.client.post(`${seeded.path}/scores`, { scores })).status).toBe(404)
      await letTimePass(10)
      await waitFor('the job to end', async () => {
        const jobs = await app()
          .storage.read.selectFrom('jobs')
          .select('id')
          .where('workspace_id', '=', seeded.workspaceId)
          .where('kind', '=', 'evaluation')
          .execute()
        return jobs.length === 0 || undefined
      })
    })

    it('waits again after a retry, takes scores before the worker has begun, and keeps those that were delivered', async () => {
      const seeded = await startExternal(4)
      const { client, path } = seeded
      const result = (place: number, more: Row) => ({ evaluator: 'tone', itemId: seeded.itemIds[place], ...more })
      const first = startWorker()
      await untilPaused(seeded.workspaceId)
      await seeded.deliver([result(0, { score: 1 }), result(1, { error: 'first' }), result(2, { error: 'first' })])
      await letTimePass(60)
      await ended(client, path)
      await first.stop()
      expect((await client.post(`${path}/retry`, undefined)).status).toBe(202)
      const again = [result(0, { score: 1 }), result(1, { error: 'second' }), result(3, { score: 0 })]
      expect(await seeded.deliver(again)).toEqual({ stored: 2, unchanged: 1, unknown: [] })
      expect(await seeded.deliver(again)).toEqual({ stored: 0, unchanged: 3, unknown: [] })
      expect((await client.get(path)).body.progress).toEqual({ total: 4, done: 2, failed: 2, skipped: 0 })
      startWorker()
      await until(async () => {
        const states = (await statesOf(seeded)).sort()
        expect(states).toEqual([
          ['failed', 'second'],
          ['queued', null],
          ['scored', null],
          ['scored', null],
        ])
      })
      await untilPaused(seeded.workspaceId)
      await letTimePass(30)
      expect(await seeded.deliver([result(2, { score: 0.5 })])).toMatchObject({ stored: 1 })
      const evaluation = await ended(client, path)
      expect(evaluation).toMatchObject({ status: 'completed', progress: { total: 4, done: 3, failed: 1, skipped: 0 } })
      expect(metricOf(evaluation, 'tone')).toMatchObject({ n: 3, mean: 0.5, failed: 1 })
      await expectExactProgress(client, path)
    })
  },
  { works: false, clock },
)
