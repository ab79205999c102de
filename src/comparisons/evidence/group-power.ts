import type { Power } from './comparison-power.ts'

const ROUNDING_SHARE = 1e-12

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
  // As for independent items, without a margin: what twice as many items would show.
  const difference = margin !== undefined && margin > 0 ? before : Number((detectable / Math.SQRT2).toPrecision(1))
  const needed = Math.ceil(cases * factor * (before / difference) ** 2 * (1 - ROUNDING_SHARE))
  return { ...power, detectableDifference: detectable, casesFor: { difference, cases: needed } }
}
