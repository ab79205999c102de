/** The only source of time: `now` for times, `elapsedMs` for durations. */
export type Clock = {
  /** Milliseconds since 1970-01-01T00:00:00Z. Goes back when the system time is set back. */
  now(): number
  /** Monotonic milliseconds, unaffected by changes of the system time. Defaults to `now`. */
  elapsed?(): number
}

export function systemClock(): Clock {
  return { now: () => Date.now(), elapsed: () => performance.now() }
}

/** For durations. With `now`, a timeout of a second would last an hour if the system time is set back by an hour. */
export function elapsedMs(clock: Clock): number {
  return clock.elapsed?.() ?? clock.now()
}

const THOUSANDTHS = Array.from({ length: 1_000 }, (_, place) => `${String(place).padStart(3, '0')}Z`)

const DAY_SECONDS = 86_400
const DIGITS = Array.from({ length: 60 }, (_, number) => String(number).padStart(2, '0'))

let lastDay = Number.NaN
let lastDate = ''

/** The only format in which times are stored, compared and sent: RFC 3339, UTC, milliseconds. */
export function timestamp(milliseconds: number): string {
  const second = Math.floor(milliseconds / 1_000)
  const day = Math.floor(second / DAY_SECONDS)
  // Consecutive timestamps are mostly of the same day, and formatting a date costs ten times as much as the rest.
  if (day !== lastDay) {
    lastDate = new Date(day * DAY_SECONDS * 1_000).toISOString().slice(0, -13)
    lastDay = day
  }
  const ofDay = second - day * DAY_SECONDS
  const hour = Math.floor(ofDay / 3_600)
  const minute = Math.floor(ofDay / 60) - hour * 60
  const time = `${DIGITS[hour]}:${DIGITS[minute]}:${DIGITS[ofDay % 60]}`
  return `${lastDate}${time}.${THOUSANDTHS[Math.floor(milliseconds) - second * 1_000]}`
}
