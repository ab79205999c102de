import { type Clock, timestamp } from '../base/clock.ts'

const DAY_MS = 86_400_000
const DAYS = 30

/** Days are in UTC, so that all servers agree on them. */
export type SpendingDays = {
  today: string
  /** The first of the last 30 days. */
  first: string
  /** When the limit of a day ends. */
  tomorrow: string
}

export function spendingDays(clock: Clock): SpendingDays {
  const now = clock.now()
  const at = (days: number) => timestamp(now + days * DAY_MS).slice(0, 10)
  return { today: at(0), first: at(1 - DAYS), tomorrow: startOf(at(1)) }
}

/** All of them, oldest first. */
export function daysFrom(first: string): string[] {
  const start = Date.parse(first)
  return Array.from({ length: DAYS }, (_, place) => timestamp(start + place * DAY_MS).slice(0, 10))
}

export function startOf(day: string): string {
  return `${day}T00:00:00.000Z`
}
