/** Every statement on the table of jobs that is not about a workspace: a worker serves all of them. */
import type { Clock } from '../base/clock.ts'
import type { Queries } from '../storage/db.ts'
import { leaseTime, skippingLocked } from '../storage/dialect.ts'

export type ClaimedJob = {
  workspaceId: string
  id: string
  kind: string
  payload: string
  /** Counts from 1. */
  attempt: number
  fence: number
}

export async function hasDueJobOfAnyWorkspace(q: Queries, clock: Clock): Promise<boolean> {
  return (await dueJobs(q, clock, 1).executeTakeFirst()) !== undefined
}

/**
 * Takes up to `limit` jobs that are due, or whose worker has stopped renewing its lease. One statement, so two workers never
 * get the same job. The attempt is counted before the job runs: one that kills the process must still use up its retries.
 */
export async function claimJobsOfAnyWorkspace(
  tx: Queries,
  clock: Clock,
  { owner, limit, leaseSeconds }: { owner: string; limit: number; leaseSeconds: number },
): Promise<ClaimedJob[]> {
  const due = dueJobs(tx, clock, limit).modifyEnd(skippingLocked(tx))
  return (
    tx
      // Named, so that it is run once: inside IN a planner may run it once per row, and claim more than the limit.
      .with('due', () => due)
      .updateTable('jobs')
      .set(({ eb }) => ({
        state: 'running' as const,
        lease_owner: owner,
        lease_until: leaseTime(tx, clock, leaseSeconds),
        fence: eb('fence', '+', 1),
        attempts: eb('attempts', '+', 1),
      }))
      .where('id', 'in', (q) => q.selectFrom('due').select('due.id'))
      .returning(['workspace_id as workspaceId', 'id', 'kind', 'payload', 'attempts as attempt', 'fence'])
      .execute()
  )
}

/** False if another worker has taken the job over: then nothing may be written for it any more. */
export async function renewLease(
  tx: Queries,
  clock: Clock,
  job: ClaimedJob,
  { leaseSeconds, attempts }: { leaseSeconds: number; attempts?: number },
): Promise<boolean> {
  const { numUpdatedRows } = await tx
    .updateTable('jobs')
    .set({ lease_until: leaseTime(tx, clock, leaseSeconds), ...(attempts === undefined ? {} : { attempts }) })
    .where('workspace_id', '=', job.workspaceId)
    .where('id', '=', job.id)
    .where('fence', '=', job.fence)
    .where('state', '=', 'running')
    .executeTakeFirst()
  return numUpdatedRows > 0n
}

export async function deleteJob(tx: Queries, job: ClaimedJob): Promise<boolean> {
  const { numDeletedRows } = await tx
    .deleteFrom('jobs')
    .where('workspace_id', '=', job.workspaceId)
    .where('id', '=', job.id)
    .where('fence', '=', job.fence)
    .executeTakeFirst()
  return numDeletedRows > 0n
}

/** Gives a job back: to be run again after a pause, or for good. An error is data here. */
export async function returnJob(
  tx: Queries,
  clock: Clock,
  job: ClaimedJob,
  outcome: { state: 'queued' | 'failed'; pauseSeconds: number; error: string | null; attempts: number },
): Promise<boolean> {
  const { numUpdatedRows } = await tx
    .updateTable('jobs')
    .set({
      state: outcome.state,
      run_at: leaseTime(tx, clock, outcome.pauseSeconds),
      lease_owner: null,
      lease_until: null,
      last_error: outcome.error,
      attempts: outcome.attempts,
    })
    .where('workspace_id', '=', job.workspaceId)
    .where('id', '=', job.id)
    .where('fence', '=', job.fence)
    .executeTakeFirst()
  return numUpdatedRows > 0n
}

/** Makes every job that is being run due at once. Only for whoever knows that nobody can be running any. */
export async function endLeasesOfAnyWorkspace(tx: Queries, clock: Clock): Promise<void> {
  await tx
    .updateTable('jobs')
    .set({ lease_until: leaseTime(tx, clock, -1) })
    .where('state', '=', 'running')
    .execute()
}

function dueJobs(q: Queries, clock: Clock, limit: number) {
  const now = leaseTime(q, clock, 0)
  return q
    .selectFrom('jobs')
    .select('id')
    .where(({ eb, and, or }) =>
      or([
        and([eb('state', '=', 'queued'), eb('run_at', '<=', now)]),
        and([eb('state', '=', 'running'), eb('lease_until', '<', now)]),
      ]),
    )
    .orderBy('run_at')
    .limit(limit)
}
