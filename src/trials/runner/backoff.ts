/**
 * For how long a connection gets no calls, because its provider is overloaded or cannot be reached. Of this process: after a restart, one
 * call asks again.
 */
import { type Clock, elapsedMs } from '../../base/clock.ts'

const PAUSE_MS_MAX = 60_000
const KNOWN_MAX = 10_000

export type Backoff = {
  /** The rest of the pause of a connection; 0 if it may be called. */
  leftMs(connectionId: string): number
  /** Doubles the pause, up to a minute, or takes the one that the provider asks for; returns it. */
  pause(connectionId: string, retryAfterMs: number): number
  /** The provider answers. */
  reset(connectionId: string): void
}

export function createBackoff(clock: Clock, firstPauseMs: number): Backoff {
  const paused = new Map<string, { until: number; pauseMs: number }>()
  return {
    leftMs(id) {
      const known = paused.get(id)
      return known === undefined ? 0 : Math.max(0, known.until - elapsedMs(clock))
    },
    pause(id, retryAfterMs) {
      const known = paused.get(id)
      const now = elapsedMs(clock)
      // Calls that were sent before the pause fail with the same cause, and must not double it again.
      const isSamePause = known !== undefined && known.until > now
      const doubled = known === undefined ? firstPauseMs : isSamePause ? known.pauseMs : known.pauseMs * 2
      const pauseMs = Math.min(doubled, PAUSE_MS_MAX)
      const until = Math.max(known?.until ?? 0, now + Math.max(pauseMs, retryAfterMs))
      if (paused.size >= KNOWN_MAX) paused.clear()
      paused.set(id, { until, pauseMs })
      return until - now
    },
    reset(id) {
      paused.delete(id)
    },
  }
}
