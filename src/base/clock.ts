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

/** The one form in which times are stored, compared and sent: RFC 3339, UTC, milliseconds. */
export function timestamp(milliseconds: number): string {
  return new Date(milliseconds).toISOString()
}
