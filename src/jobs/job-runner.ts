/**
 * Runs the jobs of all workspaces.
 *
 * A loop claims due jobs with a lease, an injected handler per kind runs them, and a heartbeat renews the leases of running
 * jobs. A job is claimed (attempt counted, fence incremented), handled, and then deleted, or returned to the queue with an error
 * and a growing delay, or, after the last attempt, marked as failed with a call of `onFailed`. A job that waits for a request is
 * returned to the queue with a pause, and needs no slot until then.
 *
 * Jobs survive a crash: a job whose process died is due again when its lease expires, and the incremented fence makes late
 * writes of the old worker fail. A handler may therefore run twice; its comment explains why that is safe.
 *
 * An outage of the database uses no attempts: the job waits and is run again, however often that is needed.
 */
import { type Clock, elapsedMs } from '../base/clock.ts'
import { DatabaseOutage } from '../base/errors.ts'
import type { NewId } from '../base/ids.ts'
import { invariant } from '../base/invariant.ts'
import type { Logger } from '../base/log.ts'
import type { Db } from '../storage/db.ts'
import type { JobHandler, JobPause, JobRun } from './job-handler.ts'
import {
  type ClaimedJob,
  claimJobsOfAnyWorkspace,
  deleteJob,
  hasDueJobOfAnyWorkspace,
  listWorkspacesWithDueJobs,
  renewLease,
  returnJob,
} from './job-queries.ts'

export type JobRunnerOptions = {
  db: Db
  clock: Clock
  newId: NewId
  log: Logger
  handlers: readonly JobHandler[]
  concurrency: number
  leaseSeconds: number
  pollMs: number
  /** The time slice of a job while others are queued and all slots are busy. */
  turnMs: number
}

/** Thrown inside a handler whose job another worker has claimed. */
class LeaseLostError extends Error {}

const ATTEMPTS_MAX = 5
const RETRY_SECONDS_MAX = 60
const OUTAGE_PAUSE_SECONDS = 5
/** Longer pauses are cut: `isDue` takes a longer delay for a sign that the clock was set back. */
const PAUSE_SECONDS_MAX = 540
const STOP_TIMEOUT_MS = 3_000

export class JobRunner {
  readonly #options: JobRunnerOptions
  readonly #owner: string
  readonly #running = new Map<string, { job: ClaimedJob; abort: AbortController; end: Promise<void> }>()
  /**
   * Jobs that should yield. They stop at their next checkpoint, which may be a minute away when a model does not respond, and use no slot
   * until then. Jobs that used their whole time slice cannot accumulate; the others are never more than the slots.
   */
  readonly #yielding = new Set<ClaimedJob>()
  #timer: NodeJS.Timeout | undefined
  #heartbeat: NodeJS.Timeout | undefined
  #polling: Promise<void> = Promise.resolve()
  #isStopping = false
  /** A job is due, and all slots are busy. */
  #isSaturated = false
  #lastPollAt: number
  /** When a poll last failed. */
  #failedPollAt = Number.NEGATIVE_INFINITY

  constructor(options: JobRunnerOptions) {
    const kinds = options.handlers.map(({ kind }) => kind)
    invariant(new Set(kinds).size === kinds.length, 'a kind of job must have exactly one handler')
    this.#options = options
    this.#owner = options.newId()
    this.#lastPollAt = elapsedMs(options.clock)
  }

  start(): void {
    const { leaseSeconds } = this.#options
    this.#schedule(0)
    this.#heartbeat = setInterval(() => void this.#renewAll(), (leaseSeconds * 1_000) / 3)
  }

  /** The time of the last poll, for the readiness check. */
  get lastPollAt(): number {
    return this.#lastPollAt
  }

