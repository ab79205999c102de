import { timestamp } from '../base/clock.ts'
import { changeItemCount } from '../datasets/dataset-queries.ts'
import { lockDatasetForItems } from '../datasets/items/add-items.ts'
import { type DatasetScope, deleteItemsById } from '../datasets/items/item-queries.ts'
import type { Split } from '../datasets/splits/split.ts'
import type { Context } from '../http/route.ts'
import type { Queries } from '../storage/db.ts'
import { listItemSplits, updateSplits } from './item-change-queries.ts'

type Changing = DatasetScope & { userId: string }

/** The items that had a split before, so that the change can be undone. */
export type SplitsBefore = { split: Split | null; ids: string[] }[]

/** Puts items into a split. Items that do not exist, or are in it already, are not changed. */
export async function setSplit(
  context: Pick<Context, 'db' | 'clock'>,
  scope: Changing,
  { ids, split }: { ids: readonly string[]; split: Split | null },
): Promise<{ changed: number; before: SplitsBefore }> {
  return inDataset(context, scope, async (tx, by) => {
    const others = (await listItemSplits(tx, scope, ids)).filter((item) => item.split !== split)
    await updateSplits(tx, scope, { ids: others.map(({ id }) => id), split, by })
    if (others.length > 0) await changeItemCount(tx, { ...scope, by: 0, change: by })
    return { changed: others.length, before: groupBySplit(others) }
  })
}

/** Deletes items. Those that do not exist are ignored. Runs and evaluations keep their results. */
export async function deleteItems(
  context: Pick<Context, 'db' | 'clock'>,
  scope: Changing,
  ids: readonly string[],
): Promise<{ changed: number; before: SplitsBefore }> {
  return inDataset(context, scope, async (tx, by) => {
    const deleted = await deleteItemsById(tx, scope, ids)
    if (deleted > 0) await changeItemCount(tx, { ...scope, by: -deleted, change: by })
    return { changed: deleted, before: [] }
  })
}

export function groupBySplit(items: readonly { id: string; split: Split | null }[]): SplitsBefore {
  const bySplit = Map.groupBy(items, ({ split }) => split)
  return [...bySplit].map(([split, members]) => ({ split, ids: members.map(({ id }) => id) }))
}

/** Runs a change in a transaction that has locked the dataset. */
export async function inDataset<Result>(
  { db, clock }: Pick<Context, 'db' | 'clock'>,
  scope: Changing,
  change: (tx: Queries, by: { at: string; userId: string }) => Promise<Result>,
): Promise<Result> {
  return db.transaction(async (tx) => {
    await lockDatasetForItems(tx, scope)
    return change(tx, { at: timestamp(clock.now()), userId: scope.userId })
  })
}
