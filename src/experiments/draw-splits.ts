/**
 * Gives each item of a dataset a split. Items keep the one that they have; the others are drawn once and stored with the dataset, so that no
 * experiment trains on what another one tests on. Items of a group, copies, and items that are nearly the same stay together.
 */

import { changeItemCount } from '../datasets/dataset-queries.ts'
import { readDuplicates, readItemGroups } from '../datasets/items/item-groups.ts'
import type { DatasetScope } from '../datasets/items/item-queries.ts'
import { SPLITS, type Split } from '../datasets/splits/split.ts'
import type { Context, PrepareContext } from '../http/route.ts'
import { distribute, type Shares } from '../item-lists/assign-splits.ts'
import { inDataset } from '../item-lists/change-items.ts'
import type { ReadNearDuplicates } from '../item-lists/find-near-duplicates.ts'
import { listItemSplits, updateSplits } from '../item-lists/item-change-queries.ts'

/** The pairs that are shown, without their texts. */
type Leak = { splits: [Split, Split]; pairs: number; summary: string; examples: SimilarItems[] }

export type SimilarItems = { ids: [string, string]; similarity: number }

export type DrawnSplits = {
  items: Record<Split, string[]>
  /** The items that had another one, or none. */
  drawn: { id: string; split: Split; before: Split | null }[]
  leaks: Leak[]
  /** Pairs without a split, which could have come into different splits and stay together. */
  together: { pairs: number; examples: SimilarItems[] }
}

/** `kept`: items keep their splits. `sealed`: a part of the items is sealed also if the clients know no test split. */
export type KeptSplits = 'kept' | 'sealed'

type Drawing = DatasetScope & { shares: Shares; seed: number; stored: KeptSplits }

export async function drawSplits(
  { db, signal }: Pick<PrepareContext, 'db' | 'signal'>,
  readNearDuplicates: ReadNearDuplicates,
  { shares: wanted, seed, stored, ...scope }: Drawing,
): Promise<DrawnSplits> {
  const bulk = db.bulk({ application: scope.workspaceId, from: 'request', signal })
  const before = await listItemSplits(bulk, scope, 'all')
  const { found, shares } = stored === 'kept' ? { found: before, shares: wanted } : openSplits(before, wanted)
  const { pairs, together } = await readTogether({ db, signal }, readNearDuplicates, { ...scope, found })
  const placed = found.map(({ id, split }) => ({ id, split, group: together(id) }))
  // By position and not by id: the same items that are imported again are drawn the same.
  const order = new Map(found.map(({ id }, place) => [id, place]))
  const names = new Map<string, string>()
  for (const { id, group } of placed) if (!names.has(group)) names.set(group, String(order.get(id)))
  const named = placed.map((item) => ({ ...item, group: names.get(item.group) ?? item.group }))
  const assigned = distribute(named, shares, `experiment:${seed}`)
  const splitOf = new Map(found.map(({ id, split }) => [id, split ?? assigned.get(id)]))
  const items: DrawnSplits['items'] = { train: [], validation: [], test: [] }
  const drawn: DrawnSplits['drawn'] = []
  for (const { id, split } of before) {
    const own = splitOf.get(id)
    if (own) items[own].push(id)
    if (own && split !== own) drawn.push({ id, split: own, before: split })
  }
  const isDrawn = new Set(drawn.map(({ id }) => id))
  const kept = pairs.filter(({ ids }) => ids.some((id) => isDrawn.has(id)))
  return {
    items,
    drawn,
    leaks: findLeaks(pairs, splitOf),
    together: { pairs: kept.length, examples: kept.slice(0, EXAMPLES_MAX) },
  }
}

type StoredSplits = { id: string; split: Split | null }[]

/** Names for the items that belong together: those of a group, copies, and items that are nearly the same. */
export async function readTogether(
  { db, signal }: Pick<PrepareContext, 'db' | 'signal'>,
  readNearDuplicates: ReadNearDuplicates,
  { found, ...scope }: DatasetScope & { found: StoredSplits },
): Promise<{ pairs: SimilarItems[]; together: (id: string) => string }> {
  const pairs = await similarPairs({ db, signal }, readNearDuplicates, scope)
  const groups = await readItemGroups(db.bulk({ application: scope.workspaceId, from: 'request', signal }), scope)
  const together = joinPairs([
    ...pairs.map(({ ids }) => ids),
    ...found.map(({ id }): [string, string] => [id, `group ${groups?.groupOf(id) ?? id}`]),
  ])
  return { pairs, together }
}

