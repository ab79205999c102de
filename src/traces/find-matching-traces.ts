import { badRequest } from '../base/errors.ts'
import type { Context } from '../http/route.ts'
import { readTraceFilter } from './trace-filter.ts'
import { newestTraces, planSearch, walkOf } from './trace-list-queries.ts'

const LIMIT_DEFAULT = 100

/** The senders' ids of the newest traces that match a query, to be added to something. Throws 400 for a query without a condition. */
export async function findMatchingTraces(
  { db, clock, signal }: Pick<Context, 'db' | 'clock' | 'signal'>,
  workspaceId: string,
  { q: query, limit = LIMIT_DEFAULT }: { q: string; limit?: number | undefined },
): Promise<string[]> {
  const filter = readTraceFilter({ q: query }, clock.now())
  if (!filter.condition) throw badRequest('The field q must have a condition')
  const q = db.search({ application: workspaceId, signal, from: 'request' })
  const plan = { ...(await planSearch(q, workspaceId, filter)), walk: await walkOf(q, workspaceId, filter) }
  const traces = await newestTraces(q, workspaceId, filter, plan).select('t.trace_id as traceId').limit(limit).execute()
  return traces.map(({ traceId }) => traceId)
}
