/** The limits of an application for what calls of models cost, and amounts in billionths of a dollar. */
import type { SpendingDays } from './spending-days.ts'
import type { SpendingLimits, SpentNanos } from './spending-queries.ts'

const NANOS = 1_000_000_000

/** Rounded up: a call never costs less than it is counted as. */
export function nanosOf(usd: number): number {
  // Multiplying adds an error of its own, which must not become a whole unit.
  return Math.ceil(usd * NANOS - 1e-6)
}

export function dollarsOf(nanos: number): number {
  return nanos / NANOS
}

/** Why a call that costs up to `nanos` would exceed a limit; undefined if it would not. */
export function whyExceeded(
  limits: SpendingLimits,
  spent: SpentNanos,
  { nanos, days }: { nanos: number; days: SpendingDays },
): string | undefined {
  const exceeds = (limit: number | null, sum: number) =>
    limit !== null && sum + nanos > Math.floor(limit * NANOS + 1e-6)
  if (exceeds(limits.maxUsdPerDay, spent.today)) return perDay(limits, spent, days)
  if (exceeds(limits.maxUsdPer30Days, spent.last30Days)) return per30Days(limits, spent)
  return undefined
}

/** Why no call at all is possible. */
export function whyReached(limits: SpendingLimits, spent: SpentNanos, days: SpendingDays): string | undefined {
  return whyExceeded(limits, spent, { nanos: 1, days })
}

const REMEDY = 'an admin can raise it under Settings, Models'

function perDay({ maxUsdPerDay }: SpendingLimits, { today }: SpentNanos, { tomorrow }: SpendingDays): string {
  return `The spending limit of $${maxUsdPerDay} per day leaves no room for another call of a model ($${shown(today)} are spent or reserved); it begins again at ${tomorrow}, or ${REMEDY}`
}

function per30Days({ maxUsdPer30Days }: SpendingLimits, { last30Days }: SpentNanos): string {
  return `The spending limit of $${maxUsdPer30Days} per 30 days leaves no room for another call of a model ($${shown(last30Days)} are spent or reserved); ${REMEDY}`
}

function shown(nanos: number): string {
  return String(Number(dollarsOf(nanos).toFixed(4)))
}

export function whyUnpriced(model: string): string {
  return `No price is configured for ${model}, so the spending limit of the application cannot be enforced; add one under Settings, Prices (/prices)`
}
