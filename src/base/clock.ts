/** The only source of time. `now` never goes backwards within a process, so that `createdAt` cannot decrease. */
export type Clock = {
  /** Milliseconds since 1970-01-01T00:00:00Z. */
  now(): number
}

export function systemClock(): Clock {
  let latest = 0
  return {
    now() {
      const current = Date.now()
      if (current > latest) latest = current
      return latest
    },
  }
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
