import { chunksOf } from '../base/event-loop.ts'
import type { ItemChange } from '../datasets/dataset-queries.ts'
import type { Split } from '../datasets/splits/split.ts'
import type { Queries } from '../storage/db.ts'
import { inIdList } from '../storage/dialect.ts'

type NamedDataset = { workspaceId: string; datasetId: string }

const IDS_PER_STATEMENT = 2_000

/** The splits of these items, or of all; those that do not exist are missing. In order of ids. */
export async function listItemSplits(
  tx: Queries,
  { workspaceId, datasetId }: NamedDataset,
  ids: readonly string[] | 'all',
): Promise<{ id: string; split: Split | null }[]> {
  const items = tx
    .selectFrom('dataset_items')
    .select(['id', 'split'])
    .where('workspace_id', '=', workspaceId)
    .where('dataset_id', '=', datasetId)
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
    await tx
      .updateTable('dataset_items')
      .set({ split, from_spans: 0, changed_at: by.at, changed_by: by.userId })
      .where('workspace_id', '=', workspaceId)
      .where('dataset_id', '=', datasetId)
      .where(inIdList(tx, 'id', chunk))
      .execute()
  }
}
