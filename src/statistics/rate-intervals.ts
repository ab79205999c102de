import { twoSidedCriticalValue } from './distributions.ts'
import type { Interval } from './interval.ts'

type Rate = {
  readonly successes: number
  readonly n: number
  /** The effective number of independent observations if observations are clustered (`effectiveSize`). Default: n. */
  readonly units?: number
  readonly confidence?: number
}

/**
 * The score interval of a rate, without continuity correction; undefined if n is 0.
 *
 * Wilson, E. B. (1927), JASA 22, 209–212. It is method 3 of Newcombe, R. G. (1998), Statistics in Medicine 17, 857–872.
 * Unlike p ± z·se it stays inside [0, 1] and has a width at 0 of n and n of n, which are common in evaluations.
 *
 * With fewer units than n it is the interval of the same rate in a sample of that size, a design effect of n / units.
 */
export function wilsonInterval({ successes, n, units = n, confidence = 0.95 }: Rate): Interval | undefined {
  if (!(Number.isInteger(successes) && Number.isInteger(n) && successes >= 0 && successes <= n)) {
    throw new RangeError(`A rate needs whole numbers with 0 ≤ successes ≤ n, not ${successes} of ${n}.`)
  }
  if (!(units <= n * (1 + 1e-12) && (units > 0 || n === 0))) {
    throw new RangeError(`${n} observations cannot be of ${units} units.`)
  }
  const z = twoSidedCriticalValue(confidence)
  if (n === 0) return undefined
  const share = units / n
  return intervalOf(successes * share, (n - successes) * share, z)
}

/** The same for a weighted share of this many effective observations. */
export function wilsonIntervalOfShare(share: number, units: number): Interval | undefined {
  if (!(share >= 0 && share <= 1 && units >= 0)) {
    throw new RangeError(`A share is between 0 and 1, of at least 0 observations, not ${share} of ${units}.`)
  }
  if (units === 0) return undefined
  return intervalOf(share * units, (1 - share) * units, twoSidedCriticalValue(0.95))
}

function intervalOf(successes: number, failures: number, z: number): Interval {
  return [lowerLimit(successes, failures, z), 1 - lowerLimit(failures, successes, z)]
}

/**
 * The smaller root π of (n + z²)π² − (2s + z²)π + s²/n = 0, which is |s/n − π| = z √(π(1 − π)/n) squared. Computed as
 * (product of the roots) / (larger root): the textbook form subtracts two nearly equal numbers if s is small and may be
 * just below zero, this one is exactly 0 at s = 0.
 */
function lowerLimit(successes: number, failures: number, z: number): number {
  const n = successes + failures
  const root = z * Math.sqrt(z * z + (4 * successes * failures) / n)
  return (2 * successes * (successes / n)) / (2 * successes + z * z + root)
}
