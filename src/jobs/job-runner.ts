/**
 * Runs the jobs of all workspaces.
 *
 * Parts: a loop that claims due jobs with a lease; a handler per kind, passed in; a heartbeat that renews the leases
 * of running jobs. Order of events: claimed (attempt counted, fence raised) → handler → deleted, or returned with an error
 * and a growing pause, or, after the last attempt, kept as failed and its handler told to give up.
 *
 * What survives a crash: everything. A job whose process died is simply due again when its lease has run out, and the raised
 * fence makes the dead worker's late writes fail. Handlers therefore may run twice, and each says what makes that harmless.
 */
import { type Clock, elapsedMs } from '../base/clock.ts'
import type { NewId } from '../base/ids.ts'
import { invariant } from '../base/invariant.ts'
import type { Logger } from '../base/log.ts'
import type { Db } from '../storage/db.ts'
import type { JobHandler, JobRun } from './job-handler.ts'
import {
  type ClaimedJob,
  claimJobsOfAnyWorkspace,
  deleteJob,
  hasDueJobOfAnyWorkspace,
  listWaitingWorkspaces,
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
  /** How long a job may work while others wait for a place. */
  turnMs: number
}

/** Thrown inside a handler whose job now belongs to another worker. */
class LeaseLostError extends Error {}

const ATTEMPTS_MAX = 5
const PAUSE_SECONDS_MAX = 60
const STOP_PATIENCE_MS = 3_000

export class JobRunner {
  readonly #options: JobRunnerOptions
  readonly #owner: string
  readonly #running = new Map<string, { job: ClaimedJob; abort: AbortController; end: Promise<void> }>()
  /**
   * Told that their turn is over: they end at their next safe point, which may be a minute away when a model does not answer. Until then
   * they hold no slot. Those that had a whole turn cannot pile up; of the others there are never more than slots.
   */
  readonly #leaving = new Set<ClaimedJob>()
  #timer: NodeJS.Timeout | undefined
  #heartbeat: NodeJS.Timeout | undefined
  #polling: Promise<void> = Promise.resolve()
  #isStopping = false
  /** Something is due, and every place is taken. */
  #isCrowded = false
  #lastPollAt: number

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

  /** When the loop last looked for work, for the readiness check: a runner that has stopped looking is not well. */
  get lastPollAt(): number {
    return this.#lastPollAt
  }

