import type { Queries } from '../storage/db.ts'
import { inList } from '../storage/dialect.ts'
import { CONTENT_COLUMNS } from './storing/build-span-row.ts'
import { bytesOf } from './trace-queries.ts'

type OfTraces = { workspaceId: string; traceIds: readonly string[] }

/** The sender ids of those of the traces that are not marked. */
export async function listSenderIds(q: Queries, workspaceId: string, traceIds: readonly string[]): Promise<string[]> {
  const rows = await q
    .selectFrom('traces')
    .select('trace_id as traceId')
    .where('workspace_id', '=', workspaceId)
    .where('id', 'in', traceIds)
    .where('deleted_at', 'is', null)
    .execute()
  return rows.map(({ traceId }) => traceId)
}

export async function updateDeletedAt(
  tx: Queries,
  { workspaceId, traceIds, deletedAt }: OfTraces & { deletedAt: string },
): Promise<void> {
  await tx
    .updateTable('traces')
    .set({ deleted_at: deletedAt })
    .where('workspace_id', '=', workspaceId)
    .where('id', 'in', traceIds)
    .execute()
}

/** Those of the traces that are marked, with what their facets are derived from. */
export async function listMarkedTraces(q: Queries, workspaceId: string, traceIds: readonly string[]) {
  if (traceIds.length === 0) return []
  return q
    .selectFrom('traces')
    .select(['id', 'service', 'environment', 'session_id as sessionId', 'user_id as userId', 'tags'])
    .where('workspace_id', '=', workspaceId)
    .where('id', 'in', traceIds)
    .where('deleted_at', 'is not', null)
    .execute()
}

/** Returns the number of deleted traces. Their spans must have been deleted. */
export async function deleteMarkedTraces(tx: Queries, workspaceId: string, traceIds: readonly string[]) {
  const { numDeletedRows } = await tx
    .deleteFrom('traces')
    .where('workspace_id', '=', workspaceId)
    .where('id', 'in', traceIds)
    .executeTakeFirst()
  return Number(numDeletedRows)
}

/** Some spans of these traces, with what their facets are derived from and the size of their content in bytes. */
export async function listSpansToDelete(q: Queries, { workspaceId, traceIds, limit }: OfTraces & { limit: number }) {
  return q
    .selectFrom('spans')
    .select(['trace_id as traceDbId', 'span_id as spanId', 'kind', 'name', 'model', 'provider'])
    .select(bytesOf(...CONTENT_COLUMNS).as('contentBytes'))
    .where('workspace_id', '=', workspaceId)
    .where('trace_id', 'in', traceIds)
    .limit(limit)
    .execute()
}

export async function deleteSpans(
  tx: Queries,
  { workspaceId, traceDbId, spanIds }: { workspaceId: string; traceDbId: string; spanIds: readonly string[] },
): Promise<void> {
  await tx
    .deleteFrom('spans')
    .where('workspace_id', '=', workspaceId)
    .where('trace_id', '=', traceDbId)
    .where(inList(tx, 'span_id', spanIds))
    .execute()
}
