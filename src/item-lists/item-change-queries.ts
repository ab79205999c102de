import { chunksOf } from '../base/event-loop.ts'
import type { ItemChange } from '../datasets/dataset-queries.ts'
import type { Split } from '../datasets/splits/split.ts'
import type { Queries } from '../storage/db.ts'
import { inIdList } from '../storage/dialect.ts'
import { selectScoped, updateScoped } from '../storage/query-building.ts'

type NamedDataset = { workspaceId: string; datasetId: string }

const IDS_PER_STATEMENT = 2_000

/** The splits of these items, or of all; those that do not exist are missing. In order of ids. */
export async function listItemSplits(
  tx: Queries,
  { workspaceId, datasetId }: NamedDataset,
  ids: readonly string[] | 'all',
): Promise<{ id: string; split: Split | null }[]> {
  const items = selectScoped(tx, 'dataset_items', { workspace_id: workspaceId, dataset_id: datasetId })
    .select(['id', 'split'])
    .orderBy('id')
  if (ids === 'all') return items.execute()
  const found: { id: string; split: Split | null }[] = []
  for (const chunk of chunksOf(ids, IDS_PER_STATEMENT)) {
    found.push(...(await items.where(inIdList(tx, 'id', chunk)).execute()))
  }
  return found.sort((a, b) => (a.id < b.id ? -1 : 1))
}

/** An item that a user has put into a split is explicit, and stays when its trace moves. */
export async function updateSplits(
  tx: Queries,
  { workspaceId, datasetId }: NamedDataset,
  { ids, split, by }: { ids: readonly string[]; split: Split | null; by: ItemChange },
): Promise<void> {
  for (const chunk of chunksOf(ids, IDS_PER_STATEMENT)) {
    await updateScoped(tx, 'dataset_items', { workspace_id: workspaceId, dataset_id: datasetId })
      .set({ split, from_spans: 0, changed_at: by.at, changed_by: by.userId })
      .where(inIdList(tx, 'id', chunk))
      .execute()
  }
}
