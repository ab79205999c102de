/** Leases reserve a trace for a rater, so that the queue does not assign the slot to another rater. */
import type { Clock } from '../../base/clock.ts'
import type { Queries } from '../../storage/db.ts'
import { dbNow } from '../../storage/dialect.ts'
import type { RunScope } from '../annotation-policy-queries.ts'

const LEASE_SECONDS = 600

export type Rater = RunScope & { userId: string }
export type Lease = { traceRef: string; leaseUntil: string }

/** The active lease of the rater; there is at most one per run. */
export async function findLease(
  q: Queries,
  clock: Clock,
  rater: Rater,
  { secondsLeft }: { secondsLeft: number } = { secondsLeft: 0 },
): Promise<Lease | undefined> {
  return leasesOf(q, rater)
    .select(['trace_ref as traceRef', 'lease_until as leaseUntil'])
    .where('lease_until', '>', dbNow(q, clock, secondsLeft))
    .orderBy('lease_until', 'desc')
    .executeTakeFirst()
}

/** A lease with more time left than this is returned without renewal. */
export const RENEW_BELOW_SECONDS = LEASE_SECONDS / 2

export async function saveLease(tx: Queries, clock: Clock, rater: Rater, traceRef: string): Promise<string> {
  const lease_until = dbNow(tx, clock, LEASE_SECONDS)
  const { leaseUntil } = await tx
    .insertInto('annotation_leases')
    .values({
      workspace_id: rater.workspaceId,
      run_id: rater.runId,
      trace_ref: traceRef,
      user_id: rater.userId,
      lease_until,
    })
    .onConflict((own) => own.columns(['workspace_id', 'run_id', 'trace_ref', 'user_id']).doUpdateSet({ lease_until }))
    .returning('lease_until as leaseUntil')
    .executeTakeFirstOrThrow()
  return leaseUntil
}

/** The number of other raters with an active lease on the trace. */
export async function countOtherLeases(q: Queries, clock: Clock, rater: Rater, traceRef: string): Promise<number> {
  const { count } = await q
    .selectFrom('annotation_leases')
    .select(({ fn }) => fn.countAll<number>().as('count'))
    .where('workspace_id', '=', rater.workspaceId)
    .where('run_id', '=', rater.runId)
    .where('trace_ref', '=', traceRef)
    .where('user_id', '<>', rater.userId)
    .where('lease_until', '>', dbNow(q, clock, 0))
    .executeTakeFirstOrThrow()
  return count
}

/** Deletes the leases of the rater and all expired leases of the run. */
export async function releaseLeases(tx: Queries, clock: Clock, { workspaceId, runId, userId }: Rater): Promise<void> {
  await tx
    .deleteFrom('annotation_leases')
    .where('workspace_id', '=', workspaceId)
    .where('run_id', '=', runId)
    .where(({ or, eb }) => or([eb('user_id', '=', userId), eb('lease_until', '<=', dbNow(tx, clock, 0))]))
    .execute()
}

export async function deleteLease(tx: Queries, rater: Rater, traceRef: string): Promise<void> {
  await tx
    .deleteFrom('annotation_leases')
    .where('workspace_id', '=', rater.workspaceId)
    .where('run_id', '=', rater.runId)
    .where('trace_ref', '=', traceRef)
    .where('user_id', '=', rater.userId)
    .execute()
}

export async function deleteLeases(tx: Queries, { workspaceId, runId }: RunScope): Promise<void> {
  await tx.deleteFrom('annotation_leases').where('workspace_id', '=', workspaceId).where('run_id', '=', runId).execute()
}

function leasesOf(q: Queries, { workspaceId, runId, userId }: Rater) {
  return q
    .selectFrom('annotation_leases')
    .where('workspace_id', '=', workspaceId)
    .where('run_id', '=', runId)
    .where('user_id', '=', userId)
}
