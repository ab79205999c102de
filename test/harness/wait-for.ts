/** Waits for what other processes, threads and jobs do. They end when it is there, not after so many seconds. */
import { setTimeout as delay } from 'node:timers/promises'

/**
 * Only there to fail with a name instead of hanging: much more than anything needs on a machine whose cores are all busy. It begins
 * again whenever there is progress.
 */
const STUCK_AFTER_MS = 120_000

/**
 * Probes again and again until there is a result. A probe that throws is probed again, except if the server has ended.
 * `progress` reads how far it is, where the whole may need long.
 */
export async function waitFor<Result>(
  what: string,
  probe: () => Promise<Result | undefined>,
  progress: () => unknown = () => undefined,
): Promise<Result> {
  const startedAt = performance.now()
  let progressAt = startedAt
  let before: unknown
  let last: unknown
  while (performance.now() < progressAt + STUCK_AFTER_MS) {
    try {
      const result = await probe()
      if (result !== undefined) return result
      last = undefined
    } catch (error) {
      if (error instanceof Error && error.message.startsWith('The server ended')) throw error
      last = error
    }
    const now = await progress()
    if (now !== before) progressAt = performance.now()
    before = now
    // At most a tenth later than it could be, so that what is waited for long is not kept from its work by being probed.
    await delay(Math.min(Math.max(10, (performance.now() - startedAt) / 10), 100))
  }
  throw new Error(`Waited in vain for ${what}`, { cause: last })
}

/** Looks again and again until the look throws nothing; returns what was seen. */
export async function until<Result>(look: () => Result | Promise<Result>): Promise<Result> {
  const startedAt = performance.now()
  for (;;) {
    try {
      return await look()
    } catch (error) {
      if (performance.now() > startedAt + STUCK_AFTER_MS) throw error
    }
    await delay(Math.min(Math.max(5, (performance.now() - startedAt) / 10), 50))
  }
}
