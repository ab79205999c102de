// @module-tag sql
import { sql } from 'kysely'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { idGenerator } from '../../src/base/ids.ts'
import { createLogger } from '../../src/base/log.ts'
import { enqueueJob, wakeJob } from '../../src/jobs/enqueue.ts'
import type { JobHandler, JobPause } from '../../src/jobs/job-handler.ts'
import { JobRunner } from '../../src/jobs/job-runner.ts'
import { movableClock } from '../conformance/movable-clock.ts'
import { waitFor } from '../harness/server-process.ts'
import { describeEachStorage } from '../harness/test-storage.ts'

const WORKSPACE = '0199d2a0-0000-7000-8000-000000000001'
/** More than the runs that a job may fail. */
const PAUSES = 7

describeEachStorage('a job that pauses', (storage, engine) => {
  const clock = movableClock()
  const newId = idGenerator(clock)
  let runner: JobRunner | undefined

  beforeEach(() => storage().transaction((tx) => tx.deleteFrom('jobs').execute()))
  afterEach(() => runner?.stop())

  function startRunner(...handlers: JobHandler[]): void {
    const times = { leaseSeconds: 60, turnMs: 15_000, pollMs: 5 }
    const log = createLogger('silent')
    runner = new JobRunner({ db: storage(), clock, newId, log, handlers, concurrency: 1, ...times })
    runner.start()
  }

  const named = (kind: string) => ({ workspaceId: WORKSPACE, kind, payload: { note: kind } })
  const enqueue = (kind: string) => storage().transaction((tx) => enqueueJob(tx, { clock, newId }, named(kind)))
  const wake = (kind: string) => storage().transaction((tx) => wakeJob(tx, { clock }, named(kind)))

  /** A job that counts its runs, and pauses as long as the test says. */
  function waitingJob(pause: () => JobPause | undefined) {
    const job = { runs: 0 }
    const handler: JobHandler = {
      kind: 'waiting',
      run: async () => {
        job.runs += 1
        return pause()
      },
      onFailed: async () => undefined,
    }
    return { job, handler }
  }

  const anHour: JobPause = { pauseSeconds: 3_600, isStillWaiting: async () => true }

  const untilPaused = () =>
    waitFor('the job to pause', async () => {
      const [job] = await storage().read.selectFrom('jobs').selectAll().where('kind', '=', 'waiting').execute()
      return job?.state === 'queued' && job.fence > 0 ? job : undefined
    })

  const untilGone = () =>
    waitFor('the jobs to be done', async () => {
      return (await storage().read.selectFrom('jobs').select('id').execute()).length === 0 || undefined
    })

  async function letTimePass(seconds: number): Promise<void> {
    if (engine === 'sqlite') return clock.advance(seconds * 1_000)
    await storage().transaction((tx) =>
      sql`update jobs set run_at = run_at - make_interval(secs => ${seconds})`.execute(tx),
    )
  }

  /** With one slot, this job is claimed only if no other is running, and after all others that are due. */
  async function runAnother(): Promise<void> {
    await enqueue('another')
    await waitFor('the other job to be done', async () => {
      const left = await storage().read.selectFrom('jobs').select('id').where('kind', '=', 'another').execute()
      return left.length === 0 || undefined
    })
  }

  const another: JobHandler = { kind: 'another', run: async () => undefined, onFailed: async () => undefined }

  it('uses no slot and is not run again before it is woken', async () => {
    let isOver = false
    const { job, handler } = waitingJob(() => (isOver ? undefined : anHour))
    startRunner(handler, another)
    await enqueue('waiting')
    await untilPaused()
    await runAnother()
    expect(job.runs).toBe(1)
    isOver = true
    await wake('waiting')
    await untilGone()
    expect(job.runs).toBe(2)
  })

  it('is due when the pause has passed, and pauses never count as failed attempts', async () => {
    const { job, handler } = waitingJob(() => (job.runs > PAUSES ? undefined : { ...anHour, pauseSeconds: 30 }))
    startRunner(handler)
    await enqueue('waiting')
    for (let pause = 1; pause <= PAUSES; pause += 1) {
      await waitFor(`pause ${pause}`, async () => ((await untilPaused()).fence === pause ? true : undefined))
      await letTimePass(31)
    }
    await untilGone()
    expect(job.runs).toBe(PAUSES + 1)
  })

  it('is run again at once if the awaited event happened before it paused', async () => {
    const { job, handler } = waitingJob(() => {
      return job.runs > 1 ? undefined : { ...anHour, isStillWaiting: async () => false }
    })
    startRunner(handler)
    await enqueue('waiting')
    await untilGone()
    expect(job.runs).toBe(2)
  })

  it('is not treated as a job from before the clock was set back, for any length of the pause', async () => {
    const { job, handler } = waitingJob(() => ({ ...anHour, pauseSeconds: 7 * 24 * 3_600 }))
    startRunner(handler, another)
    await enqueue('waiting')
    await untilPaused()
    await runAnother()
    expect(job.runs).toBe(1)
  })

  it('changes nothing when another worker has claimed it in the meantime', async () => {
    let isPausing = false
    const { handler } = waitingJob(() => ({
      pauseSeconds: 3_600,
      isStillWaiting: async (tx) => {
        isPausing = true
        await tx
          .updateTable('jobs')
          .set(({ eb }) => ({ fence: eb('fence', '+', 1), last_error: 'claimed by another worker' }))
          .execute()
        return true
      },
    }))
    startRunner(handler)
    await enqueue('waiting')
    await waitFor('the job to pause', async () => isPausing || undefined)
    await runner?.stop()
    const [job] = await storage().read.selectFrom('jobs').selectAll().execute()
    expect(job).toMatchObject({ state: 'running', fence: 1, last_error: null })
  })
})
