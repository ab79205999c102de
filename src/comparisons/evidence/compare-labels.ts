import type { LabelPair } from '../pairing/measure-pairs.ts'
import { compareText } from '../pairing/pair-items.ts'
import { type Estimate, estimateGroupedMean, estimateMean, type GroupOf } from './estimate-mean.ts'

/** The result for an evaluator that returns labels without scores. Labels have no order, so there is no verdict. */
export type ComparedLabels = {
  name: string
  n: number
  missing: number
  failed: number
  /** The share of pairs with the same label on both sides. */
  same: Estimate
  /** Sorted by count, descending. */
  changes: { from: string; to: string; count: number; items: string[] }[]
}

const CHANGES_LISTED_MAX = 100
const ITEMS_LISTED_MAX = 100

export async function compareLabels(
  { labels, missing, failed }: { labels: readonly LabelPair[]; missing: number; failed: number },
  { name, groupOf }: { name: string; groupOf?: GroupOf | undefined },
): Promise<ComparedLabels> {
  const changed = labels.filter(({ baseline, candidate }) => baseline !== candidate)
  const groups = Map.groupBy(changed, ({ baseline, candidate }) => JSON.stringify([baseline, candidate]))
  const changes = Array.from(groups.values(), changeOf).sort(
    (a, b) => b.count - a.count || compareText(a.from, b.from) || compareText(a.to, b.to),
  )
  const stayed = labels.map(({ itemId, baseline, candidate }) => ({
    cluster: itemId,
    value: baseline === candidate ? 1 : 0,
  }))
  const same = groupOf ? groupedShare(stayed, groupOf) : await estimateMean(stayed, { hasBinaryScale: true })
  return { name, n: labels.length, missing, failed, same, changes: changes.slice(0, CHANGES_LISTED_MAX) }
}

/** One value per item: the share of its repetitions. */
function groupedShare(stayed: readonly { cluster: string; value: number }[], groupOf: GroupOf): Estimate {
  const items = [...Map.groupBy(stayed, ({ cluster }) => cluster)]
  const shares = items.map(([, values]) => values.reduce((sum, { value }) => sum + value, 0) / values.length)
  const groups = items.map(([itemId]) => groupOf(itemId))
  const { mean, ci, method } = estimateGroupedMean(
    { values: Float64Array.from(shares), groups },
    { hasBinaryScale: true, scale: [0, 1] },
  )
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
