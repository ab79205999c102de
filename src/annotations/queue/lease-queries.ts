/** Leases reserve a trace for a rater, so that the queue does not assign the slot to another rater. */
import { sql } from 'kysely'
import type { Clock } from '../../base/clock.ts'
import type { Queries } from '../../storage/db.ts'
import { dbNow, inList } from '../../storage/dialect.ts'
import { deleteScoped, selectScoped } from '../../storage/query-building.ts'
import type { RunScope } from '../rating-rule-queries.ts'

const LEASE_SECONDS = 600

export type Rater = RunScope & { userId: string }
export type Lease = { traceRef: string; leaseUntil: string }

/** The active leases of the rater in a run, in the order in which the queue assigned them. */
export async function listLeases(q: Queries, clock: Clock, rater: Rater): Promise<(Lease & { isExpiring: boolean })[]> {
  const rows = await leasesOf(q, rater)
    .select(['trace_ref as traceRef', 'lease_until as leaseUntil'])
    .select(
      sql<number>`case when lease_until <= ${dbNow(q, clock, RENEW_BELOW_SECONDS)} then 1 else 0 end`.as('isExpiring'),
    )
    .where('lease_until', '>', dbNow(q, clock, 0))
    .orderBy('lease_until')
    .orderBy('trace_ref')
    .execute()
  return rows.map(({ isExpiring, ...lease }) => ({ ...lease, isExpiring: isExpiring === 1 }))
}

export async function hasLease(q: Queries, clock: Clock, rater: Rater, traceRef: string): Promise<boolean> {
  const own = leasesOf(q, rater).select('trace_ref').where('trace_ref', '=', traceRef)
  return (await own.where('lease_until', '>', dbNow(q, clock, 0)).executeTakeFirst()) !== undefined
}

/** A lease with more time left than this is returned without renewal. */
const RENEW_BELOW_SECONDS = LEASE_SECONDS / 2

/** Creates or renews leases. Each expires a millisecond after the one before, which preserves their order. */
export async function saveLeases(
  tx: Queries,
  clock: Clock,
  rater: Rater,
  traceRefs: readonly string[],
): Promise<Lease[]> {
  const leases: Lease[] = []
  for (const [index, traceRef] of traceRefs.entries()) {
    const lease_until = dbNow(tx, clock, LEASE_SECONDS + index / 1_000)
    const { leaseUntil } = await tx
      .insertInto('annotation_leases')
      .values({
        workspace_id: rater.workspaceId,
        run_id: rater.runId,
        trace_ref: traceRef,
        user_id: rater.userId,
        lease_until,
      })
      // Not the expression itself: on a row that exists, Citus rejects the time of the database.
      .onConflict((own) =>
        own
          .columns(['workspace_id', 'run_id', 'trace_ref', 'user_id'])
          .doUpdateSet(({ ref }) => ({ lease_until: ref('excluded.lease_until') })),
      )
      .returning('lease_until as leaseUntil')
      .executeTakeFirstOrThrow()
    leases.push({ traceRef, leaseUntil })
  }
  return leases
}

/** The number of other raters with an active lease on the trace. */
export async function countOtherLeases(q: Queries, clock: Clock, rater: Rater, traceRef: string): Promise<number> {
  const { count } = await selectScoped(q, 'annotation_leases', {
    workspace_id: rater.workspaceId,
    run_id: rater.runId,
    trace_ref: traceRef,
  })
    .select(({ fn }) => fn.countAll<number>().as('count'))
    .where('user_id', '<>', rater.userId)
    .where('lease_until', '>', dbNow(q, clock, 0))
    .executeTakeFirstOrThrow()
  return count
}

export async function deleteExpiredLeases(tx: Queries, clock: Clock, { workspaceId, runId }: RunScope): Promise<void> {
  await deleteScoped(tx, 'annotation_leases', { workspace_id: workspaceId, run_id: runId })
    .where('lease_until', '<=', dbNow(tx, clock, 0))
    .execute()
}

/** Deletes leases of the rater. */
export async function releaseLeases(tx: Queries, rater: Rater, traceRefs: readonly string[]): Promise<void> {
  if (traceRefs.length === 0) return
  await deleteScoped(tx, 'annotation_leases', { workspace_id: rater.workspaceId, run_id: rater.runId })
    .where(inList(tx, 'trace_ref', traceRefs))
    .where('user_id', '=', rater.userId)
    .execute()
}

/** Deletes all leases of a run. */
export async function deleteLeases(tx: Queries, { workspaceId, runId }: RunScope): Promise<void> {
  await tx.deleteFrom('annotation_leases').where('workspace_id', '=', workspaceId).where('run_id', '=', runId).execute()
}

function leasesOf(q: Queries, { workspaceId, runId, userId }: Rater) {
  return selectScoped(q, 'annotation_leases', { workspace_id: workspaceId, run_id: runId, user_id: userId })
}
