import { yieldToEventLoop } from '../../base/event-loop.ts'
import { estimateGroupedMean, type GroupedEstimate } from '../../comparisons/estimate-grouped-mean.ts'
import { type Estimate, estimateMean } from '../../comparisons/estimate-mean.ts'
import type { Values } from './score-columns.ts'

export type { Estimate } from '../../comparisons/estimate-mean.ts'

/** `hasBinaryScale`: whether values that are all 0 or 1 mean no and yes. */
export async function estimateOf(
  { values, clusters, groups }: Values,
  options: { seed: string; hasBinaryScale: boolean; scale?: readonly [number, number] | null },
): Promise<Estimate & Partial<GroupedEstimate>> {
  if (groups && values.length > 0) return estimateGrouped({ values, clusters: clusters ?? [], groups }, options)
  if (values.length === 0) return { mean: null, ci: null, method: 'none: nothing was scored' }
  const observations =
    clusters === null ? Float64Array.from(values) : values.map((value, index) => ({ value, cluster: clusters[index] }))
  return estimateMean(yieldToEventLoop, observations, options)
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
