import { normalQuantile, twoSidedCriticalValue } from './normal-distribution.ts'

/** How sure a planned comparison is to be. */
export type Assurance = {
  /** The chance to find the difference if it is there; 0.8 if left out. */
  readonly power?: number
  /** Of the two-sided test; 0.95 if left out. */
  readonly confidence?: number
}

/**
 * The smallest mean difference that n pairs are likely to show, given the standard deviation of their differences:
 * (z₁₋α⸝₂ + z_power) · sd / √n. Undefined without pairs.
 *
 * The standard formula for the mean of paired differences with the normal in place of the t distribution. Cohen, J.
 * (1988), Statistical Power Analysis for the Behavioral Sciences, uses t and asks for one or two pairs more.
 */
export function detectableDifference(
  options: { readonly n: number; readonly standardDeviation: number } & Assurance,
): number | undefined {
  const { n, standardDeviation } = options
  checkSpread(standardDeviation)
  const reach = sumOfCriticalValues(options)
  return n > 0 ? (reach * standardDeviation) / Math.sqrt(n) : undefined
}

/** How many pairs show this mean difference: the inverse of `detectableDifference`, at least 1. Undefined for no difference. */
export function casesNeeded(
  options: { readonly difference: number; readonly standardDeviation: number } & Assurance,
): number | undefined {
  const { difference, standardDeviation } = options
  checkSpread(standardDeviation)
  const reach = sumOfCriticalValues(options)
  if (!(Math.abs(difference) > 0)) return undefined
  return roundUp(((reach * standardDeviation) / difference) ** 2)
}

/**
 * The standard deviation of paired yes/no differences (+1 gained, −1 lost, 0 alike), for the two functions above: the share
 * of cases that differ at all decides how many are needed, as in Connor, R. J. (1987), Sample size for testing differences
 * in proportions for the paired-sample design, Biometrics 43, 207–211. Undefined without cases.
 */
export function discordanceDeviation(counts: {
  readonly gained: number
  readonly lost: number
  readonly n: number
}): number | undefined {
  const { gained, lost, n } = counts
  if (n === 0) return undefined
  return Math.sqrt(Math.max(0, (gained + lost) / n - ((gained - lost) / n) ** 2))
}

/**
 * The smallest rise of a rate that two separate samples of n cases each are likely to show. Undefined if not even a rise to
 * 1 would show. For a fall ask about the opposite: `rate: 1 - rate`.
 *
 * It is the difference for which `casesNeededForRates` gives n, as R's `power.prop.test` finds p2.
 */
export function detectableRateDifference(
  options: { readonly n: number; readonly rate: number } & Assurance,
): number | undefined {
  const { n, rate } = options
  checkRate(rate)
  if (!(n > 0) || needed(rate, 1, options) > n) return undefined
  let shows = 1 - rate
  let doesNot = 0
  // Halving 60 times leaves less than the last digit of a double.
  for (let step = 0; step < 60; step++) {
    const middle = (shows + doesNot) / 2
    if (needed(rate, rate + middle, options) > n) doesNot = middle
    else shows = middle
  }
  return shows
}

/**
 * How many cases each of two separate samples needs to show that a rate has changed by this difference. Undefined for no
 * difference, and where rate + difference is not a rate.
 *
 * Fleiss, J. L., Levin, B. & Paik, M. C. (2003), Statistical Methods for Rates and Proportions, chapter 4, without
 * continuity correction, which is also R's `power.prop.test`.
 */
export function casesNeededForRates(
  options: { readonly rate: number; readonly difference: number } & Assurance,
): number | undefined {
  const { rate, difference } = options
  checkRate(rate)
  // 1 − 0.9 − 0.1 is just below 0, and 0 is meant.
  const other = Math.min(1, Math.max(0, rate + difference))
  if (!(Math.abs(difference) > 0 && Math.abs(rate + difference - other) < 1e-12)) return undefined
  return roundUp(needed(rate, other, options))
}

function needed(first: number, second: number, { power = 0.8, confidence = 0.95 }: Assurance): number {
  const mean = (first + second) / 2
  const asIfEqual = twoSidedCriticalValue(confidence) * Math.sqrt(2 * mean * (1 - mean))
  const asTheyAre = quantileOfPower(power) * Math.sqrt(first * (1 - first) + second * (1 - second))
  return ((asIfEqual + asTheyAre) / (second - first)) ** 2
}

function sumOfCriticalValues({ power = 0.8, confidence = 0.95 }: Assurance): number {
  return twoSidedCriticalValue(confidence) + quantileOfPower(power)
}

/** Below one half a difference would be planned to be missed, and the formulas turn around. */
function quantileOfPower(power: number): number {
  if (!(power >= 0.5 && power < 1)) throw new RangeError(`A power lies between 0.5 and 1, not at ${power}.`)
  return normalQuantile(power)
}

/** Whole cases, at least one. A result that is whole but for rounding stays: 400.00000000000006 cases are 400. */
function roundUp(cases: number): number {
  return Math.max(1, Math.ceil(cases * (1 - 1e-12)))
}

function checkRate(rate: number): void {
  if (!(rate >= 0 && rate <= 1)) throw new RangeError(`A rate lies between 0 and 1, not at ${rate}.`)
}

function checkSpread(standardDeviation: number): void {
  if (!(standardDeviation >= 0 && standardDeviation < Infinity)) {
    throw new RangeError(`A standard deviation is 0 or more, not ${standardDeviation}.`)
  }
}
