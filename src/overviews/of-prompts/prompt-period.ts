import { timestamp } from '../../base/clock.ts'
import { badRequest } from '../../base/errors.ts'
import { DAYS_DEFAULT, DAYS_MAX } from './prompt-summary-schemas.ts'

export const BUCKET_HOURS = 6
const HOUR_MS = 3_600_000

/** Whole buckets of six hours; the last one contains the present. */
export type PromptPeriod = { firstHour: number; endHour: number }

export function readPromptPeriod(days: string | undefined, nowMs: number): PromptPeriod {
  const count = days === undefined ? DAYS_DEFAULT : /^[1-9]\d?$/.test(days) ? Number(days) : Number.NaN
  if (!(count <= DAYS_MAX)) throw badRequest(`The query parameter days must be a whole number from 1 to ${DAYS_MAX}`)
  const endHour = (Math.floor(nowMs / HOUR_MS / BUCKET_HOURS) + 1) * BUCKET_HOURS
  return { firstHour: Math.max(0, endHour - count * 24), endHour }
}

export function timeOfHour(hour: number): string {
  return timestamp(hour * HOUR_MS)
}

export function promptPeriodTimes({ firstHour, endHour }: PromptPeriod) {
  return { from: timeOfHour(firstHour), to: timeOfHour(endHour), bucketSeconds: BUCKET_HOURS * 3_600 }
}

/** The first hour of each bucket. */
export function bucketHours({ firstHour, endHour }: PromptPeriod): number[] {
  const hours: number[] = []
  for (let hour = firstHour; hour < endHour; hour += BUCKET_HOURS) hours.push(hour)
  return hours
}
