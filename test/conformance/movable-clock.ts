import { type Clock, systemClock } from '../../src/base/clock.ts'

export type MovableClock = Clock & { advance(ms: number): void }

/** The system's time, which a test can move forward. */
export function movableClock(): MovableClock {
  const clock = systemClock()
  let ahead = 0
  return {
    now: () => clock.now() + ahead,
    advance(ms) {
      ahead += ms
    },
  }
}

export const SECOND = 1_000
export const HOUR = 3_600 * SECOND
export const DAY = 24 * HOUR
