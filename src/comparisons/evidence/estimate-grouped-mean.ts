import {
  clusterRobustInterval,
  clusterRobustMean,
  type GroupedValues,
} from '../../statistics/groups/cluster-robust-mean.ts'
import { clusteredRate } from '../../statistics/groups/clustered-rate.ts'
import type { Interval } from '../../statistics/interval.ts'
import type { Estimate } from './estimate-mean.ts'

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
