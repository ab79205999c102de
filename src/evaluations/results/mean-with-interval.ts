import { yieldToEventLoop } from '../../base/event-loop.ts'
import { type Estimate, sideMean } from '../../comparisons/estimate-mean.ts'
import type { Values } from './score-columns.ts'

export type { Estimate } from '../../comparisons/estimate-mean.ts'

/** `tellsRates`: whether values that are all 0 or 1 are yes and no. */
export async function estimateOf(
  { values, clusters }: Values,
  options: { seed: string; tellsRates: boolean },
): Promise<Estimate> {
  if (values.length === 0) return { mean: null, ci: null, method: 'none: nothing was scored' }
  const observations =
    clusters === null ? Float64Array.from(values) : values.map((value, place) => ({ value, cluster: clusters[place] }))
  return sideMean(yieldToEventLoop, observations, options)
}
