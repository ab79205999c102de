import { runInSlices } from '../../base/event-loop.ts'
import { bootstrapMean } from '../../statistics/bootstrap/bootstrap-mean.ts'
import {
  clusteredRate,
  clusterRobustInterval,
  clusterRobustMean,
  type GroupedValues,
} from '../../statistics/groups/cluster-robust-mean.ts'
import type { Interval } from '../../statistics/interval.ts'
import { meanOnScale } from '../../statistics/mean-on-scale.ts'
import { wilsonInterval } from '../../statistics/rate-intervals.ts'

/** A mean with its confidence interval and the method that computed it. `ci` is null if it cannot be computed. */
export type Estimate = { readonly mean: number | null; readonly ci: Interval | null; readonly method: string }

/** One seed for all: the same values have the same interval in an evaluation, in a comparison and in an overview. */
const SEED = 'mean'

type MeanOptions = {
  /** Values that are all 0 or 1 are a rate. */
  readonly hasBinaryScale: boolean
  /** Null if nothing bounds the values, such as costs. */
  readonly scale: readonly [number, number] | null
}

/** Estimates the mean of one value per item. */
export async function estimateMean(values: Float64Array, { hasBinaryScale, scale }: MeanOptions): Promise<Estimate> {
  const n = values.length
  if (n === 0) return { mean: null, ci: null, method: 'none: no values' }
  if (hasBinaryScale && values.every((value) => value === 0 || value === 1)) {
    const successes = values.reduce((sum, value) => sum + value, 0)
    const ci = wilsonInterval({ successes, n }) ?? null
    return { mean: successes / n, ci, method: 'Wilson score interval, 95 % (Wilson 1927)' }
  }
  const onScale = scale && meanOnScale(values, scale)
  if (onScale) return { mean: onScale.mean, ci: onScale.interval, method: SCALE_METHOD }
  const summary = await runInSlices(bootstrapMean(values, { seed: SEED }))
  return { mean: summary?.mean ?? null, ci: summary?.interval ?? null, method: summary?.method ?? '' }
}

export const SCALE_METHOD = 'Bayesian bootstrap with half an item at each end of the scale, 95 % (Rubin 1981)'

export type GroupedEstimate = Estimate & { readonly groups: number; readonly designEffect: number | null }

/** How the items of a dataset belong together. An item without a group is a group by itself. */
export type GroupOf = (itemId: string) => string

/** As `estimateMean`, for one value per item where items of one group are not independent. */
export function estimateGroupedMean(values: GroupedValues, { hasBinaryScale, scale }: MeanOptions): GroupedEstimate {
  const isRate = hasBinaryScale && values.values.every((value) => value === 0 || value === 1)
  const rate = isRate ? clusteredRate(values) : undefined
  const result = rate ?? clusterRobustMean(values)
  if (!result) return { mean: null, ci: null, method: 'none: no values', groups: 0, designEffect: null }
  const { mean, groups, designEffect = null } = result
  if (rate) return { mean, ci: rate.interval, method: RATE_METHOD, groups, designEffect }
  const onScale = scale && groups > 1 && meanOnScale(values.values, scale, values.groups)
  if (onScale) return { mean, ci: onScale.interval, method: GROUPED_SCALE_METHOD, groups, designEffect }
  return { mean, ci: clusterRobustInterval(result) ?? null, method: MEAN_METHOD, groups, designEffect }
}

const RATE_METHOD = 'Wilson score interval with design effect and t, by group, 95 % (Dean & Pagano 2015)'
const GROUPED_SCALE_METHOD = 'Bayesian bootstrap with half a group at each end of the scale, 95 % (Rubin 1981)'
const MEAN_METHOD = 'cluster-robust interval with t, by group, 95 % (Bell & McCaffrey 2002)'
