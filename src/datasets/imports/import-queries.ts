import type { Page } from '../../base/page.ts'
import type { Queries } from '../../storage/db.ts'
import { inList, lockForUpdate } from '../../storage/dialect.ts'
import { listPage } from '../../storage/list-page.ts'
import { selectScoped, updateScoped } from '../../storage/query-building.ts'
import { activeDatasets } from '../dataset-queries.ts'
import type { DatasetScope } from '../items/item-queries.ts'
import type { FileFormat } from './file-table.ts'

type OfDataset = { workspaceId: string; datasetId: string }
type OfImport = OfDataset & { importId: string }

export type NewImport = OfImport & {
  userId: string
  fileName: string | null
  format: FileFormat
  rowCount: number
  importedCount: number
  badCount: number
  duplicateCount: number
  createdAt: string
}

export async function insertImport(tx: Queries, imported: NewImport): Promise<void> {
  await tx
    .insertInto('dataset_imports')
    .values({
      workspace_id: imported.workspaceId,
      dataset_id: imported.datasetId,
      id: imported.importId,
      user_id: imported.userId,
      file_name: imported.fileName,
      format: imported.format,
      row_count: imported.rowCount,
      imported_count: imported.importedCount,
      bad_count: imported.badCount,
      duplicate_count: imported.duplicateCount,
      created_at: imported.createdAt,
      undone_at: null,
      undone_by: null,
      removed_count: null,
      kept_count: null,
    })
    .execute()
}

function importsOf(q: Queries, { workspaceId, componentId, datasetId }: DatasetScope) {
  return activeDatasets(q)
    .innerJoin('dataset_imports as m', (join) =>
      join.onRef('m.workspace_id', '=', 'd.workspace_id').onRef('m.dataset_id', '=', 'd.id'),
    )
    .select([
      'm.id',
      'm.dataset_id as datasetId',
      'm.file_name as fileName',
      'm.format',
      'm.row_count as rows',
      'm.imported_count as imported',
      'm.bad_count as bad',
      'm.duplicate_count as duplicates',
      'm.user_id as createdBy',
      'm.created_at as createdAt',
      'm.undone_at as undoneAt',
      'm.undone_by as undoneBy',
      'm.removed_count as removed',
      'm.kept_count as kept',
    ])
    .where('d.workspace_id', '=', workspaceId)
    .where('d.component_id', '=', componentId)
    .where('d.id', '=', datasetId)
}

/** Newest first. */
export async function listImports(q: Queries, { limit, offset, ...scope }: DatasetScope & Page) {
  return listPage(q, importsOf(q, scope).orderBy('m.id', 'desc'), { limit, offset })
}

export async function findImport(q: Queries, { importId, ...scope }: DatasetScope & { importId: string }) {
  return importsOf(q, scope).where('m.id', '=', importId).executeTakeFirst()
}

/** Locks the import, so that it is undone only once. */
export async function lockImport(tx: Queries, { workspaceId, datasetId, importId }: OfImport) {
  const query = selectScoped(tx, 'dataset_imports', {
    workspace_id: workspaceId,
    dataset_id: datasetId,
    id: importId,
  }).select(['id', 'undone_at as undoneAt'])
  return lockForUpdate(tx, query).executeTakeFirst()
}

export async function markImportUndone(
  tx: Queries,
  { workspaceId, datasetId, importId }: OfImport,
  undone: { at: string; by: string; removed: number; kept: number },
): Promise<void> {
  await updateScoped(tx, 'dataset_imports', { workspace_id: workspaceId, dataset_id: datasetId, id: importId })
    .set({ undone_at: undone.at, undone_by: undone.by, removed_count: undone.removed, kept_count: undone.kept })
    .execute()
}

/** The items of an import that are still there, after `after`, by id. */
export async function listImportedItems(
  q: Queries,
  { workspaceId, datasetId, importId, after, limit }: OfImport & { after: string; limit: number },
) {
  return selectScoped(q, 'dataset_items', { workspace_id: workspaceId, dataset_id: datasetId, import_id: importId })
    .select(['id', 'trace_ref as traceRef', 'changed_at as changedAt'])
    .where('id', '>', after)
    .orderBy('id')
    .limit(limit)
    .execute()
}

export async function findItemIdsByTrace(q: Queries, { workspaceId, datasetId }: OfDataset, refs: readonly string[]) {
  const rows = await selectScoped(q, 'dataset_items', { workspace_id: workspaceId, dataset_id: datasetId })
    .select(['id', 'trace_ref as traceRef'])
    .where(inList(q, 'trace_ref', refs))
    .execute()
  return new Map(rows.map(({ id, traceRef }) => [traceRef ?? '', id]))
}

/** The runs of a dataset. */
export async function listRunIds(q: Queries, { workspaceId, datasetId }: OfDataset): Promise<string[]> {
  const rows = await selectScoped(q, 'runs', { workspace_id: workspaceId, dataset_id: datasetId, deleted_at: null })
    .select('id')
    .orderBy('id')
    .execute()
  return rows.map(({ id }) => id)
}

/** The links of a run, after `after`, by trace. */
export async function listRunLinks(
  q: Queries,
  { workspaceId, runId, after, limit }: { workspaceId: string; runId: string; after: string; limit: number },
) {
  return selectScoped(q, 'run_traces', { workspace_id: workspaceId, run_id: runId })
    .select(['trace_ref as traceRef', 'item_id as itemId'])
    .where('trace_ref', '>', after)
    .orderBy('trace_ref')
    .limit(limit)
    .execute()
}

/** The evaluations of a dataset that were created after `after`. */
export async function listEvaluationIds(
  q: Queries,
  { workspaceId, datasetId, after }: OfDataset & { after: string },
): Promise<string[]> {
  const rows = await selectScoped(q, 'evaluations', {
    workspace_id: workspaceId,
    dataset_id: datasetId,
    deleted_at: null,
  })
    .select('id')
    .where('id', '>', after)
    .orderBy('id')
    .execute()
  return rows.map(({ id }) => id)
}

/** The items of the cases of an evaluation. */
export async function listScoredItemIds(
  q: Queries,
  { workspaceId, evaluationId }: { workspaceId: string; evaluationId: string },
): Promise<string[]> {
  const rows = await selectScoped(q, 'evaluation_scores', { workspace_id: workspaceId, evaluation_id: evaluationId })
    .select('item_id')
    .distinct()
    .where('item_id', 'is not', null)
    .execute()
  return rows.flatMap(({ item_id }) => item_id ?? [])
}
