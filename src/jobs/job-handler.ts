import type { Clock } from '../base/clock.ts'
import type { NewId } from '../base/ids.ts'
import type { Db, Queries } from '../storage/db.ts'

export type JobRun = {
  workspaceId: string
  payload: Record<string, string>
  db: Db
  clock: Clock
  newId: NewId
  /** Aborted when the process shuts down or the lease is lost: stop at the next checkpoint. */
  signal: AbortSignal
  /**
   * Runs every write of a handler in a transaction that fails if another worker has claimed the job. With `resetAttempts`, the job gets all
   * of its attempts again after progress: long jobs may see more process restarts than short ones.
   */
  commit<Result>(work: (tx: Queries) => Promise<Result>, options?: { resetAttempts: boolean }): Promise<Result>
  /** True when the job has used its time slice and others are queued; return `requeue` at the next checkpoint. */
  shouldYield(): boolean
}

/** The end of a run that waits for something outside of the program, such as a request. The job uses no slot until it is due. */
export type JobPause = {
  /** After this time the job is due, unless `wakeJob` makes it due earlier. The runner may run it earlier, too: it then pauses again. */
  pauseSeconds: number
  /**
   * Runs in the transaction that returns the job to the queue. Returns false if what the job waits for has happened in the meantime: the
   * job is then due immediately. It must lock what a caller of `wakeJob` locks, or a wake-up in between would be lost.
   */
  isStillWaiting(tx: Queries): Promise<boolean>
}

export type JobHandler = {
  kind: string
  /** Returns `requeue` if there is more to do after other jobs have had their turn, or a pause. */
  // biome-ignore lint/suspicious/noConfusingVoidType: a handler that is finished returns nothing
  run(job: JobRun): Promise<'requeue' | JobPause | undefined | void>
  /** Called after the last attempt, in the transaction that marks the job as failed. Use another job for more than a few rows. */
  onFailed(tx: Queries, job: Pick<JobRun, 'workspaceId' | 'payload' | 'clock' | 'newId'>, reason: string): Promise<void>
}
