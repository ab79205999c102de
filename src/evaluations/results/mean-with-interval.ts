import { yieldToEventLoop } from '../../base/event-loop.ts'
import { type Estimate, estimateMean } from '../../comparisons/estimate-mean.ts'
import type { Values } from './score-columns.ts'

export type { Estimate } from '../../comparisons/estimate-mean.ts'

/** `hasBinaryScale`: whether values that are all 0 or 1 mean no and yes. */
export async function estimateOf(
  { values, clusters }: Values,
  options: { seed: string; hasBinaryScale: boolean },
): Promise<Estimate> {
  if (values.length === 0) return { mean: null, ci: null, method: 'none: nothing was scored' }
  const observations =
    clusters === null ? Float64Array.from(values) : values.map((value, index) => ({ value, cluster: clusters[index] }))
  return estimateMean(yieldToEventLoop, observations, options)
}
