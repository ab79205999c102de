/** Links that were created because a span named a dataset or a run. Links that a user or a request created are excluded. */
import type { Queries } from '../storage/db.ts'
import { inList, readBy } from '../storage/dialect.ts'
import { deleteScoped, updateScoped } from '../storage/query-building.ts'

type OfDataset = { workspaceId: string; datasetId: string }
type OfRun = { workspaceId: string; runId: string }

/** The items that were created from these traces. */
export async function listAutomaticItems(q: Queries, workspaceId: string, traceIds: readonly string[]) {
  return q
    .selectFrom(readBy(q, { table: 'dataset_items', alias: 'i', index: 'dataset_items_of_trace' }))
    .innerJoin('datasets as d', (join) =>
      join.onRef('d.workspace_id', '=', 'i.workspace_id').onRef('d.id', '=', 'i.dataset_id'),
    )
    .select(['i.id', 'i.trace_ref as traceId', 'd.id as datasetId', 'd.component_id as componentId'])
    .where('i.workspace_id', '=', workspaceId)
    .where(inList(q, 'i.trace_ref', traceIds))
    .where('i.from_spans', '=', 1)
    .execute()
}

/** The runs that these traces were linked to, except where a user has annotated the trace. */
export async function listAutomaticRuns(q: Queries, workspaceId: string, traceIds: readonly string[]) {
  return q
    .selectFrom(readBy(q, { table: 'run_traces', alias: 'l', index: 'run_traces_of_trace' }))
    .innerJoin('runs as r', (join) =>
      join.onRef('r.workspace_id', '=', 'l.workspace_id').onRef('r.id', '=', 'l.run_id'),
    )
    .select(['l.trace_ref as traceId', 'r.id as runId', 'r.dataset_id as datasetId', 'r.component_id as componentId'])
    .where('l.workspace_id', '=', workspaceId)
    .where(inList(q, 'l.trace_ref', traceIds))
    .where('l.from_spans', '=', 1)
    .where(({ not, exists, selectFrom }) =>
      not(
        exists(
          selectFrom('annotations as a')
            .select('a.id')
            .whereRef('a.workspace_id', '=', 'l.workspace_id')
            .whereRef('a.run_id', '=', 'l.run_id')
            .whereRef('a.trace_ref', '=', 'l.trace_ref'),
        ),
      ),
    )
    .execute()
}

/** Returns how many were deleted. */
export async function deleteAutomaticItems(
  tx: Queries,
  { workspaceId, datasetId }: OfDataset,
  ids: readonly string[],
): Promise<number> {
  const { numDeletedRows } = await deleteScoped(tx, 'dataset_items', {
    workspace_id: workspaceId,
    dataset_id: datasetId,
  })
    .where('id', 'in', ids)
    .where('from_spans', '=', 1)
    .executeTakeFirst()
  return Number(numDeletedRows)
}

/** Returns how many were deleted. */
export async function deleteAutomaticRunTraces(
  tx: Queries,
  { workspaceId, runId }: OfRun,
  traceIds: readonly string[],
): Promise<number> {
  const { numDeletedRows } = await deleteScoped(tx, 'run_traces', { workspace_id: workspaceId, run_id: runId })
    .where('trace_ref', 'in', traceIds)
    .where('from_spans', '=', 1)
    .executeTakeFirst()
  return Number(numDeletedRows)
}

/** A span that arrived later may name another item of the same run. */
export async function updateAutomaticItemId(
  tx: Queries,
  { workspaceId, runId }: OfRun,
  { traceRef, itemId }: { traceRef: string; itemId: string | null },
): Promise<void> {
  await updateScoped(tx, 'run_traces', { workspace_id: workspaceId, run_id: runId, trace_ref: traceRef, from_spans: 1 })
    .set({ item_id: itemId })
    .execute()
}
