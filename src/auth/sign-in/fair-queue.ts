/**
 * Runs a limited number of tasks at a time and schedules groups, such as addresses, round-robin: each group gets one turn, regardless of
 * how many tasks it has queued. Tasks of known devices run first and are never evicted for others.
 */
import { tooManyRequests } from '../../base/errors.ts'

export type QueueEntry = { group: string; device: 'known' | 'unknown' }

export type FairQueue = <Result>(entry: QueueEntry, work: () => Promise<Result>) => Promise<Result>

type Waiting = QueueEntry & { start(): void; reject(error: Error): void }

type Limits = { concurrency: number; queuedMax: number; random: () => number }

export function createFairQueue({ concurrency, queuedMax, random }: Limits): FairQueue {
  const waiting: Waiting[] = []
  let running = 0

  function next(): void {
    const known = waiting.findIndex(({ device }) => device === 'known')
    const index = known >= 0 ? known : randomIndexOf(waiting[0]?.group)
    const [entry] = index < 0 ? [] : waiting.splice(index, 1)
    if (!entry) {
      running -= 1
      return
    }
    // The rest of the group moves to the end of the queue, in its order.
    const rest = waiting.filter(({ group }) => group === entry.group)
    for (const other of rest) waiting.splice(waiting.indexOf(other), 1)
    waiting.push(...rest)
    entry.start()
  }

  /** A random task of the group: with the first one, a client that floods from a shared address would always win. */
  function randomIndexOf(group: string | undefined): number {
    const indexes = waiting.flatMap((entry, index) => (entry.group === group ? [index] : []))
    return indexes[Math.floor(random() * indexes.length)] ?? -1
  }

  /** Evicts a random task of the largest group, so that a flood evicts mostly its own tasks. */
  function evictIfFull(): void {
    const unknownDevices = waiting.filter(({ device }) => device === 'unknown')
    if (waiting.length - unknownDevices.length > queuedMax) evict(waiting.at(-1))
    if (unknownDevices.length <= queuedMax) return
    const sizes = new Map<string, number>()
    for (const { group } of unknownDevices) sizes.set(group, (sizes.get(group) ?? 0) + 1)
    const largest = Math.max(...sizes.values())
    const candidates = unknownDevices.filter(({ group }) => sizes.get(group) === largest)
    evict(candidates[Math.floor(random() * candidates.length)])
  }

  function evict(chosen: Waiting | undefined): void {
    if (!chosen) return
    waiting.splice(waiting.indexOf(chosen), 1)
    chosen.reject(tooManyRequests('Too many attempts; wait before you try again', RETRY_SECONDS))
  }

  return async (entry, work) => {
    if (running < concurrency) running += 1
    else {
      await new Promise<void>((start, reject) => {
        waiting.push({ ...entry, start, reject })
        evictIfFull()
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
