import { normalQuantile, twoSidedCriticalValue } from './distributions.ts'

/** The power and confidence of a planned comparison. */
type Assurance = {
  /** The probability of detecting the difference if it exists. Default: 0.8. */
  readonly power?: number
  /** The confidence of the two-sided test. Default: 0.95. */
  readonly confidence?: number
}

/**
 * The number of pairs needed to detect this mean difference, given the standard deviation of their differences:
 * ((z₁₋α⸝₂ + z_power) · sd / difference)², at least 1. Undefined for a difference of 0.
 *
 * The standard formula for the mean of paired differences with the normal in place of the t distribution. Cohen, J.
 * (1988), Statistical Power Analysis for the Behavioral Sciences, uses t and asks for one or two pairs more.
 */
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
  if (!(n > 0) || rate === 1) return undefined
  return leastThatShows(1 - rate, (difference) => needed(rate, rate + difference, options) <= n)
}

/** Undefined if not even the greatest difference is shown. */
function leastThatShows(greatest: number, isShown: (difference: number) => boolean): number | undefined {
  if (!isShown(greatest)) return undefined
  let shows = greatest
  let doesNot = 0
  // Halving 60 times leaves less than the last digit of a double.
  for (let step = 0; step < 60; step++) {
    const middle = (shows + doesNot) / 2
    if (isShown(middle)) shows = middle
    else doesNot = middle
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
  // 1 − 0.9 − 0.1 is just below 0 because of rounding.
  const other = Math.min(1, Math.max(0, rate + difference))
  if (!(Math.abs(difference) > 0 && Math.abs(rate + difference - other) < 1e-12)) return undefined
  return roundUp(needed(rate, other, options))
}

/**
 * The smallest difference of two means that separate samples of these sizes are likely to show: (z₁₋α⸝₂ + z_power) · sd · √(1/n + 1/m).
 * Undefined if one of them is empty.
 *
 * Chow, S.-C., Shao, J. & Wang, H. (2008), Sample Size Calculations in Clinical Research, 2nd edition, section 3.2.1, solved for the
 * difference.
 */
export function detectableMeanDifference(
  options: { readonly sizes: readonly [number, number]; readonly standardDeviation: number } & Assurance,
): number | undefined {
  const { sizes, standardDeviation } = options
  checkSpread(standardDeviation)
  const [n, m] = sizes
  if (!(n > 0 && m > 0)) return undefined
  return sumOfCriticalValues(options) * standardDeviation * Math.sqrt(1 / n + 1 / m)
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

/** Below one half, the formulas would change sign. */
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

/**
 * The greatest share of a population that a sample of n may miss completely: with a larger share, the chance of seeing
 * none is below 1 − confidence. 1 − (1 − confidence)^(1/n), about 3/n for 0.95; 1 if n is 0.
 *
 * The exact form of the rule of three: Hanley, J. A. & Lippman-Hand, A. (1983), If nothing goes wrong, is everything all
 * right?, JAMA 249, 1743–1745; it is the one-sided limit of Clopper & Pearson (1934) for 0 of n.
 */
export function unseenShare(n: number, confidence = 0.95): number {
  if (!(Number.isInteger(n) && n >= 0)) throw new RangeError(`A sample has a whole number of cases, not ${n}.`)
  return n === 0 ? 1 : -Math.expm1(Math.log1p(-confidence) / n)
}

/** The number of cases in which a share of this size is seen at least once with this confidence; the inverse. */
export function casesToSee(share: number, confidence = 0.95): number {
  if (!(share > 0 && share <= 1)) throw new RangeError(`A share to see lies above 0 and at most at 1, not at ${share}.`)
  return share === 1 ? 1 : Math.ceil((Math.log1p(-confidence) / Math.log1p(-share)) * (1 - 1e-12))
}
