import { runInSlices } from '../../base/event-loop.ts'
import { bootstrapMean, type Observations } from '../../statistics/bootstrap/bootstrap-mean.ts'
import {
  clusteredRate,
  clusterRobustInterval,
  clusterRobustMean,
  type GroupedValues,
} from '../../statistics/groups/cluster-robust-mean.ts'
import { effectiveSizeOf } from '../../statistics/groups/effective-size.ts'
import type { Interval } from '../../statistics/interval.ts'
import { wilsonInterval } from '../../statistics/rate-intervals.ts'

/** A mean with its confidence interval and the method that computed it. `ci` is null if it cannot be computed. */
export type Estimate = { readonly mean: number | null; readonly ci: Interval | null; readonly method: string }

/** One seed for all: the same values have the same interval in an evaluation, in a comparison and in an overview. */
const SEED = 'mean'

/**
 * Estimates a mean. With `hasBinaryScale`, values that are all 0 or 1 get the interval of a rate. Values of one item
 * are resampled together; if all values are equal there is nothing to resample, and the interval of a rate is used.
 */
export async function estimateMean(
  values: Observations,
  { hasBinaryScale }: { hasBinaryScale: boolean },
): Promise<Estimate> {
  if (values.length === 0) return { mean: null, ci: null, method: 'none: no values' }
  const rate = hasBinaryScale ? countYes(values) : undefined
  if (rate && rate.units === values.length) return rateOf(rate, values.length)
  const summary = await runInSlices(bootstrapMean(values, { seed: SEED }))
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

export type GroupedEstimate = Estimate & { readonly groups: number; readonly designEffect: number | null }

/** How the items of a dataset belong together. An item without a group is a group by itself. */
export type GroupOf = (itemId: string) => string

/** As `estimateMean`, for one value per item where items of one group are not independent. */
export function estimateGroupedMean(
  values: GroupedValues,
  { hasBinaryScale, scale }: { hasBinaryScale: boolean; scale: readonly [number, number] | null },
): GroupedEstimate {
  const isRate = hasBinaryScale && values.values.every((value) => value === 0 || value === 1)
  const rate = isRate ? clusteredRate(values) : undefined
  const result = rate ?? clusterRobustMean(values)
  if (!result) return { mean: null, ci: null, method: 'none: no values', groups: 0, designEffect: null }
  const { mean, groups, designEffect = null } = result
  if (rate) return { mean, ci: rate.interval, method: RATE_METHOD, groups, designEffect }
  const interval = clusterRobustInterval(result)
  return { mean, ci: interval ? within(interval, scale) : null, method: MEAN_METHOD, groups, designEffect }
}

const RATE_METHOD = 'Wilson score interval with design effect and t, by group, 95 % (Dean & Pagano 2015)'
export const MEAN_METHOD = 'cluster-robust interval with t, by group, 95 % (Bell & McCaffrey 2002)'

/** A mean cannot leave the scale of its values. */
function within([low, high]: Interval, scale: readonly [number, number] | null): Interval {
  return scale === null ? [low, high] : [Math.max(scale[0], low), Math.min(scale[1], high)]
}

type WithoutSpread = {
  difference: number
  scale: readonly [number, number] | null
  /** The most that one item could change. */
  most: number
  n: number
  /** The effective number of independent items. Default: n. */
  units?: number
  confidence?: number
  of: 'items' | 'groups'
}

/**
 * The interval of a difference if all items changed by the same amount, usually 0. The bootstrap then shows no spread
 * although other items may change. The share of items that may change is bounded by Wilson's upper limit for 0 of n.
 */
export function intervalWithoutSpread({ difference, scale, most, n, units = n, confidence = 0.95, of }: WithoutSpread) {
  const [, share] = wilsonInterval({ successes: 0, n, units, confidence }) ?? [0, 1]
  const reach = share * most
  const method = `no spread: Wilson’s limit of the share of ${of} that may differ, 95 %`
  if (units < 2 || reach === 0) return { ci: null, method }
  return { ci: boundedDifference([difference - reach, difference + reach], scale), method }
}

/** A mean cannot change by more than the length of the scale. Without a scale there is no bound. */
export function boundedDifference([low, high]: Interval, scale: readonly [number, number] | null): Interval {
  const most = scale ? scale[1] - scale[0] : Infinity
  return [Math.max(-most, low), Math.min(most, high)]
}
