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

/** The number of cases that are positive on both sides, on one, or on none. */
export type PairedCounts = {
  readonly both: number
  readonly onlyCandidate: number
  readonly onlyBaseline: number
  readonly neither: number
  /** The effective number of independent cases if cases are clustered (`scoreUnits`). Default: all. */
  readonly units?: number
  readonly confidence?: number
}

type PairedDifference = {
  /** Rate of the candidate − rate of the baseline. */
  readonly difference: number
  readonly interval: Interval
}

/**
 * The difference of two rates of the same cases, with its score interval; undefined without cases.
 *
 * Newcombe, R. G. (1998), Improved confidence intervals for the difference between binomial proportions based on paired
 * data, Statistics in Medicine 17, 2635–2650, method 10: the Wilson intervals of the two rates, squared and added with the
 * correlation φ between them, which is corrected for continuity. It has a width when no case differs, and stays inside
 * [−1, 1].
 */
export function newcombePairedInterval(counts: PairedCounts): PairedDifference | undefined {
  const { both, onlyCandidate, onlyBaseline, neither, confidence = 0.95 } = counts
  const n = both + onlyCandidate + onlyBaseline + neither
  const units = counts.units ?? n
  if (![both, onlyCandidate, onlyBaseline, neither].every((count) => Number.isInteger(count) && count >= 0)) {
    throw new RangeError('Pairs are counted in whole numbers of 0 or more.')
  }
  const candidate = wilsonInterval({ successes: both + onlyCandidate, n, units, confidence })
  const baseline = wilsonInterval({ successes: both + onlyBaseline, n, units, confidence })
  if (!candidate || !baseline) return undefined

  const phi = correctedPhi(counts, n, units)
  const difference = (onlyCandidate - onlyBaseline) / n
  const candidateRate = (both + onlyCandidate) / n
  const baselineRate = (both + onlyBaseline) / n
  const down = hypotenuse(candidateRate - candidate[0], baseline[1] - baselineRate, phi)
  const up = hypotenuse(candidate[1] - candidateRate, baselineRate - baseline[0], phi)
  return { difference, interval: [Math.max(-1, difference - down), Math.min(1, difference + up)] }
}

/**
 * The correlation of the two sides. A positive one is moved n/2 towards zero, but not past it; a negative one is not
 * changed. With fewer units than n, all counts are those of a sample of that size: the correction is larger by n / units.
 */
function correctedPhi({ both, onlyCandidate, onlyBaseline, neither }: PairedCounts, n: number, units: number): number {
  const candidateYes = both + onlyCandidate
  const baselineYes = both + onlyBaseline
  // As two roots: the product of all four exceeds what a double counts exactly from about 10,000 cases on.
  const scale = Math.sqrt(candidateYes * (n - candidateYes)) * Math.sqrt(baselineYes * (n - baselineYes))
  if (scale === 0) return 0
  const determinant = both * neither - onlyCandidate * onlyBaseline
  return (determinant > 0 ? Math.max(0, determinant - (n / 2) * (n / units)) : determinant) / scale
}

/** The third side of a triangle whose other two enclose an angle with cosine φ. */
function hypotenuse(a: number, b: number, phi: number): number {
  // Ordered so that swapping the two gives the same result to the last digit.
  return Math.sqrt(Math.max(0, a * a + b * b - 2 * phi * (a * b)))
}
