import { unavailable } from '../base/errors.ts'
import type { DbOutsideTransaction } from './db.ts'
import type { Storage } from './storage-handle.ts'
import { TurnLane } from './turn-lane.ts'

/** As long as others wait for a connection. */
const WAIT_MS_MAX = 4_000

/**
 * The handle with which batches of spans are stored. Over a network, they use at most half of the connections at a time: more are not stored
 * faster, but leave the database no time to merge their entries into its search index. An embedded database has one writer anyway.
 */
export function limitBatches(storage: Storage, poolSizeMax: number): DbOutsideTransaction {
  if (storage.engine === 'sqlite') return storage
  const runningMax = Math.ceil(poolSizeMax / 2)
  const lane = new TurnLane({ name: 'writes', runningMax, runningMaxEach: runningMax })
  return {
    ...storage,
    async transaction(work, application = '') {
      const leave = await enterInTime(lane, application, WAIT_MS_MAX)
      try {
        return await storage.transaction(work, application)
      } finally {
        leave()
      }
    },
  }
}

/** Rejects with 503 if no slot becomes free in time. */
export async function enterInTime(lane: TurnLane, application: string, waitMsMax: number): Promise<() => void> {
  const late = new AbortController()
  const tooMany = () => late.abort(unavailable('Too many batches are being stored; try again in a moment'))
  const timer = setTimeout(tooMany, waitMsMax)
  try {
    return await lane.enter({ application, isAdmitted: true, signal: late.signal })
  } finally {
    clearTimeout(timer)
  }
}
