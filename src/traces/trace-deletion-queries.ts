import type { Queries } from '../storage/db.ts'
import { inList } from '../storage/dialect.ts'
import { deleteScoped, selectScoped, updateScoped } from '../storage/query-building.ts'
import { CONTENT_COLUMNS } from './storing/build-span-row.ts'
import { bytesOf } from './trace-queries.ts'

type OfTraces = { workspaceId: string; traceIds: readonly string[] }

/** The sender ids of those of the traces that are not marked. */
export async function listSenderIds(q: Queries, workspaceId: string, traceIds: readonly string[]): Promise<string[]> {
  const rows = await selectScoped(q, 'traces', { workspace_id: workspaceId })
    .select('trace_id as traceId')
    .where('id', 'in', traceIds)
    .where('deleted_at', 'is', null)
    .execute()
  return rows.map(({ traceId }) => traceId)
}

export async function updateDeletedAt(
  tx: Queries,
  { workspaceId, traceIds, deletedAt }: OfTraces & { deletedAt: string },
): Promise<void> {
  await updateScoped(tx, 'traces', { workspace_id: workspaceId })
    .set({ deleted_at: deletedAt })
    .where('id', 'in', traceIds)
    .execute()
}

/** Those of the traces that are marked, with what their facets are derived from. */
export async function listMarkedTraces(q: Queries, workspaceId: string, traceIds: readonly string[]) {
  if (traceIds.length === 0) return []
  return selectScoped(q, 'traces', { workspace_id: workspaceId })
    .select([
      'id',
      'service',
      'environment',
      'session_id as sessionId',
      'user_id as userId',
      'tags',
      'component_id as componentId',
      'links',
      'source',
      'prompts',
    ])
    .where('id', 'in', traceIds)
    .where('deleted_at', 'is not', null)
    .execute()
}

/** Returns the number of deleted traces. Their spans must have been deleted. */
export async function deleteMarkedTraces(tx: Queries, workspaceId: string, traceIds: readonly string[]) {
  const { numDeletedRows } = await deleteScoped(tx, 'traces', { workspace_id: workspaceId })
    .where('id', 'in', traceIds)
    .executeTakeFirst()
  return Number(numDeletedRows)
}

/** Some spans of these traces, with what their facets are derived from and the size of their content in bytes. */
export async function listSpansToDelete(q: Queries, { workspaceId, traceIds, limit }: OfTraces & { limit: number }) {
  return selectScoped(q, 'spans', { workspace_id: workspaceId })
    .select(['trace_id as traceDbId', 'span_id as spanId', 'kind', 'name', 'model', 'provider'])
    .select(bytesOf(...CONTENT_COLUMNS).as('contentBytes'))
    .where('trace_id', 'in', traceIds)
    .limit(limit)
    .execute()
}

export async function deleteSpans(
  tx: Queries,
  { workspaceId, traceDbId, spanIds }: { workspaceId: string; traceDbId: string; spanIds: readonly string[] },
): Promise<void> {
  await deleteScoped(tx, 'spans', { workspace_id: workspaceId, trace_id: traceDbId })
    .where(inList(tx, 'span_id', spanIds))
    .execute()
}
