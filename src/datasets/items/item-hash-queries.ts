import type { Queries } from '../../storage/db.ts'
import { inList } from '../../storage/dialect.ts'
import { selectScoped, updateScoped } from '../../storage/query-building.ts'
import { bytesOf } from '../../traces/trace-queries.ts'
import { activeDatasets } from '../dataset-queries.ts'

type OfDataset = { workspaceId: string; datasetId: string }

export async function listDatasetIds(q: Queries, workspaceId: string): Promise<string[]> {
  const rows = await activeDatasets(q)
    .select('d.id')
    .where('d.workspace_id', '=', workspaceId)
    .orderBy('d.id')
    .execute()
  return rows.map(({ id }) => id)
}

export async function countItemsOfWorkspace(q: Queries, workspaceId: string): Promise<number> {
  const { count } = await activeDatasets(q)
    .innerJoin('dataset_items as i', (join) =>
      join.onRef('i.workspace_id', '=', 'd.workspace_id').onRef('i.dataset_id', '=', 'd.id'),
    )
    .select(({ fn }) => fn.countAll<number>().as('count'))
    .where('d.workspace_id', '=', workspaceId)
    .executeTakeFirstOrThrow()
  return Number(count)
}

/** In order of ids, the first after `after`. */
export async function listInputSizes(
  q: Queries,
  { workspaceId, datasetId, after, limit }: OfDataset & { after: string; limit: number },
): Promise<{ id: string; bytes: number }[]> {
  return selectScoped(q, 'dataset_items', { workspace_id: workspaceId, dataset_id: datasetId })
    .select(['id', bytesOf('input').as('bytes')])
    .where('id', '>', after)
    .orderBy('id')
    .limit(limit)
    .execute()
}

/** In order of ids, because all transactions lock in the same order. */
export async function listInputs(q: Queries, { workspaceId, datasetId }: OfDataset, ids: readonly string[]) {
  return selectScoped(q, 'dataset_items', { workspace_id: workspaceId, dataset_id: datasetId })
    .select(['id', 'input', 'input_hash as inputHash'])
    .where('id', 'in', ids)
    .orderBy('id')
    .execute()
}

/** False if the item was deleted or its hash has changed because its input was updated. */
export async function updateInputHash(
  tx: Queries,
  { workspaceId, datasetId }: OfDataset,
  { id, before, after }: { id: string; before: string | null; after: string | null },
): Promise<boolean> {
  const { numUpdatedRows } = await updateScoped(tx, 'dataset_items', {
    workspace_id: workspaceId,
    dataset_id: datasetId,
    id,
  })
    .set({ input_hash: after })
    .where('input_hash', before === null ? 'is' : '=', before)
    .executeTakeFirst()
  return numUpdatedRows > 0n
}

/** Items by the hash of their question; of several with the same question, the oldest. */
export async function findItemsByInput(
  q: Queries,
  { workspaceId, datasetId }: OfDataset,
  hashes: readonly string[],
): Promise<Map<string, string>> {
  const rows = await selectScoped(q, 'dataset_items', { workspace_id: workspaceId, dataset_id: datasetId })
    .select(['id', 'input_hash'])
    .where('input_hash', 'is not', null)
    .where(inList(q, 'input_hash', hashes))
    .orderBy('id', 'desc')
    .execute()
  return new Map(rows.map(({ id, input_hash }) => [input_hash ?? '', id]))
}
