/** Time that stands still until a test moves it. */
import type { Clock } from '../../src/base/clock.ts'
import type { Timer } from '../../src/llm/host-limits.ts'

export type FakeTime = {
  clock: Clock
  timer: Timer
  /** How many are waiting to be called back. */
  readonly timersSet: number
  /** Advances, and runs all timers that are due meanwhile, each at its time. */
  pass(ms: number): Promise<void>
}

export function fakeTime(): FakeTime {
  let now = 1_000_000
  const timers = new Set<{ at: number; wake: () => void }>()
  return {
    clock: { now: () => now },
    timer(ms, wake) {
      const entry = { at: now + ms, wake }
      timers.add(entry)
      return () => timers.delete(entry)
    },
    get timersSet() {
      return timers.size
    },
    async pass(ms) {
      const end = now + ms
      await settle()
      while (true) {
        const [next] = [...timers].sort((a, b) => a.at - b.at)
        if (!next || next.at > end) break
        timers.delete(next)
        now = Math.max(now, next.at)
        next.wake()
        await settle()
      }
      now = end
    },
  }
}

/** Lets everything happen that waits for nothing but its turn. */
export async function settle(): Promise<void> {
  await new Promise<void>((resolve) => setImmediate(resolve))
}
