/**
 * The power of a comparison: the difference that the given number of items can detect, and the number of items needed
 * to detect a smaller difference. Computed for one metric, without correction for multiple tests.
 */

import { detectablePairedRate, itemsForPairedRate } from '../../statistics/paired-rate-power.ts'

export type Power = {
  /** The smallest difference that this number of items detects with a power of 80 %; null if unknown. Of a ratio: its share above 1. */
  readonly detectableDifference: number | null
  /**
   * The number of items needed to detect a smaller difference: the margin if set, otherwise roughly the difference that
   * twice as many items would detect.
   */
  readonly casesFor: { readonly difference: number; readonly cases: number } | null
}

const UNKNOWN: Power = { detectableDifference: null, casesFor: null }

/** With fewer differing items no test can reach 0.05, and their variance is unknown. */
export const DIFFERING_MIN = 6
const ITEMS_MIN = 10

type Items = { items: number; differing: number; margin?: number | undefined }

export function powerOfRates({ items, differing, margin }: Items): Power {
  const detectable = detectablePairedRate(items, items === 0 ? 0 : differing / items)
  if (detectable === undefined) return UNKNOWN
  const difference = targetDifference(detectable, margin)
  const cases = itemsForPairedRate(difference, differing / items)
  return { detectableDifference: detectable, casesFor: cases === undefined ? null : { difference, cases } }
}

/** The detectable difference falls with the square root of the number of items. */
export function powerOfMeans(detectable: number | null, { items, differing, margin }: Items): Power {
  if (detectable === null || differing < DIFFERING_MIN) return UNKNOWN
  const difference = targetDifference(detectable, margin)
  const cases = Math.max(ITEMS_MIN, Math.ceil(items * (detectable / difference) ** 2 * (1 - ROUNDING_SHARE)))
  return { detectableDifference: detectable, casesFor: Number.isFinite(cases) ? { difference, cases } : null }
}

/** `inflation`: how many times as many items the planned looks need as a single one. */
export function powerOfLooks(power: Power, inflation: number): Power {
  if (inflation === 1) return power
  const { detectableDifference, casesFor } = power
  return {
    detectableDifference: detectableDifference && detectableDifference * Math.sqrt(inflation),
    casesFor: casesFor && { ...casesFor, cases: Math.ceil(casesFor.cases * inflation) },
  }
}

const ROUNDING_SHARE = 1e-12

/** Twice as many items detect a difference that is smaller by √2. */
function targetDifference(detectable: number, margin: number | undefined): number {
  return margin !== undefined && margin > 0 ? margin : Number((detectable / Math.SQRT2).toPrecision(1))
}
