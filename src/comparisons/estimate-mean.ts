import { bootstrapMeanInSlices, type Observations } from '../statistics/bootstrap-mean.ts'
import { effectiveSizeOf } from '../statistics/effective-size.ts'
import type { Interval } from '../statistics/interval.ts'
import { wilsonInterval } from '../statistics/wilson-interval.ts'

/** A number with how sure it is and how that is known. `ci` is null where the values cannot tell. */
export type Estimate = { readonly mean: number | null; readonly ci: Interval | null; readonly method: string }

/**
 * The mean of one side of the pairs, or of all scores of a metric. `hasBinaryScale`: where all values are 0 or 1 they are yes and no, and
 * have the interval of a rate; those of one item are drawn together, but if all of them are the same there is nothing to draw.
 */
export async function estimateMean(
  pause: () => Promise<void>,
  values: Observations,
  { seed, hasBinaryScale }: { seed: string; hasBinaryScale: boolean },
): Promise<Estimate> {
  if (values.length === 0) return { mean: null, ci: null, method: 'none: no values' }
  const rate = hasBinaryScale ? countYes(values) : undefined
  if (rate && rate.units === values.length) return rateOf(rate, values.length)
  const summary = await bootstrapMeanInSlices(pause, values, { seed })
  if (rate && !summary?.interval) return rateOf(rate, values.length)
  return { mean: summary?.mean ?? null, ci: summary?.interval ?? null, method: summary?.method ?? '' }
}

/** `units`: as many as there are values, unless some are of one item. */
type Yes = { successes: number; units: number }

/** Undefined if not all of them are 0 or 1. */
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
