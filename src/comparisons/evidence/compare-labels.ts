import type { LabelPair, MeasuredItems } from '../pairing/measure-items.ts'
import { compareText } from '../pairing/pair-items.ts'
import { type Estimate, estimateGroupedMean, estimateMean, type GroupOf } from './estimate-mean.ts'

/** The result for an evaluator that returns labels without scores. Labels have no order, so there is no verdict. */
export type ComparedLabels = {
  name: string
  n: number
  missing: number
  failed: number
  /** The share of items with the same label on both sides. */
  same: Estimate
  /** Sorted by count, descending. */
  changes: { from: string; to: string; count: number; items: string[] }[]
}

const CHANGES_LISTED_MAX = 100
const ITEMS_LISTED_MAX = 100

export async function compareLabels(
  { labels, unlabeled, failed }: Pick<MeasuredItems, 'labels' | 'unlabeled' | 'failed'>,
  { name, groupOf }: { name: string; groupOf?: GroupOf | undefined },
): Promise<ComparedLabels> {
  const changed = labels.filter(({ baseline, candidate }) => baseline !== candidate)
  const groups = Map.groupBy(changed, ({ baseline, candidate }) => JSON.stringify([baseline, candidate]))
  const changes = Array.from(groups.values(), changeOf).sort(
    (a, b) => b.count - a.count || compareText(a.from, b.from) || compareText(a.to, b.to),
  )
  const same = await shareOfSame(labels, groupOf)
  return { name, n: labels.length, missing: unlabeled, failed, same, changes: changes.slice(0, CHANGES_LISTED_MAX) }
}

/** One value per item: the share of its repetitions with the same label. */
async function shareOfSame(labels: readonly LabelPair[], groupOf: GroupOf | undefined): Promise<Estimate> {
  const items = [...Map.groupBy(labels, ({ itemId }) => itemId)]
  const shares = Float64Array.from(items, ([, pairs]) => {
    return pairs.filter(({ baseline, candidate }) => baseline === candidate).length / pairs.length
  })
  const options = { hasBinaryScale: true, scale: [0, 1] as const }
  if (!groupOf) return estimateMean(shares, options)
  const groups = items.map(([itemId]) => groupOf(itemId))
  const { mean, ci, method } = estimateGroupedMean({ values: shares, groups }, options)
  return { mean, ci, method }
}

function changeOf(pairs: readonly LabelPair[]): ComparedLabels['changes'][number] {
  const [first] = pairs
  const items = [...new Set(pairs.map(({ itemId }) => itemId))].sort()
  return {
    from: first?.baseline ?? '',
    to: first?.candidate ?? '',
    count: pairs.length,
    items: items.slice(0, ITEMS_LISTED_MAX),
  }
}
