import type { Clock } from '../base/clock.ts'
import type { NewId } from '../base/ids.ts'
import type { Db, Queries } from '../storage/db.ts'

export type JobRun = {
  workspaceId: string
  payload: Record<string, string>
  db: Db
  clock: Clock
  newId: NewId
  /** Aborted when the process is asked to end or the lease is lost: stop at the next safe point. */
  signal: AbortSignal
  /**
   * Every write of a handler happens in here: it fails if another worker has taken the job over. A job that makes progress has all of
   * its attempts again: long work may meet more ends of processes than short work.
   */
  write<Result>(work: (tx: Queries) => Promise<Result>, what?: 'made progress'): Promise<Result>
  /** Others wait for their turn, and this one has had its own: stop at the next safe point and answer `again`. */
  shouldYield(): boolean
}

export type JobHandler = {
  kind: string
  /** Answers `again` if there is more to do, after others have had their turn. */
  run(job: JobRun): Promise<unknown>
  /** After the last attempt, in the transaction that marks the job as failed: what is more than a few rows is left to another job. */
  onFailed(tx: Queries, job: Pick<JobRun, 'workspaceId' | 'payload' | 'clock' | 'newId'>, reason: string): Promise<void>
}
