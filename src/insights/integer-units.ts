/**
 * Converts amounts to integers. Sums of fractions depend on the order of addition; sums of integers do not, up to 2^53.
 */

/** The cheapest tokens cost about 10^-8 dollars, and 2^53 units are 900,000 dollars. */
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
