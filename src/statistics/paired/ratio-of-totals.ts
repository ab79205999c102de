import { studentUpperTail } from '../distributions.ts'
import { clusterRobustMean } from '../groups/cluster-robust-mean.ts'
import { sumOf } from '../sums.ts'
import type { PFunction } from './p-function.ts'

type Totals = {
  readonly baseline: readonly number[]
  readonly candidate: readonly number[]
  readonly groups?: readonly string[] | undefined
}

/**
 * The logarithm of the ratio of two totals of the same items, for values of which some are 0: r is plausible if the mean
 * of candidate − r · baseline could be 0. Undefined unless both totals are positive.
 *
 * Fieller, E. C. (1954), Some problems in interval estimation, Journal of the Royal Statistical Society B 16, 175–185.
 */
export function ratioOfTotals({ baseline, candidate, groups }: Totals): PFunction | undefined {
  const [before, after] = [sumOf(baseline), sumOf(candidate)]
  if (!(before > 0 && after > 0)) return undefined
  const names = groups ?? baseline.map((_, index) => String(index))
  const robustAt = (x: number) => {
    const ratio = Math.exp(x)
    const values = Float64Array.from(candidate, (value, index) => value - ratio * (baseline[index] ?? 0))
    return clusterRobustMean({ values, groups: names })
  }
  const tail = (x: number, side: 1 | -1) => {
    const robust = robustAt(x)
    if (!robust || robust.standardError === undefined) return side * (robust?.mean ?? 0) > 0 ? 0 : 1
    return studentUpperTail((side * robust.mean) / robust.standardError, robust.degreesOfFreedom)
  }
  const estimate = Math.log(after / before)
  const standardError = robustAt(estimate)?.standardError ?? 0
  const bounds = [estimate - RATIO_MAX, estimate + RATIO_MAX] as const
  // If one of the totals could be 0, the tail rises again towards this bound, and nothing before it can be excluded.
  const [least, most] = [tail(bounds[0], 1), tail(bounds[1], -1)]
  return {
    estimate,
    below: (x) => Math.max(least, tail(x, 1)),
    above: (x) => Math.max(most, tail(x, -1)),
    bounds,
    spread: (standardError * candidate.length) / after || 1e-9,
  }
}

const RATIO_MAX = Math.log(1e6)
