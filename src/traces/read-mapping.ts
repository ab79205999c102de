import { type Page, pageOf } from '../base/page.ts'
import type { Queries } from '../storage/db.ts'
import { ResourceScopeCache } from './resource-scope-cache.ts'
import { explainMapping } from './semconv/explain-mapping.ts'
import { storedSpan } from './storing/stored-span.ts'
import { listSpanIds, listSpans, type TraceRow } from './trace-queries.ts'

/**
 * How each attribute of a trace was mapped, by span in order of time. A page counts spans, not attributes: the attributes of a span
 * explain each other and stay together.
 */
export async function readMapping(q: Queries, workspaceId: string, trace: TraceRow, page: Page) {
  const inTrace = { workspaceId, traceDbId: trace.id }
  const { rows: ids, ...extent } = pageOf(await listSpanIds(q, inTrace), page)
  const rows = new Map((await listSpans(q, inTrace, ids)).map((row) => [row.spanId, row]))
  const resourceScopes = new ResourceScopeCache(q, workspaceId)
  await resourceScopes.load([...rows.values()])
  const entries = ids.flatMap((spanId) => {
    const row = rows.get(spanId)
    if (!row) return []
    return explainMapping(storedSpan(row, resourceScopes.get(row.resource_scope))).map((entry) => ({
      spanId,
      ...entry,
    }))
  })
  return { rows: entries, ...extent }
}
