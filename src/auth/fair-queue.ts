/**
 * Runs a limited number of tasks at a time and schedules groups, such as addresses, round-robin: each group gets one turn, regardless of
 * how many tasks it has queued. Tasks of known devices run first and are never evicted for others.
 */
import { tooManyRequests } from '../base/errors.ts'

export type QueueEntry = { group: string; standing: 'known' | 'unknown' }

export type FairQueue = <Result>(entry: QueueEntry, work: () => Promise<Result>) => Promise<Result>

type Waiting = QueueEntry & { begin(): void; reject(error: Error): void }

type Limits = { atOnce: number; waitingMax: number; random: () => number }

export function createFairQueue({ atOnce, waitingMax, random }: Limits): FairQueue {
  const waiting: Waiting[] = []
  let running = 0

  function next(): void {
    const known = waiting.findIndex(({ standing }) => standing === 'known')
    const place = known >= 0 ? known : anyOf(waiting[0]?.group)
    const [entry] = place < 0 ? [] : waiting.splice(place, 1)
    if (!entry) {
      running -= 1
      return
    }
    // The rest of the group moves to the end of the queue, in its order.
    const rest = waiting.filter(({ group }) => group === entry.group)
    for (const other of rest) waiting.splice(waiting.indexOf(other), 1)
    waiting.push(...rest)
    entry.begin()
  }

  /** A random task of the group: with the first one, a client that floods from a shared address would always win. */
  function anyOf(group: string | undefined): number {
    const places = waiting.flatMap((entry, place) => (entry.group === group ? [place] : []))
    return places[Math.floor(random() * places.length)] ?? -1
  }

  /** Evicts a random task of the largest group, so that a flood evicts mostly its own tasks. */
  function makeRoom(): void {
    const strangers = waiting.filter(({ standing }) => standing === 'unknown')
    if (waiting.length - strangers.length > waitingMax) pushOut(waiting.at(-1))
    if (strangers.length <= waitingMax) return
    const sizes = new Map<string, number>()
    for (const { group } of strangers) sizes.set(group, (sizes.get(group) ?? 0) + 1)
    const largest = Math.max(...sizes.values())
    const candidates = strangers.filter(({ group }) => sizes.get(group) === largest)
    pushOut(candidates[Math.floor(random() * candidates.length)])
  }

  function pushOut(chosen: Waiting | undefined): void {
    if (!chosen) return
    waiting.splice(waiting.indexOf(chosen), 1)
    chosen.reject(tooManyRequests('Too many attempts; wait before you try again', RETRY_SECONDS))
  }

  return async (entry, work) => {
    if (running < atOnce) running += 1
    else {
      await new Promise<void>((begin, reject) => {
        waiting.push({ ...entry, begin, reject })
        makeRoom()
      })
    }
    try {
      return await work()
    } finally {
      next()
    }
  }
}

const RETRY_SECONDS = 1
