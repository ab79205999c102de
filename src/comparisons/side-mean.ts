import { bootstrapMeanInSlices, type Observations } from '../statistics/bootstrap-mean.ts'
import type { Interval } from '../statistics/interval.ts'
import { wilsonInterval } from '../statistics/wilson-interval.ts'

/** A number with how sure it is and how that is known. `ci` is null where the values cannot tell. */
export type Estimate = { readonly mean: number | null; readonly ci: Interval | null; readonly method: string }

/** The mean of one side of the pairs. `isRate`: each item has one value, and each is 0 or 1. */
export async function sideMean(
  pause: () => Promise<void>,
  values: Observations,
  { seed, isRate }: { seed: string; isRate: boolean },
): Promise<Estimate> {
  if (values.length === 0) return { mean: null, ci: null, method: 'none: no values' }
  if (isRate) return rateOf(values)
  const summary = await bootstrapMeanInSlices(pause, values, { seed })
  return { mean: summary?.mean ?? null, ci: summary?.interval ?? null, method: summary?.method ?? '' }
}

function rateOf(values: Observations): Estimate {
  let successes = 0
  for (const one of values) if ((typeof one === 'number' ? one : one.value) === 1) successes += 1
  return {
    mean: successes / values.length,
    ci: wilsonInterval({ successes, n: values.length }) ?? null,
    method: 'Wilson score interval, 95 % (Wilson 1927)',
  }
}
