import { sql } from 'kysely'
import type { Queries } from '../../storage/db.ts'
import { selectScoped, updateScoped } from '../../storage/query-building.ts'
import { bytesOf } from '../../traces/trace-queries.ts'
import { activeDatasets } from '../dataset-queries.ts'

type NamedDataset = { workspaceId: string; datasetId: string }

/** The path of the field that groups the items of a dataset; undefined if it names none or does not exist. */
export async function findGroupBy(
  q: Queries,
  { workspaceId, datasetId, componentId }: NamedDataset & { componentId?: string },
): Promise<{ groupBy: string | null } | undefined> {
  const found = activeDatasets(q)
    .select('d.group_by as groupBy')
    .where('d.workspace_id', '=', workspaceId)
    .where('d.id', '=', datasetId)
  return (componentId === undefined ? found : found.where('d.component_id', '=', componentId)).executeTakeFirst()
}

/** False if the dataset does not exist. */
export async function updateGroupBy(
  tx: Queries,
  { workspaceId, componentId, datasetId }: NamedDataset & { componentId: string },
  groupBy: string | null,
): Promise<boolean> {
  const { numUpdatedRows } = await updateScoped(tx, 'datasets', {
    workspace_id: workspaceId,
    component_id: componentId,
    id: datasetId,
    deleted_at: null,
  })
    .set({ group_by: groupBy })
    .executeTakeFirst()
  return numUpdatedRows > 0n
}

/** The sizes of the metadata of items after `after`, in bytes, by id. */
export async function listMetadataSizes(
  q: Queries,
  { workspaceId, datasetId, after, limit }: NamedDataset & { after: string; limit: number },
) {
  return q
    .selectFrom('dataset_items as i')
    .select(['i.id', bytesOf('i.metadata').as('bytes')])
    .where('i.workspace_id', '=', workspaceId)
    .where('i.dataset_id', '=', datasetId)
    .where('i.id', '>', after)
    .orderBy('i.id')
    .limit(limit)
    .execute()
}

/** The metadata of the items between two ids, both included. Unordered. */
export async function listMetadata(
  q: Queries,
  { workspaceId, datasetId, first, last }: NamedDataset & { first: string; last: string },
) {
  return selectScoped(q, 'dataset_items', { workspace_id: workspaceId, dataset_id: datasetId })
    .select(['id', 'metadata'])
    .where('id', '>=', first)
    .where('id', '<=', last)
    .execute()
}

/** The items that share their question with another one, with what is expected of them. */
export async function listRepeatedQuestions(
  q: Queries,
  { workspaceId, datasetId, after, limit }: NamedDataset & { after: string; limit: number },
) {
  const repeated = q
    .selectFrom('dataset_items')
    .select('input_hash')
    .where('workspace_id', '=', workspaceId)
    .where('dataset_id', '=', datasetId)
    .where('input_hash', 'is not', null)
    .groupBy('input_hash')
    .having(sql<boolean>`count(*) > 1`)
  return q
    .selectFrom('dataset_items')
    .select(['id', 'input_hash as inputHash', 'expected'])
    .where('workspace_id', '=', workspaceId)
    .where('dataset_id', '=', datasetId)
    .where('input_hash', 'in', repeated.$castTo<{ input_hash: string }>())
    .where('id', '>', after)
    .orderBy('id')
    .limit(limit)
    .execute()
}
