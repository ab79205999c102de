/** Sums of fractions depend on the order in which they are added; sums of whole numbers do not, up to 2^53. */

/** A token costs 10^-8 dollars and more, and 2^53 units are 900,000 dollars. */
const UNITS_PER_DOLLAR = 1e10

export function dollarUnits(costUsd: number): number {
  return Math.round(costUsd * UNITS_PER_DOLLAR)
}

export function dollarsOf(units: number): number {
  return units / UNITS_PER_DOLLAR
}

export function microseconds(durationMs: number): number {
  return Math.round(durationMs * 1_000)
}
