import { timestamp } from '../../base/clock.ts'

const DAY_MS = 86_400_000

/** Data before this point is older than `days`. */
export type Cutoff = {
  /** Traces with a smaller id were created earlier: ids contain the time of their creation. */
  id: string
  /** As `2026-11-14`, in UTC. */
  day: string
}

export function cutoffOf(nowMs: number, days: number): Cutoff {
  const ms = Math.max(nowMs - days * DAY_MS, 0)
  const hex = ms.toString(16).padStart(12, '0')
  return { id: `${hex.slice(0, 8)}-${hex.slice(8)}-0000-0000-000000000000`, day: timestamp(ms).slice(0, 10) }
}
