/**
 * The power of a comparison: the difference that the given number of items can detect, and the number of items needed
 * to detect a smaller difference. Computed for one metric, without correction for multiple tests.
 */

import {
  casesNeeded,
  casesNeededForPairedRates,
  casesToSee,
  detectableDifference,
  detectablePairedRates,
  unseenShare,
} from '../../statistics/power.ts'
import { maxMagnitude, overflowSafeScale } from '../../statistics/sums.ts'

export type Power = {
  /** The smallest difference that this number of items detects with a power of 80 %; null if unknown. */
  readonly detectableDifference: number | null
  /**
   * The number of items needed to detect a smaller difference: the margin if set, otherwise roughly the difference that
   * twice as many items would detect.
   */
  readonly casesFor: { readonly difference: number; readonly cases: number } | null
}

const UNKNOWN: Power = { detectableDifference: null, casesFor: null }

/** With fewer differing items no test can reach 0.05, and their variance is unknown. */
const DIFFERING_MIN = 6

type DifferingItems = { n: number; differing: number; margin: number | undefined }

export function powerOfRates({ n, differing, margin }: DifferingItems): Power {
  if (n === 0) return UNKNOWN
  const discordance = differing / n
  return powerOf(detectablePairedRates({ n, discordance }), margin, (difference) =>
    // A rate cannot change by more than 1.
    difference > 1 ? undefined : casesNeededForPairedRates({ difference, discordance }),
  )
}

/** `changeMax` is the most that one item could change; see `verdict.ts` for items that could be unseen. */
export function powerOfMeans(
  differences: Float64Array,
  { margin, changeMax }: { margin: number | undefined; changeMax: number },
): Power {
  const n = differences.length
  if (!hasEnoughDiffering(differences)) return UNKNOWN
  const standardDeviation = deviationOf(differences)
  const hasSpread = standardDeviation > ROUNDING_SHARE * maxMagnitude(differences)
  if (!hasSpread) return UNKNOWN
  const spread = { standardDeviation: standardDeviation * BOTH_AGREE_FACTOR }
  const detectable = Math.max(detectableDifference({ n, ...spread }) ?? 0, unseenDifference(n, changeMax))
  return powerOf(detectable, margin, (difference) => {
    const cases = casesNeeded({ difference, ...spread })
    return cases === undefined ? undefined : Math.max(cases, casesToSee(difference / (difference + changeMax)))
  })
}

/**
 * The formula of `power.ts` is for one test on normal differences. A verdict needs the interval and the rank test to
 * agree, which costs power: in simulations, differences of a nominal 80 % were found in 70 to 77 of 100 comparisons, and
 * with this factor on the spread in 78 to 83. Strongly skewed differences are found less often, because their ranks and
 * their mean disagree.
 */
const BOTH_AGREE_FACTOR = 1.08

/** The smallest mean difference that items which may be unseen cannot cancel. */
function unseenDifference(n: number, changeMax: number): number {
  const share = unseenShare(n)
  return (share * changeMax) / (1 - share)
}

function powerOf(
  detectable: number | undefined,
  margin: number | undefined,
  casesFor: (difference: number) => number | undefined,
): Power {
  if (detectable === undefined) return UNKNOWN
  const difference = targetDifference(detectable, margin)
  const cases = casesFor(difference)
  return { detectableDifference: detectable, casesFor: cases === undefined ? null : { difference, cases } }
}

function hasEnoughDiffering(differences: Float64Array): boolean {
  let differing = 0
  for (let index = 0; index < differences.length && differing < DIFFERING_MIN; index += 1) {
    if (differences[index] !== 0) differing += 1
  }
  return differing === DIFFERING_MIN
}

const ROUNDING_SHARE = 1e-12

/** Twice as many items detect a difference that is smaller by √2. */
function targetDifference(detectable: number, margin: number | undefined): number {
  return margin !== undefined && margin > 0 ? margin : Number((detectable / Math.SQRT2).toPrecision(1))
}

function deviationOf(values: Float64Array): number {
  let sum = 0
  for (const value of values) sum += value
  const mean = sum / values.length
  const deviations = values.map((value) => value - mean)
  const scale = overflowSafeScale(maxMagnitude(deviations))
  let squares = 0
  for (const deviation of deviations) squares += (scale * deviation) ** 2
  return Math.sqrt(squares / (values.length - 1)) / scale
}

/**
 * The power of grouped items from the power of as many independent ones. `factor` is the number of grouped items that
 * are worth one independent item: the detectable difference grows with its square root, and the number of items with it,
 * if new items come in groups of the same size.
 */
export function inflatePower(
  power: Power,
  { factor, margin, most }: { factor: number; margin: number | undefined; most: number },
): Power {
  if (power.detectableDifference === null) return power
  const detectable = power.detectableDifference * Math.sqrt(factor)
  if (detectable > most) return { ...power, detectableDifference: null, casesFor: null }
  if (power.casesFor === null) return { ...power, detectableDifference: detectable }
  const { difference: before, cases } = power.casesFor
  const difference = targetDifference(detectable, margin)
  const needed = Math.ceil(cases * factor * (before / difference) ** 2 * (1 - ROUNDING_SHARE))
  return { ...power, detectableDifference: detectable, casesFor: { difference, cases: needed } }
}
