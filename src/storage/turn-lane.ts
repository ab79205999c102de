/**
 * Limits how much work of one kind runs at the same time, and lets applications take turns: the next slot goes to the application with
 * the least running work, and among equals to the one that was served least recently. Of reads, an application that has too many waiting
 * gets 429, so that its reads never fill the queue of others.
 */
import { AppError, tooManyRequests, unavailable } from '../base/errors.ts'
import { TurnQueue } from '../base/event-loop.ts'
import type { ReadCaller } from './db.ts'

export type LaneLimits = {
  /** What the error messages call this work. */
  name: 'searches' | 'large reads' | 'writes'
  runningMax: number
  /** Of one application. Less than `runningMax` leaves slots to others, however long the work of one application needs. */
  runningMaxEach: number
}

const WAITING_MAX_EACH = 8
const WAITING_MAX = 64

/** When `signal` is aborted with an error for the caller, that is the rejection. */
type Entering = Pick<ReadCaller, 'application' | 'signal'> & { isAdmitted: boolean }

type Waiting = { start(): void }

export class TurnLane {
  readonly #limits: LaneLimits
  readonly #running = new Map<string, number>()
  readonly #waiting = new TurnQueue<Waiting>()
  #runningTotal = 0

  constructor(limits: LaneLimits) {
    this.#limits = limits
  }

  /** Resolves with the function that frees the slot again. */
  enter({ application, signal, isAdmitted }: Entering): Promise<() => void> {
    if (signal?.aborted) return Promise.reject(reasonOf(signal))
    if (!isAdmitted) {
      const { name } = this.#limits
      if (this.#waiting.countOf(application) >= WAITING_MAX_EACH) {
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
        this.#waiting.remove(application, waiting)
        reject(reasonOf(signal))
      }
      const waiting: Waiting = {
        start: () => {
          signal?.removeEventListener('abort', abandon)
          this.#runningTotal += 1
          this.#running.set(application, this.#runningOf(application) + 1)
          resolve(() => this.#leave(application))
        },
      }
      signal?.addEventListener('abort', abandon, { once: true })
      this.#waiting.push(application, waiting)
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
    const { runningMax, runningMaxEach } = this.#limits
    while (this.#runningTotal < runningMax) {
      // Infinity if none waits.
      const fewest = Math.min(...this.#waiting.applications.map((application) => this.#runningOf(application)))
      if (fewest >= runningMaxEach) return
      this.#waiting.take((application) => this.#runningOf(application) === fewest)?.start()
    }
  }

  get #waitingTotal(): number {
    return this.#waiting.applications.reduce((total, application) => total + this.#waiting.countOf(application), 0)
  }

  #runningOf(application: string): number {
    return this.#running.get(application) ?? 0
  }
}

function reasonOf(signal: AbortSignal | undefined): AppError {
  return signal?.reason instanceof AppError ? signal.reason : clientLeft()
}

/**
 * The turns of one caller, one for each statement: an export whose client reads slowly holds no slot meanwhile. Only the first turn can be
 * rejected, because the response may have begun afterwards; turns of a job are never rejected, because the job would have to be repeated.
 */
export function turnsOf(lane: TurnLane, { application, signal, from }: ReadCaller): () => Promise<() => void> {
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
