import { yieldToEventLoop } from '../../base/event-loop.ts'
import { estimateGroupedMean, type GroupedEstimate } from '../../comparisons/evidence/estimate-grouped-mean.ts'
import { type Estimate, estimateMean } from '../../comparisons/evidence/estimate-mean.ts'
import type { Values } from './score-columns.ts'

export type { Estimate } from '../../comparisons/evidence/estimate-mean.ts'

/**
 * The mean of items: an item with several values (repetitions, or several traces) counts once, with the mean of its
 * values. Otherwise an item that was retried would count more than the others. `hasBinaryScale`: whether values that are
 * all 0 or 1 mean no and yes.
 */
export async function estimateOf(
  { values, clusters, groups }: Values,
  options: { hasBinaryScale: boolean; scale?: readonly [number, number] | null },
): Promise<Estimate & Partial<GroupedEstimate>> {
  if (groups && values.length > 0) return estimateGrouped({ values, clusters: clusters ?? [], groups }, options)
  if (values.length === 0) return { mean: null, ci: null, method: 'none: nothing was scored' }
  if (clusters === null) return estimateMean(yieldToEventLoop, Float64Array.from(values), options)
  const estimate = await estimateMean(yieldToEventLoop, meansByItem(values, clusters), options)
  return { ...estimate, method: `${estimate.method}; mean of items, each with the mean of its values` }
}

/** The mean of each item. Halving before adding keeps the sum of the largest numbers finite. */
function meansByItem(values: readonly number[], clusters: readonly string[]): Float64Array {
  const items = new Map<string, { n: number; mean: number }>()
  for (const [index, value] of values.entries()) {
    const cluster = clusters[index] ?? ''
    const item = items.get(cluster)
    if (item) {
      item.n += 1
      item.mean += value / item.n - item.mean / item.n
    } else items.set(cluster, { n: 1, mean: value })
  }
  return Float64Array.from(items.values(), ({ mean }) => mean)
}

type GroupedColumns = { values: readonly number[]; clusters: readonly string[]; groups: readonly string[] }

/** One value per item, the mean of its scores: repetitions of an item stay inside its group. */
function estimateGrouped(
  { values, clusters, groups }: GroupedColumns,
  { hasBinaryScale, scale = hasBinaryScale ? [0, 1] : null }: Parameters<typeof estimateOf>[1],
): GroupedEstimate {
  const items = new Map<string, { sum: number; count: number; group: string }>()
  for (const [index, value] of values.entries()) {
    const item = clusters[index] ?? String(index)
    const known = items.get(item)
    if (!known) items.set(item, { sum: value, count: 1, group: groups[index] ?? item })
    else {
      known.sum += value
      known.count += 1
    }
  }
  const means = Float64Array.from(items.values(), ({ sum, count }) => sum / count)
  const grouped = { values: means, groups: Array.from(items.values(), ({ group }) => group) }
  return estimateGroupedMean(grouped, { hasBinaryScale, scale })
}
