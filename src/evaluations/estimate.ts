import { yieldToEventLoop } from '../base/event-loop.ts'
import { bootstrapMeanInSlices } from '../statistics/bootstrap-mean.ts'
import type { Interval } from '../statistics/interval.ts'
import { wilsonInterval } from '../statistics/wilson-interval.ts'
import type { Values } from './read-verdicts.ts'

export type Estimate = {
  mean: number | null
  /** Null where the data cannot tell how uncertain the mean is: one case, or all of them equal. */
  ci: Interval | null
  method: string
}

/** Values that are all 0 or 1 make a rate, and have the interval of one, unless those of one item depend on each other. */
export async function estimateOf({ values, clusters }: Values, seed: string): Promise<Estimate> {
  if (values.length === 0) return { mean: null, ci: null, method: 'none: nothing was scored' }
  if (clusters === null && values.every((value) => value === 0 || value === 1)) return estimateRate(values)
  const observations =
    clusters === null ? Float64Array.from(values) : values.map((value, place) => ({ value, cluster: clusters[place] }))
  const summary = await bootstrapMeanInSlices(yieldToEventLoop, observations, { seed })
  return {
    mean: summary?.mean ?? null,
    ci: summary?.interval ?? null,
    method: summary?.method ?? 'BCa bootstrap, 95 % (Efron 1987)',
  }
}

function estimateRate(values: readonly number[]): Estimate {
  const successes = values.filter((value) => value === 1).length
  return {
    mean: successes / values.length,
    ci: wilsonInterval({ successes, n: values.length }) ?? null,
    method: 'Wilson score interval, 95 % (Wilson 1927)',
  }
}
