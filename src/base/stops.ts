import { setTimeout as delay } from 'node:timers/promises'

const POLL_MS = 500

/** For `catch`: returns undefined for an error after the signal was aborted, and throws every other error. */
export function unlessAborted(signal: AbortSignal): (error: unknown) => undefined {
  return (error) => {
    if (!signal.aborted) throw error
    return undefined
  }
}

type Stoppable = { signal: AbortSignal; shouldYield(): boolean }

/** `yield`: no new call begins, and those that run may end. `end`: those that run are aborted, too. */
type Look = 'continue' | 'yield' | 'end'

/**
 * Asks `look` twice a second whether the work of a job goes on, and whether the job must yield to other jobs. `hardStop` aborts what runs;
 * `softStop` lets it end.
 */
export function watchForStops(job: Stoppable, look: () => Promise<Look>) {
  const hard = new AbortController()
  const soft = new AbortController()
  const over = new AbortController()
  const poll = async () => {
    for (;;) {
      const isOver = await delay(POLL_MS, false, { signal: over.signal }).catch(() => true)
      if (isOver) return
      if (job.shouldYield()) soft.abort()
      // A failed poll is inconclusive. The next write fails if the job is lost.
      const seen = await look().catch(() => 'continue' as const)
      if (seen === 'end') hard.abort()
      if (seen === 'yield') soft.abort()
    }
  }
  void poll()
  const hardStop = AbortSignal.any([job.signal, hard.signal])
  return { hardStop, softStop: AbortSignal.any([hardStop, soft.signal]), end: () => over.abort() }
}