  /** Claims no more, lets running jobs reach a safe point, and gives back those that do not in time. */
  async stop(): Promise<void> {
    this.#isStopping = true
    clearTimeout(this.#timer)
    await this.#polling
    for (const { abort } of this.#running.values()) abort.abort()
    const ends = Promise.all([...this.#running.values()].map(({ end }) => end))
    let patience: NodeJS.Timeout | undefined
    await Promise.race([ends, new Promise((resolve) => (patience = setTimeout(resolve, STOP_PATIENCE_MS)))])
    clearTimeout(patience)
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
      const limit = concurrency - (this.#running.size - this.#leaving.size)
      // A look before the claim: an idle runner must not take the write lock five times a second.
      const isDue = await hasDueJobOfAnyWorkspace(db.read, clock)
      this.#isCrowded = isDue && limit <= 0
      if (this.#isCrowded) await this.#makeRoom()
      if (limit > 0 && isDue) {
        const owner = this.#owner
        claimed = await db.transaction((tx) => claimJobsOfAnyWorkspace(tx, clock, { owner, limit, leaseSeconds }))
      }
      this.#lastPollAt = elapsedMs(clock)
    } catch (error) {
      log.warn({ err: error }, 'looking for jobs failed; trying again')
    }
    for (const job of claimed) this.#launch(job)
    this.#schedule(claimed.length > 0 ? 0 : pollMs)
  }

  /**
   * An application without a running job does not wait for the turn of one that has several: the job of that one that has run longest
   * gives up its slot at once, and goes on when it is its turn again.
   */
  async #makeRoom(): Promise<void> {
    const { db, clock, concurrency } = this.#options
    const active = [...this.#running.values()].map(({ job }) => job).filter((job) => !this.#leaving.has(job))
    const byWorkspace = Map.groupBy(active, ({ workspaceId }) => workspaceId)
    const waiting = await listWaitingWorkspaces(db.read, clock, concurrency + byWorkspace.size)
    for (const workspaceId of waiting) {
      if (byWorkspace.has(workspaceId) || this.#leaving.size >= concurrency) continue
      const [most = []] = [...byWorkspace.values()].sort((a, b) => b.length - a.length)
      const [longest] = most
      if (!longest || most.length < 2) return
      this.#leaving.add(longest)
      most.shift()
    }
  }

  #launch(job: ClaimedJob): void {
    const abort = new AbortController()
    // By claim and not by job: a job whose lease ran out may be claimed again while its first run still goes on.
    const claim = `${job.id} ${job.fence}`
    const end = this.#runToEnd(job, abort.signal)
      .catch((error: unknown) => this.#options.log.error({ err: error, job: job.id }, 'a job could not be ended'))
      .finally(() => {
        this.#running.delete(claim)
        this.#leaving.delete(job)
      })
    this.#running.set(claim, { job, abort, end })
  }

  async #runToEnd(job: ClaimedJob, signal: AbortSignal): Promise<void> {
    const { db, clock, newId, log, handlers, leaseSeconds, turnMs } = this.#options
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
      write: async (work, what) => {
        const renewal: Parameters<typeof renewLease>[3] =
          what === 'made progress' ? { leaseSeconds, attempts: 1 } : { leaseSeconds }
        const result = await db.transaction(async (tx) => {
          if (!(await renewLease(tx, clock, job, renewal))) throw new LeaseLostError('another worker has this job now')
          return work(tx)
        })
        // Not before it is stored: progress that fails each time would otherwise be tried for ever.
        job.attempt = renewal.attempts ?? job.attempt
        return result
      },
      shouldYield: () => {
        if (this.#isCrowded && elapsedMs(clock) - startedAt > turnMs) this.#leaving.add(job)
        return this.#leaving.has(job)
      },
    }
    try {
      // A worker that was killed in each attempt never got here to count: give up before doing it once more.
      if (job.attempt > ATTEMPTS_MAX) throw new Error('every attempt ended with its worker')
      if (!handler)
        throw new Error(`no handler for jobs of the kind ${job.kind}; is this program older than the database?`)
      const end = await handler.run(run)
      if (signal.aborted || end === 'again') await this.#release(job)
      else await db.transaction((tx) => deleteJob(tx, job))
    } catch (error) {
      if (error instanceof LeaseLostError) return
      if (signal.aborted) return this.#release(job)
      log.warn({ err: error, job: job.id, kind: job.kind, attempt: job.attempt }, 'a job failed')
      await this.#returnFailed(job, handler, run, error)
    }
  }

  async #returnFailed(job: ClaimedJob, handler: JobHandler | undefined, run: JobRun, error: unknown): Promise<void> {
    const { db, clock } = this.#options
    const reason = error instanceof Error ? error.message : String(error)
    const isLast = job.attempt >= ATTEMPTS_MAX
    const pauseSeconds = Math.min(2 ** job.attempt, PAUSE_SECONDS_MAX)
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

  /** Interrupted by the end of the process and not by its own fault: the attempt does not count. */
  async #release(job: ClaimedJob): Promise<void> {
    const { db, clock } = this.#options
    await db.transaction((tx) =>
      returnJob(tx, clock, job, { state: 'queued', pauseSeconds: 0, error: null, attempts: job.attempt - 1 }),
    )
  }

  async #renewAll(): Promise<void> {
    const { db, clock, log, leaseSeconds } = this.#options
    for (const { job, abort } of this.#running.values()) {
      try {
        const isOurs = await db.transaction((tx) => renewLease(tx, clock, job, { leaseSeconds }))
        if (!isOurs) abort.abort()
      } catch (error) {
        // The lease outlives two missed renewals; the next one may get through.
        log.warn({ err: error, job: job.id }, 'a lease could not be renewed')
      }
    }
  }
}
