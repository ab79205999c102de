/** Parses times and durations to nanoseconds. */
import { parseDateTime, utcMs } from './rfc3339.ts'

/** `from` is inclusive, `until` is exclusive. A date covers 24 hours, a time one nanosecond. */
export type Interval = { from: bigint; until: bigint }

const MS_NS = 1_000_000n
const DAY_NS = 86_400_000_000_000n
/** The range of a nanosecond column, with a margin of one on both sides. */
const NS_MAX = 2n ** 63n - 2n

const DATE = /^(\d{4})-(\d\d)-(\d\d)$/

/** A date or a date-time of RFC 3339, or a relative time such as `-24h`. */
export function parseTime(text: string, now: number): Interval | undefined {
  return parseTimestamp(text) ?? parseAgo(text, now)
}

/** A date in UTC, or a date-time of RFC 3339. */
export function parseTimestamp(text: string): Interval | undefined {
  const date = DATE.exec(text)
  if (date) {
    const ms = utcMs(date.slice(1, 4))
    return ms === undefined ? undefined : interval(BigInt(ms) * MS_NS, DAY_NS)
  }
  const time = parseDateTime(text)
  return time === undefined ? undefined : interval(time, 1n)
}

const AGO_MS = new Map(Object.entries({ s: 1_000, m: 60_000, h: 3_600_000, d: 86_400_000, w: 604_800_000 }))

function parseAgo(text: string, now: number): Interval | undefined {
  const ago = /^-(\d{1,9})([smhdw])$/.exec(text)
  if (!ago) return undefined
  return interval((BigInt(now) - BigInt(Number(ago[1]) * (AGO_MS.get(ago[2] ?? '') ?? 0))) * MS_NS, 1n)
}

const UNIT_NS = new Map(Object.entries({ '': 1e9, us: 1e3, ms: 1e6, s: 1e9, m: 6e10, min: 6e10, h: 3.6e12 }))

/** A duration; the default unit is seconds. */
export function parseDuration(text: string): Interval | undefined {
  const [, digits, unit] = /^(\d{1,15}(?:\.\d{0,15})?|\.\d{1,15})([a-z]*)$/i.exec(text) ?? []
  const unitNs = UNIT_NS.get(unit?.toLowerCase() ?? '')
  if (digits === undefined || unitNs === undefined) return undefined
  return interval(BigInt(Math.round(Number(digits) * unitNs)), 1n)
}

/** Clamped because clients use the year 9999 for "no end", while nanoseconds end in 2262. */
function interval(from: bigint, length: bigint): Interval {
  return { from: within(from), until: within(from + length) }
}

function within(ns: bigint): bigint {
  if (ns > NS_MAX) return NS_MAX
  return ns < -NS_MAX ? -NS_MAX : ns
}
