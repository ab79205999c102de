import { chunksOf, yieldToEventLoop } from '../base/event-loop.ts'
import type { Queries } from '../storage/db.ts'
import { foldedName, foldText, lockForShare, lockForUpdate } from '../storage/dialect.ts'
import { pagedList } from '../storage/paged-list.ts'
import { prepared, selectScoped, updateScoped } from '../storage/query-building.ts'

const IDS_PER_STATEMENT = 500

const COLUMNS = [
  'd.id',
  'd.name',
  'd.description',
  'd.component_id as aiComponentId',
  'd.item_count as itemCount',
  'd.created_at as createdAt',
] as const

/** A dataset is active only while its component is: deleting a component marks only the row of the component. */
export function activeDatasets(q: Queries) {
  return q
    .selectFrom('datasets as d')
    .innerJoin('components as c', (join) =>
      join.onRef('c.workspace_id', '=', 'd.workspace_id').onRef('c.id', '=', 'd.component_id'),
    )
    .where('d.deleted_at', 'is', null)
    .where('c.deleted_at', 'is', null)
}

export const findDataset = prepared<{ workspaceId: string; componentId: string; datasetId: string }>()((q, value) =>
  activeDatasets(q)
    .select(COLUMNS)
    .where('d.workspace_id', '=', value('workspaceId'))
    .where('d.component_id', '=', value('componentId'))
    .where('d.id', '=', value('datasetId')),
)

export const listDatasets = pagedList<{ workspaceId: string; componentId: string }>()((q, value) =>
  activeDatasets(q)
    .select(COLUMNS)
    .where('d.workspace_id', '=', value('workspaceId'))
    .where('d.component_id', '=', value('componentId'))
    .orderBy('d.id', 'desc')
    .limit(value('limit'))
    .offset(value('offset')),
)

/** Whether a dataset exists. Locks it until the end of the transaction, for callers that add rows to it. */
export async function lockDataset(tx: Queries, named: NamedDataset): Promise<boolean> {
  return (await lockForShare(tx, activeDatasetRow(tx, named)).executeTakeFirst()) !== undefined
}

/**
 * As `lockDataset`, for callers that update the row itself. They must take this lock first: two transactions that upgrade a shared lock
 * would deadlock.
 */
export async function lockDatasetExclusive(
  tx: Queries,
  named: NamedDataset,
): Promise<{ lastCaseNumber: number } | undefined> {
  return lockForUpdate(tx, activeDatasetRow(tx, named)).executeTakeFirst()
}

/** When items were changed, and by whom; null if no user did it. */
export type ItemChange = { at: string; userId: string | null }

type NamedDataset = { workspaceId: string; componentId: string; datasetId: string }

function activeDatasetRow(tx: Queries, { workspaceId, componentId, datasetId }: NamedDataset) {
  return selectScoped(tx, 'datasets', {
    workspace_id: workspaceId,
    component_id: componentId,
    id: datasetId,
    deleted_at: null,
  }).select('last_case_number as lastCaseNumber')
}

export async function insertDataset(
  tx: Queries,
  dataset: {
    workspaceId: string
    id: string
    componentId: string
    name: string
    description: string | null
    itemCount: number
    createdAt: string
  },
): Promise<void> {
  await tx
    .insertInto('datasets')
    .values({
      workspace_id: dataset.workspaceId,
      id: dataset.id,
      component_id: dataset.componentId,
      name: dataset.name,
      description: dataset.description,
      item_count: dataset.itemCount,
      last_case_number: dataset.itemCount,
      created_at: dataset.createdAt,
      deleted_at: null,
    })
    .execute()
}

/** Adds to the item count; negative to subtract. Runs in the transaction that changes the items, which has locked the row. */
export async function changeItemCount(
  tx: Queries,
  {
    workspaceId,
    datasetId,
    by,
    change,
    lastCaseNumber,
  }: { workspaceId: string; datasetId: string; by: number; change?: ItemChange; lastCaseNumber?: number },
): Promise<void> {
  await updateScoped(tx, 'datasets', { workspace_id: workspaceId, id: datasetId })
    .set(({ eb }) => ({
      item_count: eb('item_count', '+', by),
      ...(change && { changed_at: change.at, changed_by: change.userId }),
      ...(lastCaseNumber !== undefined && { last_case_number: lastCaseNumber }),
    }))
    .execute()
}

/** Updates the given fields and keeps the others; false if the dataset does not exist. */
export async function updateDataset(
  tx: Queries,
  { workspaceId, componentId, datasetId }: { workspaceId: string; componentId: string; datasetId: string },
  change: { name?: string | undefined; description?: string | null | undefined },
): Promise<boolean> {
  const { numUpdatedRows } = await updateScoped(tx, 'datasets', {
    workspace_id: workspaceId,
    component_id: componentId,
    id: datasetId,
    deleted_at: null,
  })
    .set({ name: change.name, description: change.description })
    .executeTakeFirst()
  return numUpdatedRows > 0n
}

export async function markDatasetDeleted(
  tx: Queries,
  {
    workspaceId,
    componentId,
    datasetId,
    deletedAt,
  }: { workspaceId: string; componentId: string; datasetId: string; deletedAt: string },
): Promise<boolean> {
  const { numUpdatedRows } = await updateScoped(tx, 'datasets', {
    workspace_id: workspaceId,
    component_id: componentId,
    id: datasetId,
    deleted_at: null,
  })
    .set({ deleted_at: deletedAt })
    .executeTakeFirst()
  return numUpdatedRows > 0n
}

/** Finds a dataset by exact name, or else the oldest whose name differs only in case. */
export async function findDatasetIdByName(
  q: Queries,
  { workspaceId, componentId, name }: { workspaceId: string; componentId: string; name: string },
): Promise<string | undefined> {
  const found = await activeDatasets(q)
    .select(['d.id', 'd.name'])
    .where('d.workspace_id', '=', workspaceId)
    .where('d.component_id', '=', componentId)
    .where('d.id', 'in', (inner) =>
      inner
        .selectFrom('datasets as n')
        .select('n.id')
        .where('n.workspace_id', '=', workspaceId)
        .where('n.component_id', '=', componentId)
        .where(foldedName(q, 'n.name'), '=', foldText(name)),
    )
    .orderBy('d.id')
    .execute()
  return (found.find((dataset) => dataset.name === name) ?? found[0])?.id
}

/** Datasets by id, in any component of the workspace. */
export async function findDatasetsOfAnyComponent(
  q: Queries,
  workspaceId: string,
  ids: readonly string[],
): Promise<Map<string, { componentId: string }>> {
  const found = new Map<string, { componentId: string }>()
  for (const chunk of chunksOf(ids, IDS_PER_STATEMENT)) {
    const rows = await activeDatasets(q)
      .select(['d.id', 'd.component_id as componentId'])
      .where('d.workspace_id', '=', workspaceId)
      .where('d.id', 'in', chunk)
      .execute()
    for (const { id, componentId } of rows) found.set(id, { componentId })
    await yieldToEventLoop()
  }
  return found
}
