/**
 * Limits how many reads of one kind run at the same time, and lets applications take turns: the next slot goes to the application with
 * the fewest running reads, and among equals to the one that was served least recently. An application that has too many reads waiting
 * gets 429, so that its reads never fill the queue of others.
 */
import { AppError, tooManyRequests, unavailable } from '../base/errors.ts'
import type { ReadCaller } from './db.ts'

export type LaneLimits = {
  /** What the error messages call these reads. */
  name: 'searches' | 'large reads'
  runningMax: number
  /** Of one application. Less than `runningMax` leaves slots to others, however long the reads of one application need. */
  runningMaxEach: number
}

const WAITING_MAX_EACH = 8
const WAITING_MAX = 64

type Entering = Pick<ReadCaller, 'application' | 'signal'> & { isAdmitted: boolean }

type Waiting = { start(): void }

export class ReadLane {
  readonly #limits: LaneLimits
  readonly #running = new Map<string, number>()
  /** By application, the one served least recently first. */
  readonly #waiting = new Map<string, Waiting[]>()
  #runningTotal = 0
  #waitingTotal = 0

  constructor(limits: LaneLimits) {
    this.#limits = limits
  }

  /** Resolves with the function that frees the slot again. */
  enter({ application, signal, isAdmitted }: Entering): Promise<() => void> {
    if (signal?.aborted) return Promise.reject(clientLeft())
    const own = this.#waiting.get(application) ?? []
    if (!isAdmitted) {
      const { name } = this.#limits
      if (own.length >= WAITING_MAX_EACH) {
        return Promise.reject(
          tooManyRequests(`Too many ${name} of this application are running; try again in a moment`, 1),
        )
      }
      if (this.#waitingTotal >= WAITING_MAX) {
        return Promise.reject(unavailable(`Too many ${name} are running; try again in a moment`))
      }
    }
    return new Promise((resolve, reject) => {
      const abandon = () => {
        this.#remove(application, waiting)
        reject(clientLeft())
      }
      const waiting: Waiting = {
        start: () => {
          signal?.removeEventListener('abort', abandon)
          resolve(() => this.#leave(application))
        },
      }
      signal?.addEventListener('abort', abandon, { once: true })
      this.#waiting.set(application, [...own, waiting])
      this.#waitingTotal += 1
      this.#advance()
    })
  }

  #leave(application: string): void {
    this.#runningTotal -= 1
    const left = this.#runningOf(application) - 1
    if (left > 0) this.#running.set(application, left)
    else this.#running.delete(application)
    this.#advance()
  }

  #advance(): void {
    while (this.#runningTotal < this.#limits.runningMax) {
      const application = this.#next()
      const [first] = (application !== undefined && this.#waiting.get(application)) || []
      if (application === undefined || !first) return
      const rest = this.#remove(application, first)
      // Behind all others that wait.
      this.#waiting.delete(application)
      if (rest.length > 0) this.#waiting.set(application, rest)
      this.#runningTotal += 1
      this.#running.set(application, this.#runningOf(application) + 1)
      first.start()
    }
  }

  #next(): string | undefined {
    const { runningMaxEach } = this.#limits
    const able = [...this.#waiting.keys()].filter((application) => this.#runningOf(application) < runningMaxEach)
    const fewest = Math.min(...able.map((application) => this.#runningOf(application)))
    return able.find((application) => this.#runningOf(application) === fewest)
  }

  #remove(application: string, waiting: Waiting): Waiting[] {
    const rest = (this.#waiting.get(application) ?? []).filter((one) => one !== waiting)
    if (rest.length > 0) this.#waiting.set(application, rest)
    else this.#waiting.delete(application)
    this.#waitingTotal -= 1
    return rest
  }

  #runningOf(application: string): number {
    return this.#running.get(application) ?? 0
  }
}

/**
 * The turns of one caller, one for each statement: an export whose client reads slowly holds no slot meanwhile. Only the first turn can be
 * rejected, because the response may have begun afterwards; turns of a job are never rejected, because the job would have to be repeated.
 */
export function turnsOf(lane: ReadLane, { application, signal, from }: ReadCaller): () => Promise<() => void> {
  let isAdmitted = from === 'job'
  return async () => {
    const leave = await lane.enter({ application, signal, isAdmitted })
    isAdmitted = true
    return leave
  }
}

/** The response is sent to no one. With a status from 500 on, the log would report an error of the server. */
export function clientLeft(): AppError {
  return new AppError(499, 'The client closed the connection')
}
