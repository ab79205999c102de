import { unavailable } from '../base/errors.ts'
import type { DbOutsideTransaction } from './db.ts'
import type { Storage } from './storage-handle.ts'

/** As long as others wait for a connection. */
const WAIT_MS_MAX = 4_000

/**
 * The handle with which batches of spans are stored. Over a network, they use at most half of the connections at a time: more are not stored
 * faster, but leave the database no time to merge their entries into its search index. An embedded database has one writer anyway.
 */
export function limitBatches(storage: Storage, poolSizeMax: number): DbOutsideTransaction {
  if (storage.engine === 'sqlite') return storage
  const slots = new Slots(Math.ceil(poolSizeMax / 2), WAIT_MS_MAX)
  return { ...storage, transaction: (work) => slots.run(() => storage.transaction(work)) }
}

export class Slots {
  readonly #waitMsMax: number
  readonly #waiting = new Set<() => void>()
  #free: number

  constructor(count: number, waitMsMax: number) {
    this.#free = count
    this.#waitMsMax = waitMsMax
  }

  /** In the order of the calls. Rejects with 503 if no slot becomes free in time. */
  async run<Result>(work: () => Promise<Result>): Promise<Result> {
    await this.#enter()
    try {
      return await work()
    } finally {
      this.#leave()
    }
  }

  #enter(): Promise<void> {
    if (this.#free > 0) {
      this.#free -= 1
      return Promise.resolve()
    }
    return new Promise((resolve, reject) => {
      const timer = setTimeout(() => {
        this.#waiting.delete(start)
        reject(unavailable('Too many batches are being stored; try again in a moment'))
      }, this.#waitMsMax)
      const start = () => {
        clearTimeout(timer)
        this.#waiting.delete(start)
        resolve()
      }
      this.#waiting.add(start)
    })
  }

  #leave(): void {
    const [next] = this.#waiting
    if (next) next()
    else this.#free += 1
  }
}
