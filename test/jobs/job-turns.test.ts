// @module-tag sql
import { sql } from 'kysely'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { idGenerator } from '../../src/base/ids.ts'
import { createLogger } from '../../src/base/log.ts'
import { enqueueJob } from '../../src/jobs/enqueue.ts'
import type { JobHandler, JobRun } from '../../src/jobs/job-handler.ts'
import { claimJobsOfAnyWorkspace } from '../../src/jobs/job-queries.ts'
import { JobRunner } from '../../src/jobs/job-runner.ts'
import { movableClock } from '../conformance/movable-clock.ts'
import { waitFor } from '../harness/server-process.ts'
import { describeEachStorage } from '../harness/test-storage.ts'

const WORKSPACE = '0199d2a0-0000-7000-8000-000000000001'
const LEASE_SECONDS = 3_600
const TURN_MS = 15_000
const ATTEMPTS_MAX = 5

describeEachStorage('jobs that are not done in one go', (storage, engine) => {
  const clock = movableClock()
  const newId = idGenerator(clock)
  let runner: JobRunner | undefined

  beforeEach(async () => {
    await storage().transaction((tx) => tx.deleteFrom('jobs').execute())
  })
  afterEach(() => runner?.stop())

  function startRunner(run: JobHandler['run'], concurrency = 1): JobRunner {
    const handlers = [{ kind: 'work', run, onFailed: async () => {} }]
    const log = createLogger('silent')
    const times = { leaseSeconds: LEASE_SECONDS, turnMs: TURN_MS, pollMs: 5 }
    runner = new JobRunner({ db: storage(), clock, newId, log, handlers, concurrency, ...times })
    runner.start()
    return runner
  }

  async function enqueue(name: string): Promise<void> {
    const job = { workspaceId: WORKSPACE, kind: 'work', payload: { name } }
    await storage().transaction((tx) => enqueueJob(tx, { clock, newId }, job))
  }

  const jobs = () => storage().read.selectFrom('jobs').selectAll().execute()

  const untilGone = () => waitFor('every job to be done', async () => (await jobs()).length === 0 || undefined)

  /** After so many runs: before the first one it waits as well. */
  const untilState = (state: string, attempts: number) =>
    waitFor(`the job to be ${state}`, async () =>
      (await jobs()).find((job) => job.state === state && job.attempts === attempts),
    )

  /** Makes what waits for its next attempt due. */
  async function endPause(): Promise<void> {
    if (engine === 'sqlite') return clock.advance(61_000)
    await storage().transaction((tx) => sql`update jobs set run_at = run_at - interval '61 seconds'`.execute(tx))
  }

  /** The state after so many workers were killed with the job. */
  async function dieWith(times: number): Promise<void> {
    for (let time = 1; time <= times; time += 1) {
      const dying = { owner: `dead ${time}`, limit: 1, leaseSeconds: -1 }
      expect(await storage().transaction((tx) => claimJobsOfAnyWorkspace(tx, clock, dying))).toHaveLength(1)
    }
  }

  describe('requeue', () => {
    it('runs waiting jobs first, and then continues', async () => {
      const order: string[] = []
      for (const name of ['long', 'short']) {
        await enqueue(name)
        // Two that come in the same millisecond have no order.
        clock.advance(5)
      }
      startRunner(async ({ payload }) => {
        order.push(payload.name ?? '')
        return payload.name === 'long' && order.length < 4 ? 'requeue' : undefined
      })
      await untilGone()
      expect(order).toEqual(['long', 'short', 'long', 'long'])
    })

    it('uses up no attempt, for any number of requeues', async () => {
      let runs = 0
      await enqueue('very long')
      startRunner(async () => {
        runs += 1
        return runs < 4 * ATTEMPTS_MAX ? 'requeue' : undefined
      })
      await untilGone()
      expect(runs).toBe(4 * ATTEMPTS_MAX)
    })

    it('does not change the attempts that were used up before', async () => {
      await enqueue('unlucky')
      await dieWith(3)
      const { promise: held, resolve: release } = Promise.withResolvers<void>()
      let runs = 0
      startRunner(async () => {
        runs += 1
        if (runs > 1) await held
        return 'requeue'
      })
      await waitFor('the second run', async () => runs === 2 || undefined)
      expect(await jobs()).toMatchObject([{ attempts: 4 }])
      const stopping = runner?.stop()
      release()
      await stopping
      expect(await jobs()).toMatchObject([{ attempts: 3, state: 'queued', last_error: null }])
    })
  })

  describe('turns', () => {
    /** A job that occupies the only slot until it is released, and its `shouldYield`. */
    async function holdPlace() {
      const { promise: held, resolve: release } = Promise.withResolvers<void>()
      const ran: string[] = []
      let holder: JobRun | undefined
      startRunner(async (job) => {
        ran.push(job.payload.name ?? '')
        if (job.payload.name !== 'holder' || ran.filter((name) => name === 'holder').length > 1) return undefined
        holder = job
        await held
        return 'requeue'
      })
      await enqueue('holder')
      const job = await waitFor('the holder to run', async () => holder)
      return { job, ran, release }
    }

    /** Long enough for the runner to have seen what there is now. */
    async function untilLooked(): Promise<void> {
      const before = clock.now()
      await waitFor('two looks for work', async () => (runner?.lastPollAt ?? 0) > before + 10 || undefined)
    }

    it('a job may run without a limit while no other job waits', async () => {
      const { job, release } = await holdPlace()
      clock.advance(10 * TURN_MS)
      await untilLooked()
      expect(job.shouldYield()).toBe(false)
      release()
      await untilGone()
    })

    it('a job that others wait for has its whole turn, and no more', async () => {
      const { job, ran, release } = await holdPlace()
      await enqueue('waiting')
      await untilLooked()
      expect(job.shouldYield()).toBe(false)
      expect(ran).toEqual(['holder'])
      clock.advance(TURN_MS)
      await untilLooked()
      expect(job.shouldYield()).toBe(true)
      release()
      await untilGone()
      expect(ran).toEqual(['holder', 'waiting', 'holder'])
    })

    it('a waiting job gets the slot when the turn is over, even if the other job yields late', async () => {
      const { job, ran, release } = await holdPlace()
      await enqueue('waiting')
      clock.advance(TURN_MS + 1)
      await waitFor('the end of the turn', async () => job.shouldYield() || undefined)
      await waitFor('the waiting one', async () => ran.includes('waiting') || undefined)
      // Stays true: no job waits any more, but the slot is taken.
      expect(job.shouldYield()).toBe(true)
      expect(ran).toEqual(['holder', 'waiting'])
      release()
      await untilGone()
      expect(ran).toEqual(['holder', 'waiting', 'holder'])
    })

    it('a job that never calls shouldYield keeps its slot', async () => {
      const { ran, release } = await holdPlace()
      await enqueue('waiting')
      clock.advance(10 * TURN_MS)
      await untilLooked()
      expect(ran).toEqual(['holder'])
      release()
      await untilGone()
    })
  })

  describe('progress', () => {
    const progress = ({ commit }: JobRun) => commit(async () => {}, { resetAttempts: true })

    it('gives a job all of its attempts again, so that long work survives any number of failures', async () => {
      let runs = 0
      await enqueue('long')
      startRunner(async (job) => {
        runs += 1
        await progress(job)
        if (runs <= 2 * ATTEMPTS_MAX) throw new Error(`failure ${runs}`)
      })
      for (let failure = 1; failure <= 2 * ATTEMPTS_MAX; failure += 1) {
        await waitFor('the failure', async () => runs === failure || undefined)
        expect(await untilState('queued', 1)).toMatchObject({ last_error: `failure ${failure}` })
        await endPause()
      }
      await untilGone()
      expect(runs).toBe(2 * ATTEMPTS_MAX + 1)
    })

    it('counts from the last progress when workers are killed: one more attempt than kills since then', async () => {
      await enqueue('long')
      await dieWith(ATTEMPTS_MAX - 1)
      const { promise: held, resolve: release } = Promise.withResolvers<void>()
      startRunner(async (job) => {
        await progress(job)
        await held
      })
      await waitFor('progress', async () => (await jobs())[0]?.attempts === 1 || undefined)
      release()
      await untilGone()
    })

    it('is none if it could not be stored: a job that fails at that each time is given up', async () => {
      let runs = 0
      await enqueue('hopeless')
      startRunner(async ({ commit }) => {
        runs += 1
        await commit(() => Promise.reject(new Error('it does not fit')), { resetAttempts: true })
      })
      for (let attempt = 1; attempt < ATTEMPTS_MAX; attempt += 1) {
        await untilState('queued', attempt)
        await endPause()
      }
      expect(await untilState('failed', ATTEMPTS_MAX)).toMatchObject({ last_error: 'it does not fit' })
      expect(runs).toBe(ATTEMPTS_MAX)
    })

    it('without the word is none: other writes leave the attempts as they are', async () => {
      await enqueue('busy')
      await dieWith(2)
      startRunner(async ({ commit }) => {
        await commit(async () => {})
        throw new Error('not this time')
      })
      expect(await untilState('queued', 3)).toMatchObject({ last_error: 'not this time' })
    })
  })
})
