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

let lastSecond = Number.NaN
let lastPrefix = ''

/** The only format in which times are stored, compared and sent: RFC 3339, UTC, milliseconds. */
export function timestamp(milliseconds: number): string {
  const second = Math.floor(milliseconds / 1_000)
  // Consecutive timestamps are mostly in the same second, and formatting a date costs ten times as much.
  if (second !== lastSecond) {
    lastPrefix = new Date(second * 1_000).toISOString().slice(0, -4)
    lastSecond = second
  }
  return lastPrefix + THOUSANDTHS[Math.floor(milliseconds) - second * 1_000]
}
