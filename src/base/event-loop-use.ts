import { performance } from 'node:perf_hooks'
import { type Clock, elapsedMs } from './clock.ts'

const WINDOW_MS = 60_000

export type EventLoopUse = { utilization: number; windowSeconds: number }

/**
 * Returns a function that reports which share of the time the main thread was busy: since the process began, and from then on since a
 * call at least a minute ago. Costs nothing between calls.
 */
export function measureEventLoop(clock: Clock): () => EventLoopUse {
  let from = { at: elapsedMs(clock), use: performance.eventLoopUtilization() }
  return () => {
    const use = performance.eventLoopUtilization()
    const { utilization } = performance.eventLoopUtilization(use, from.use)
    const at = elapsedMs(clock)
    const windowSeconds = Math.round((at - from.at) / 1_000)
    if (at - from.at >= WINDOW_MS) from = { at, use }
    return { utilization, windowSeconds }
  }
}
