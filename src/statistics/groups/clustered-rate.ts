import { twoSidedCriticalValue } from '../distributions/normal-distribution.ts'
import { studentCriticalValue } from '../distributions/student-t.ts'
import type { Interval } from '../interval.ts'
import { wilsonInterval } from '../intervals/wilson-interval.ts'
import { type ClusterRobustMean, clusterRobustMean, type GroupedValues } from './cluster-robust-mean.ts'

/**
 * The rate of grouped values of 0 and 1 with its interval; undefined without values.
 *
 * Wilson's score interval for the effective number of values, with t in place of z: Dean, N. & Pagano, M. (2015),
 * Evaluating confidence interval methods for binomial proportions in clustered surveys, Journal of Survey Statistics
 * and Methodology 3, 484–503. It stays inside [0, 1], unlike rate ± t · standard error.
 */
export function clusteredRate(
  values: GroupedValues,
  confidence = 0.95,
): (ClusterRobustMean & { readonly interval: Interval }) | undefined {
  const result = clusterRobustMean(values)
  if (!result) return undefined
  const { n, mean } = result
  const successes = Math.round(mean * n)
  const interval = wilsonInterval({ successes, n, units: scoreUnits(result, confidence), confidence })
  return interval && { ...result, interval }
}

/**
 * The number of independent values for a score interval. A score interval depends on z² / n only, so t replaces z if
 * the number is multiplied by (z / t)². At most n: groups that seem to differ less than independent values would do so by
 * chance. Without a design effect nothing is known about the correlation, and each group counts as one value.
 */
export function scoreUnits(
  { n, groups, designEffect, degreesOfFreedom, effectiveGroups }: ClusterRobustMean,
  confidence = 0.95,
): number {
  const independent = designEffect === undefined ? effectiveGroups : Math.min(n, n / designEffect)
  if (groups < 2) return independent
  return independent * (twoSidedCriticalValue(confidence) / studentCriticalValue(confidence, degreesOfFreedom)) ** 2
}
