import { hash } from 'node:crypto'
import { badRequest } from '../base/errors.ts'
import { changeItemCount } from '../datasets/dataset-queries.ts'
import { readItemGroups } from '../datasets/items/item-groups.ts'
import type { DatasetScope } from '../datasets/items/item-queries.ts'
import { SPLITS, type Split } from '../datasets/splits/split.ts'
import type { Context } from '../http/route.ts'
import { groupBySplit, inDataset, type SplitsBefore } from './change-items.ts'
import { listItemSplits, updateSplits } from './item-change-queries.ts'

export type Shares = Partial<Record<Split, number>>

type Assignment = { shares: Shares; seed?: string; items?: 'all' | 'without_split' }

/**
 * Distributes items over splits at random, by shares. Items of one group stay together, because a question about a document
 * that was seen in training is no test. The same items, groups, shares and seed have the same result.
 */
export async function assignSplits(
  context: Pick<Context, 'db' | 'clock'>,
  scope: DatasetScope & { userId: string },
  { shares, seed = '', items: which = 'without_split' }: Assignment,
): Promise<{ changed: number; counts: Record<Split, number>; before: SplitsBefore }> {
  const total = SPLITS.reduce((sum, split) => sum + (shares[split] ?? 0), 0)
  if (Math.abs(total - 1) > 1e-6) throw badRequest('The shares must add up to 1')
  return inDataset(context, scope, async (tx, by) => {
    const groups = await readItemGroups(tx, scope)
    const found = await listItemSplits(tx, scope, 'all')
    const items = found.map(({ id, split }) => {
      return { id, split: which === 'all' ? null : split, group: groups?.groupOf(id) ?? id, before: split }
    })
    const assigned = distribute(items, shares, seed)
    const changes = items.flatMap(({ id, before }) => {
      const split = assigned.get(id) ?? before
      return split === before ? [] : [{ id, before, split }]
    })
    for (const { split, ids } of groupBySplit(changes)) await updateSplits(tx, scope, { ids, split, by })
    if (changes.length > 0) await changeItemCount(tx, { ...scope, by: 0, change: by })
    const counts = { train: 0, validation: 0, test: 0 }
    for (const { id, before } of items) {
      const split = assigned.get(id) ?? before
      if (split !== null) counts[split] += 1
    }
    return {
      changed: changes.length,
      counts,
      before: groupBySplit(changes.map(({ id, before: split }) => ({ id, split }))),
    }
  })
}

type Placed = { id: string; group: string; split: Split | null }

/** The splits of the items without one. A group with an item in a split follows it; the others go where most is missing. */
export function distribute(items: readonly Placed[], shares: Shares, seed: string): Map<string, Split> {
  const assigned = new Map<string, Split>()
  const counts = { train: 0, validation: 0, test: 0 }
  const byGroup = Map.groupBy(items, ({ group }) => group)
  const open: { order: string; members: Placed[] }[] = []
  for (const [group, members] of byGroup) {
    const split = members.find((member) => member.split !== null)?.split
    if (!split) open.push({ order: hash('sha256', `${seed}\n${group}`, 'hex'), members })
    for (const member of members) {
      const own = member.split ?? split
      if (!own) continue
      counts[own] += 1
      if (member.split === null) assigned.set(member.id, own)
    }
  }
  open.sort((a, b) => (a.order < b.order ? -1 : 1))
  for (const { members } of open) {
    const missing = (split: Split) => (shares[split] ?? 0) * items.length - counts[split]
    const wanted = SPLITS.filter((split) => (shares[split] ?? 0) > 0)
    const split = wanted.reduce((best, one) => (missing(one) > missing(best) ? one : best), wanted[0] ?? 'train')
    counts[split] += members.length
    for (const { id } of members) assigned.set(id, split)
  }
  return assigned
}
