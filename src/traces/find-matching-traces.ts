import { badRequest } from '../base/errors.ts'
import type { Context } from '../http/route.ts'
import { plainFilter } from './query/plain-filter.ts'
import { requireCompleteSearch } from './require-complete-search.ts'
import { tracesByStart } from './start-order-queries.ts'
import { readTraceFilter } from './trace-filter.ts'
import { planSearch } from './trace-list-queries.ts'

const LIMIT_DEFAULT = 100

/**
 * The senders' ids of the latest traces that match a query, to be added to something. Throws 400 for a query without a condition, and 409
 * if the search ends before it has found enough of them.
 */
export async function findMatchingTraces(
  { db, clock, signal }: Pick<Context, 'db' | 'clock' | 'signal'>,
  workspaceId: string,
  { q: query, limit = LIMIT_DEFAULT }: { q: string; limit?: number | undefined },
): Promise<string[]> {
  const filter = readTraceFilter({ q: query }, clock.now())
  if (!filter.condition) throw badRequest('The field q must have a condition')
  const q = db.search({ application: workspaceId, signal, from: 'request' })
  const search = await planSearch(q, workspaceId, filter)
  const latest = await tracesByStart(q, workspaceId, plainFilter(search.filter), search.plan)
  const traces = await latest.select('t.trace_id as traceId').limit(limit).execute()
  if (traces.length < limit) requireCompleteSearch(search, 'nothing was added')
  return traces.map(({ traceId }) => traceId)
}
