import type { Queries } from '../../storage/db.ts'
import { ResourceScopeCache } from '../resource-scope-cache.ts'
import { findResponseIds, listStoredCalls, updateCovered } from './span-tree-queries.ts'
import { count, type TraceState } from './trace-state.ts'
import { markRepeated, uncovered } from './usage-coverage.ts'

type InTrace = { workspaceId: string; traceDbId: string }

/** The spans that were just stored or newly marked as covered. Only the calls that they report can change. */
type Touched = { responseIds: ReadonlySet<string>; coveredSpanIds: readonly string[] }

/**
 * Decides again which of several reports of a call is counted, among all stored reports, and corrects the state of the trace. Called only
 * for traces with calls from several instrumentations.
 */
export async function countCallsOnce(
  tx: Queries,
  inTrace: InTrace,
  { state, touched }: { state: TraceState; touched: Touched },
): Promise<void> {
  const ids = new Set(touched.responseIds)
  for (const id of await findResponseIds(tx, inTrace, touched.coveredSpanIds)) ids.add(id)
  const rows = await listStoredCalls(tx, inTrace, [...ids])
  const resourceScopes = new ResourceScopeCache(tx, inTrace.workspaceId)
  await resourceScopes.load(rows)
  const marked = markRepeated(
    rows.map((row) => ({
      ...row,
      scope: resourceScopes.get(row.resource_scope).scopeName,
      startNs: BigInt(row.startNs),
      endNs: row.endNs === null ? null : BigInt(row.endNs),
    })),
  )
  const changed = marked.filter(({ covered }, place) => covered !== rows[place]?.covered)
  const before = new Map(rows.map((row) => [row.spanId, row.covered]))
  for (const span of changed) {
    count(state, uncovered(span, before.get(span.spanId) ?? 0), -1)
    count(state, uncovered(span, span.covered), 1)
  }
  await updateCovered(tx, inTrace, changed)
}