  /** Stops claiming, lets running jobs reach a checkpoint, and returns those to the queue that do not reach it in time. */
  async stop(): Promise<void> {
    this.#isStopping = true
    clearTimeout(this.#timer)
    await this.#polling
    for (const { abort } of this.#running.values()) abort.abort()
    const ends = Promise.all([...this.#running.values()].map(({ end }) => end))
    let timeout: NodeJS.Timeout | undefined
    await Promise.race([ends, new Promise((resolve) => (timeout = setTimeout(resolve, STOP_TIMEOUT_MS)))])
    clearTimeout(timeout)
    for (const { job } of this.#running.values()) await this.#release(job)
    clearInterval(this.#heartbeat)
  }

  #schedule(delayMs: number): void {
    if (this.#isStopping) return
    this.#timer = setTimeout(() => {
      this.#polling = this.#poll()
    }, delayMs)
  }

  async #poll(): Promise<void> {
    const { db, clock, log, concurrency, leaseSeconds, pollMs } = this.#options
    let claimed: ClaimedJob[] = []
    try {
      const limit = concurrency - (this.#running.size - this.#yielding.size)
      // Read before claiming: an idle runner must not acquire the write lock five times a second.
      const isDue = await hasDueJobOfAnyWorkspace(db.read, clock)
      this.#isSaturated = isDue && limit <= 0
      if (this.#isSaturated) await this.#preempt()
      if (limit > 0 && isDue) {
        const claim = { owner: this.#owner, limit, leaseSeconds, expired: this.#expiredLeases() }
        claimed = await db.transaction((tx) => claimJobsOfAnyWorkspace(tx, clock, claim))
      }
      this.#lastPollAt = elapsedMs(clock)
    } catch (error) {
      this.#failedPollAt = elapsedMs(clock)
      log.warn({ err: error }, 'polling for jobs failed; retrying')
    }
    for (const job of claimed) this.#launch(job)
    this.#schedule(claimed.length > 0 ? 0 : pollMs)
  }

  /** After an outage of the database, leases have expired because they could not be renewed, and not because workers were killed. */
  #expiredLeases(): 'counted' | 'not counted' {
    const { clock, leaseSeconds } = this.#options
    return elapsedMs(clock) - this.#failedPollAt > 2_000 * leaseSeconds ? 'counted' : 'not counted'
  }

  /**
   * A workspace without a running job does not wait for the time slice of one that has several: the longest-running job of the workspace
   * with most jobs loses its slot at once, and continues on its next turn.
   */
  async #preempt(): Promise<void> {
    const { db, clock, concurrency } = this.#options
    const active = [...this.#running.values()].map(({ job }) => job).filter((job) => !this.#yielding.has(job))
    const byWorkspace = Map.groupBy(active, ({ workspaceId }) => workspaceId)
    const waiting = await listWorkspacesWithDueJobs(db.read, clock, concurrency + byWorkspace.size)
    for (const workspaceId of waiting) {
      if (byWorkspace.has(workspaceId) || this.#yielding.size >= concurrency) continue
      const [most = []] = [...byWorkspace.values()].sort((a, b) => b.length - a.length)
      const [longest] = most
      if (!longest || most.length < 2) return
      this.#yielding.add(longest)
      most.shift()
    }
  }

  #launch(job: ClaimedJob): void {
    const abort = new AbortController()
    // Per claim, not per job: a job whose lease expired may be claimed again while its first run is still active.
    const claim = `${job.id} ${job.fence}`
    const end = this.#run(job, abort.signal)
      .catch((error: unknown) => this.#options.log.error({ err: error, job: job.id }, 'a job could not be finished'))
      .finally(() => {
        this.#running.delete(claim)
        this.#yielding.delete(job)
      })
    this.#running.set(claim, { job, abort, end })
  }

  async #run(job: ClaimedJob, signal: AbortSignal): Promise<void> {
    const { clock, newId, log, handlers, leaseSeconds, turnMs } = this.#options
    const db = this.#dbOf(job)
    const handler = handlers.find(({ kind }) => kind === job.kind)
    const payload: Record<string, string> = JSON.parse(job.payload)
    const startedAt = elapsedMs(clock)
    const run: JobRun = {
      workspaceId: job.workspaceId,
      payload,
      db,
      clock,
      newId,
      signal,
      commit: async (work, options) => {
        const renewal: Parameters<typeof renewLease>[3] = options?.resetAttempts
          ? { leaseSeconds, attempts: 1 }
          : { leaseSeconds }
        const result = await db.transaction(async (tx) => {
          if (!(await renewLease(tx, clock, job, renewal)))
            throw new LeaseLostError('another worker has claimed this job')
          return work(tx)
        })
        // After the commit: otherwise progress that fails each time would be retried forever.
        job.attempt = renewal.attempts ?? job.attempt
        return result
      },
      shouldYield: () => {
        if (this.#isSaturated && elapsedMs(clock) - startedAt > turnMs) this.#yielding.add(job)
        return this.#yielding.has(job)
      },
    }
    try {
      // The worker was killed in each attempt, so no error was recorded: fail before running it again.
      if (job.attempt > ATTEMPTS_MAX)
        throw new Error('the worker was killed, or could not reach the database any more, in every attempt')
      if (!handler)
        throw new Error(`no handler for jobs of the kind ${job.kind}; is this program older than the database?`)
      const end = await handler.run(run)
      if (signal.aborted || end === 'requeue') await this.#release(job)
      else if (end) await this.#pause(job, end)
      else await db.transaction((tx) => deleteJob(tx, job))
    } catch (error) {
      if (error instanceof LeaseLostError) return
      if (signal.aborted) return this.#release(job)
      log.warn({ err: error, job: job.id, kind: job.kind, attempt: job.attempt }, 'a job failed')
      if (error instanceof DatabaseOutage) return this.#returnAfterOutage(job, error.message)
      try {
        await this.#returnFailed(job, handler, run, error)
      } catch (failure) {
        // The rows that `onFailed` changes may be out of reach while the queue is not: then the last attempt is repeated.
        if (!(failure instanceof DatabaseOutage)) throw failure
        await this.#returnAfterOutage(job, failure.message)
      }
    }
  }

  /** Writes of jobs take turns with those of other applications. */
  #dbOf({ workspaceId }: ClaimedJob): Db {
    const { db } = this.#options
    return { ...db, transaction: (work) => db.transaction(work, workspaceId) }
  }

  async #returnAfterOutage(job: ClaimedJob, error: string): Promise<void> {
    const outcome = { state: 'queued' as const, pauseSeconds: OUTAGE_PAUSE_SECONDS, error, attempts: job.attempt - 1 }
    await this.#options.db.transaction((tx) => returnJob(tx, this.#options.clock, job, outcome))
  }

  async #returnFailed(job: ClaimedJob, handler: JobHandler | undefined, run: JobRun, error: unknown): Promise<void> {
    const { db, clock } = this.#options
    const reason = error instanceof Error ? error.message : String(error)
    const isLast = job.attempt >= ATTEMPTS_MAX
    const pauseSeconds = Math.min(2 ** job.attempt, RETRY_SECONDS_MAX)
    await db.transaction(async (tx) => {
      const outcome = {
        state: isLast ? ('failed' as const) : ('queued' as const),
        pauseSeconds,
        error: reason,
        attempts: job.attempt,
      }
      const isOurs = await returnJob(tx, clock, job, outcome)
      if (isOurs && isLast) await handler?.onFailed(tx, run, reason)
    })
  }

  /** Returns an interrupted job to the queue. The attempt does not count, because the job did not fail. */
  async #release(job: ClaimedJob): Promise<void> {
    const { db, clock } = this.#options
    await db.transaction((tx) =>
      returnJob(tx, clock, job, { state: 'queued', pauseSeconds: 0, error: null, attempts: job.attempt - 1 }),
    )
  }

  /** Like a release, the attempt does not count. */
  async #pause(job: ClaimedJob, { pauseSeconds, isStillWaiting }: JobPause): Promise<void> {
    const { db, clock } = this.#options
    await db.transaction(async (tx) => {
      const seconds = (await isStillWaiting(tx)) ? Math.min(pauseSeconds, PAUSE_SECONDS_MAX) : 0
      const outcome = { state: 'queued' as const, pauseSeconds: seconds, error: null, attempts: job.attempt - 1 }
      if (!(await returnJob(tx, clock, job, outcome))) throw new LeaseLostError('another worker has claimed this job')
    })
  }

  async #renewAll(): Promise<void> {
    const { db, clock, log, leaseSeconds } = this.#options
    for (const { job, abort } of this.#running.values()) {
      try {
        const isOurs = await db.transaction((tx) => renewLease(tx, clock, job, { leaseSeconds }))
        if (!isOurs) abort.abort()
      } catch (error) {
        // The lease survives two missed renewals; the next one may succeed.
        log.warn({ err: error, job: job.id }, 'a lease could not be renewed')
      }
    }
  }
}
