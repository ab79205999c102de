import { countOf } from '../format-number.ts'
import { timeTicksIn } from './ticks.ts'

export interface TimeBucket {
  /** Milliseconds since 1970. */
  start: number
  count: number
  errors: number
}

/** Times in milliseconds since 1970; `to` is excluded. */
export interface TimeRange {
  from: number
  to: number
}

const clock = new Intl.DateTimeFormat('en-GB', { hour: '2-digit', minute: '2-digit', hourCycle: 'h23' })
const day = new Intl.DateTimeFormat('en-GB', { day: 'numeric', month: 'short' })
const moment = new Intl.DateTimeFormat('en-GB', {
  day: 'numeric',
  month: 'short',
  hour: '2-digit',
  minute: '2-digit',
  hourCycle: 'h23',
})

const month = new Intl.DateTimeFormat('en-GB', { month: 'short', year: 'numeric' })

/** From about a year on, days without a year are ambiguous. */
const YEAR_MS = 330 * 86_400_000

export function formatMoment(time: number): string {
  return moment.format(time)
}

/** "14:20 to 14:40", with days if the range spans several. */
export function formatRange({ from, to }: TimeRange): string {
  if (to - from > YEAR_MS) return `${month.format(from)} to ${month.format(to)}`
  const format = day.format(from) === day.format(to) ? clock : moment
  return `${format.format(from)} to ${format.format(to)}`
}

export function describeBucket({ count, errors }: TimeBucket): string {
  return `${countOf(count, 'trace')}, ${countOf(errors, 'error')}`
}

export function sumBuckets(buckets: TimeBucket[]): TimeBucket {
  const sum = { start: buckets[0]?.start ?? 0, count: 0, errors: 0 }
  for (const { count, errors } of buckets) {
    sum.count += count
    sum.errors += errors
  }
  return sum
}

/** Round times of the user's clock; days at midnight instead of "00:00". */
export function timeTicks({ from, to }: TimeRange, count: number): { time: number; text: string }[] {
  return timeTicksIn(from, to, count).map((date) => {
    if (to - from > YEAR_MS) return { time: date.getTime(), text: month.format(date) }
    const isMidnight = date.getHours() === 0 && date.getMinutes() === 0
    return { time: date.getTime(), text: isMidnight ? day.format(date) : clock.format(date) }
  })
}