/**
 * Clients that know only train and eval have no test split: half of eval becomes one. With only one of the two, all items are drawn, because
 * nothing can be chosen by the items that it was found on.
 */
function openSplits(before: StoredSplits, wanted: Shares): { found: StoredSplits; shares: Shares } {
  const countOf = (name: Split) => before.filter(({ split }) => split === name).length
  const [train, validation] = [countOf('train'), countOf('validation')]
  if (countOf('test') > 0) return { found: before, shares: wanted }
  if (train === 0 || validation === 0) return { found: before.map(({ id }) => ({ id, split: null })), shares: wanted }
  const part = validation / (train + validation) / 2
  return {
    found: before.map(({ id, split }) => ({ id, split: split === 'validation' ? null : split })),
    shares: { train: 1 - 2 * part, validation: part, test: part },
  }
}

const EXAMPLES_MAX = 10

async function similarPairs(
  { db, signal }: Pick<PrepareContext, 'db' | 'signal'>,
  readNearDuplicates: ReadNearDuplicates,
  scope: DatasetScope,
): Promise<SimilarItems[]> {
  const near = await readNearDuplicates(db, db.read, scope, signal)
  const copies = await readDuplicates(db.read, scope)
  const similar = near.pairs.map(
    ({ id, similarTo, similarity }): SimilarItems => ({ ids: [similarTo, id], similarity }),
  )
  return [...similar, ...Array.from(copies, (ids): SimilarItems => ({ ids, similarity: 1 }))]
}

/** A name for all that is connected by pairs. */
function joinPairs(pairs: readonly [string, string][]): (name: string) => string {
  const parent = new Map<string, string>()
  const rootOf = (name: string): string => {
    let root = name
    for (let next = parent.get(root); next !== undefined; next = parent.get(root)) root = next
    if (root !== name) parent.set(name, root)
    return root
  }
  for (const [one, other] of pairs) {
    const [first, second] = [rootOf(one), rootOf(other)]
    if (first !== second) parent.set(first, second)
  }
  return rootOf
}

/** Copies of items that were put into different splits before: what was trained on is no test. */
function findLeaks(pairs: readonly SimilarItems[], splitOf: ReadonlyMap<string, Split | undefined>): Leak[] {
  return SPLITS.flatMap((one, place) =>
    SPLITS.slice(place + 1).flatMap((other) => {
      const between = pairs.filter(({ ids: [first, second] }) => {
        const splits = [splitOf.get(first), splitOf.get(second)]
        return splits.includes(one) && splits.includes(other)
      })
      const count = between.length
      if (count === 0) return []
      const summary = `${count} ${count === 1 ? 'pair' : 'pairs'} of items that are nearly the same: one is in ${one}, the other in ${other}. Put both into one split`
      const splits: Leak['splits'] = [one, other]
      return [{ splits, pairs: count, summary, examples: between.slice(0, EXAMPLES_MAX) }]
    }),
  )
}

/** Stores the splits of items that still have the one that they had. */
export async function storeSplits(
  context: Pick<Context, 'db' | 'clock'>,
  scope: DatasetScope & { userId: string },
  drawn: DrawnSplits['drawn'],
): Promise<void> {
  if (drawn.length === 0) return
  await inDataset(context, scope, async (tx, by) => {
    const now = new Map((await listItemSplits(tx, scope, 'all')).map(({ id, split }) => [id, split]))
    const open = drawn.filter(({ id, before }) => now.get(id) === before)
    for (const [split, members] of Map.groupBy(open, (item) => item.split))
      await updateSplits(tx, scope, { ids: members.map(({ id }) => id), split, by })
    if (open.length > 0) await changeItemCount(tx, { ...scope, by: 0, change: by })
  })
}
