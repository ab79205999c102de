import { yieldToEventLoop } from '../../base/event-loop.ts'
import { type Estimate, estimateMean } from '../../comparisons/estimate-mean.ts'
import type { Values } from './score-columns.ts'

export type { Estimate } from '../../comparisons/estimate-mean.ts'

/**
 * The mean of items: an item with several values (repetitions, or several traces) counts once, with the mean of its
 * values. Otherwise an item that was retried would count more than the others. `hasBinaryScale`: whether values that are
 * all 0 or 1 mean no and yes.
 */
export async function estimateOf(
  { values, clusters }: Values,
  options: { seed: string; hasBinaryScale: boolean },
): Promise<Estimate> {
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
