import { recordAudit } from '../auth/audit/audit.ts'
import { timestamp } from '../base/clock.ts'
import { badRequest, conflict } from '../base/errors.ts'
import { chunksOf, yieldToEventLoop } from '../base/event-loop.ts'
import type { Principal } from '../base/principal.ts'
import type { Context } from '../http/route.ts'
import { enqueueJob } from '../jobs/enqueue.ts'
import { DELETING } from './delete-trace.ts'
import { markTracesDeleted } from './delete-traces.ts'
import { requireCompleteSearch } from './require-complete-search.ts'
import { readTraceFilter } from './trace-filter.ts'
import { newestTraces, planSearch, tracesReadMax, walkOf } from './trace-list-queries.ts'
import { findTraceIds } from './trace-queries.ts'
import { canonicalRefs } from './trace-ref-queries.ts'

/** The number of traces that one transaction hides: other writers wait for it. */
const TRACES_PER_TRANSACTION = 100

export type BulkDelete = { ids?: string[]; q?: string; expectedCount?: number }

export async function findTracesToDelete(
  context: Pick<Context, 'db' | 'clock' | 'signal'>,
  by: Principal,
  { ids, q, expectedCount }: BulkDelete,
): Promise<string[]> {
  if ((ids === undefined) === (q === undefined)) throw badRequest('The request body must have either ids or q')
  return ids ? findByRefs(context, by, ids) : findByQuery(context, by, q ?? '', expectedCount)
}

/**
 * Hides traces from all responses; a job deletes their rows. Traces are hidden in several transactions: if the request is interrupted, some
 * of them remain, and it can be repeated.
 */
export async function bulkDeleteTraces(context: Context, by: Principal, found: readonly string[]) {
  let deleted = 0
  for (const traceIds of chunksOf(found, TRACES_PER_TRANSACTION)) {
    // One event for all of them, with the first of the transactions.
    const detail = deleted === 0 ? `${found.length} traces` : undefined
    deleted += await hideTraces(context, by, { traceIds, detail })
    await yieldToEventLoop()
  }
  return { deleted }
}

async function findByRefs(
  { db }: Pick<Context, 'db'>,
  { workspaceId }: Principal,
  refs: readonly string[],
): Promise<string[]> {
  const traceIds = await canonicalRefs(db.read, workspaceId, refs)
  return [...new Set((await findTraceIds(db.read, workspaceId, traceIds)).values())]
}

/** The number that the caller has seen protects against a query that matches more than the caller thinks. */
async function findByQuery(
  { db, clock, signal }: Pick<Context, 'db' | 'clock' | 'signal'>,
  { workspaceId }: Principal,
  query: string,
  expectedCount: number | undefined,
): Promise<string[]> {
  if (expectedCount === undefined) throw badRequest('The field expectedCount is required together with q')
  const filter = readTraceFilter({ q: query }, clock.now())
  if (!filter.condition) throw badRequest('The field q must have a condition')
  const q = db.search({ application: workspaceId, signal, from: 'request' })
  const search = await planSearch(q, workspaceId, filter)
  requireCompleteSearch(search, 'nothing was deleted')
  const plan = { ...search.plan, walk: await walkOf(q, workspaceId, filter) }
  const countMax = tracesReadMax(plan)
  const traces = await newestTraces(q, workspaceId, filter, plan)
    .select('t.id')
    .limit(countMax + 1)
    .execute()
  if (traces.length > countMax) throw conflict(`The query matches more than ${countMax} traces; nothing was deleted`)
  if (traces.length !== expectedCount)
    throw conflict(`The query matches ${traces.length} traces, not ${expectedCount}; nothing was deleted`)
  return traces.map(({ id }) => id)
}

async function hideTraces(
  { db, ...context }: Context,
  by: Principal,
  { traceIds, detail }: { traceIds: readonly string[]; detail: string | undefined },
): Promise<number> {
  const { workspaceId } = by
  return db.transaction(async (tx) => {
    const deletedAt = timestamp(context.clock.now())
    const marked = await markTracesDeleted(tx, { workspaceId, traceIds, deletedAt })
    if (marked === 0) return 0
    const jobId = context.newId()
    const jobDeps = { clock: context.clock, newId: () => jobId }
    await enqueueJob(tx, jobDeps, { workspaceId, kind: DELETING, payload: { traceDbIds: JSON.stringify(traceIds) } })
    if (detail !== undefined)
      await recordAudit(tx, context, { by, workspaceId, action: 'traces.deleted', resourceId: jobId, detail })
    return marked
  })
}
