import { studentCriticalValue, twoSidedCriticalValue } from '../distributions.ts'
import type { Interval } from '../interval.ts'
import { wilsonInterval } from '../rate-intervals.ts'
import { maxMagnitude, overflowSafeScale } from '../sums.ts'
import { effectiveSize } from './effective-size.ts'

/** Values and the group of each, by index. Values of one group (questions about one document) may be correlated. */
export type GroupedValues = { readonly values: Float64Array; readonly groups: readonly string[] }

type ClusterRobustMean = {
  readonly n: number
  readonly groups: number
  readonly mean: number
  /** Undefined with a single group, which says nothing about others, and if no group differs from the mean. */
  readonly standardError: number | undefined
  /** Of the t distribution that belongs to the standard error: groups − 1 if all have the same size, else fewer. */
  readonly degreesOfFreedom: number
  /**
   * The variance of the mean, divided by its variance if all values were independent. Undefined without a standard
   * error.
   */
  readonly designEffect: number | undefined
  /** The number of independent values if the values of a group were identical (Kish 1965). */
  readonly effectiveGroups: number
}

/**
 * The mean of grouped values with its cluster-robust standard error; undefined without values.
 *
 * The estimator CR2 with the degrees of freedom of Bell, R. M. & McCaffrey, D. F. (2002), Bias reduction in standard
 * errors for linear regression with multi-stage samples, Survey Methodology 28, 169–181. Miller, E. (2024), Adding
 * error bars to evals, arXiv 2411.00640, recommends the same sum for evaluations without the two corrections for few
 * groups.
 *
 * For a mean both have a closed form. With S_g the sum of (value − mean) over a group and p_g its share of the values:
 * SE² = Σ S_g² / (1 − p_g) / n², and 1 / df = Σ p_g² + (Σ u_g)² − Σ u_g² with u_g = p_g² / (1 − p_g).
 */
export function clusterRobustMean({ values, groups }: GroupedValues): ClusterRobustMean | undefined {
  const n = values.length
  if (n === 0) return undefined
  const { mean, deviations } = centered(values)
  const scale = overflowSafeScale(maxMagnitude(deviations))
  const sums = new Map<string, { sum: number; size: number }>()
  let squares = 0
  for (let index = 0; index < n; index++) {
    const deviation = scale * (deviations[index] ?? 0)
    squares += deviation * deviation
    const group = groups[index] ?? ''
    const known = sums.get(group)
    if (!known) sums.set(group, { sum: deviation, size: 1 })
    else {
      known.sum += deviation
      known.size += 1
    }
  }
  const effectiveGroups = effectiveSize(Array.from(sums.values(), ({ size }) => size))
  const counts = { n, groups: sums.size, mean, effectiveGroups }
  if (sums.size < 2) return { ...counts, standardError: undefined, degreesOfFreedom: 0, designEffect: undefined }
  let [variance, shares, crossShares, crossSquares] = [0, 0, 0, 0]
  for (const { sum, size } of sums.values()) {
    const share = size / n
    const cross = share ** 2 / (1 - share)
    variance += sum ** 2 / (1 - share)
    shares += share ** 2
    crossShares += cross
    crossSquares += cross ** 2
  }
  const degreesOfFreedom = 1 / (shares + crossShares ** 2 - crossSquares)
  // Sums of values that cancel are zero but for rounding.
  const hasSpread = variance > ROUNDING_SHARE * squares
  return {
    ...counts,
    standardError: hasSpread ? Math.sqrt(variance) / n / scale : undefined,
    degreesOfFreedom,
    designEffect: hasSpread ? variance / ((squares * n) / (n - 1)) : undefined,
  }
}

/** The mean ± t · standard error; undefined without a standard error. */
export function clusterRobustInterval(
  { mean, standardError, degreesOfFreedom }: ClusterRobustMean,
  confidence = 0.95,
): Interval | undefined {
  if (standardError === undefined) return undefined
  const reach = studentCriticalValue(confidence, degreesOfFreedom) * standardError
  return [mean - reach, mean + reach]
}

const ROUNDING_SHARE = 1e-18

/** The mean of equal values is exactly that value, and the mean of whole numbers is rounded once. */
function centered(values: Float64Array): { mean: number; deviations: Float64Array } {
  const [first = 0] = values
  const scale = overflowSafeScale(maxMagnitude(values))
  let sum = 0
  let isEqual = true
  for (const value of values) {
    if (!Number.isFinite(value)) throw new RangeError(`A mean needs finite values, not ${value}.`)
    sum += scale * value
    isEqual &&= value === first
  }
  const mean = isEqual ? first : sum / values.length / scale
  return { mean, deviations: values.map((value) => value - mean) }
}

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
function scoreUnits(
  { n, groups, designEffect, degreesOfFreedom, effectiveGroups }: ClusterRobustMean,
  confidence = 0.95,
): number {
  const independent = designEffect === undefined ? effectiveGroups : Math.min(n, n / designEffect)
  if (groups < 2) return independent
  return independent * (twoSidedCriticalValue(confidence) / studentCriticalValue(confidence, degreesOfFreedom)) ** 2
}
