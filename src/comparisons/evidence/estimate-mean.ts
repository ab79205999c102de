import { bootstrapMeanInSlices, type Observations } from '../../statistics/bootstrap/bootstrap-mean.ts'
import { effectiveSizeOf } from '../../statistics/groups/effective-size.ts'
import type { Interval } from '../../statistics/interval.ts'
import { wilsonInterval } from '../../statistics/intervals/wilson-interval.ts'

/** A mean with its confidence interval and the method that computed it. `ci` is null if it cannot be computed. */
export type Estimate = { readonly mean: number | null; readonly ci: Interval | null; readonly method: string }

/** One seed for all: the same values have the same interval in an evaluation, in a comparison and in an overview. */
const SEED = 'mean'

/**
 * Estimates a mean. With `hasBinaryScale`, values that are all 0 or 1 get the interval of a rate. Values of one item
 * are resampled together; if all values are equal there is nothing to resample, and the interval of a rate is used.
 */
export async function estimateMean(
  pause: () => Promise<void>,
  values: Observations,
  { hasBinaryScale }: { hasBinaryScale: boolean },
): Promise<Estimate> {
  if (values.length === 0) return { mean: null, ci: null, method: 'none: no values' }
  const rate = hasBinaryScale ? countYes(values) : undefined
  if (rate && rate.units === values.length) return rateOf(rate, values.length)
  const summary = await bootstrapMeanInSlices(pause, values, { seed: SEED })
  if (rate && !summary?.interval) return rateOf(rate, values.length)
  return { mean: summary?.mean ?? null, ci: summary?.interval ?? null, method: summary?.method ?? '' }
}

/** `units` equals the number of values unless several values belong to one item. */
type Yes = { successes: number; units: number }

/** Undefined unless all values are 0 or 1. */
function countYes(values: Observations): Yes | undefined {
  let successes = 0
  for (const one of values) {
    const value = typeof one === 'number' ? one : one.value
    if (value !== 0 && value !== 1) return undefined
    successes += value
  }
  const units = values instanceof Float64Array ? values.length : effectiveSizeOf(values.map(({ cluster }) => cluster))
  return { successes, units }
}

function rateOf({ successes, units }: Yes, n: number): Estimate {
  return {
    mean: successes / n,
    ci: wilsonInterval({ successes, n, units }) ?? null,
    method: 'Wilson score interval, 95 % (Wilson 1927)',
  }
}
