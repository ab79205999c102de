/** The only source of time: `now` for times, `elapsedMs` for durations. */
export type Clock = {
  /** Milliseconds since 1970-01-01T00:00:00Z. Goes back when the time of the system is set back. */
  now(): number
  /** Milliseconds since any moment, whatever happens to the time of the system. Left out: `now`. */
  elapsed?(): number
}

export function systemClock(): Clock {
  return { now: () => Date.now(), elapsed: () => performance.now() }
}

/** For durations. By `now`, a clock that is set back an hour would end nothing that takes a second for an hour. */
export function elapsedMs(clock: Clock): number {
  return clock.elapsed?.() ?? clock.now()
}

const THOUSANDTHS = Array.from({ length: 1_000 }, (_, place) => `${String(place).padStart(3, '0')}Z`)

let lastSecond = Number.NaN
let lastPrefix = ''

/** The one form in which times are stored, compared and sent: RFC 3339, UTC, milliseconds. */
export function timestamp(milliseconds: number): string {
  const second = Math.floor(milliseconds / 1_000)
  // Times that are written together are mostly of the same second, and to write a date costs ten times as much as this.
  if (second !== lastSecond) {
    lastPrefix = new Date(second * 1_000).toISOString().slice(0, -4)
    lastSecond = second
  }
  return lastPrefix + THOUSANDTHS[Math.floor(milliseconds) - second * 1_000]
}
