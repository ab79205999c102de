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
  /** Every write of a handler happens in here: it fails if another worker has taken the job over. */
  write<Result>(work: (tx: Queries) => Promise<Result>): Promise<Result>
}

export type JobHandler = {
  kind: string
  run(job: JobRun): Promise<void>
  /** After the last attempt, in the transaction that marks the job as failed. */
  giveUp(tx: Queries, job: Pick<JobRun, 'workspaceId' | 'payload' | 'clock'>, reason: string): Promise<void>
}
