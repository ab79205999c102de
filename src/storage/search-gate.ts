import { type AppError, tooManyRequests, unavailable } from '../base/errors.ts'

export type SearchGateOptions = {
  /** Searches that run at the same time. */
  runningMax: number
  /** Of one application: others always find room. */
  runningMaxEach: number
}

const WAITING_MAX_EACH = 8
const WAITING_MAX = 64

type Waiting = { application: string; begin(): void }

/**
 * Lets a few searches run at a time, and applications take turns: whoever has begun goes to the end of the line. An application that sends
 * more than it may have waiting gets 429, so that its searches never fill the line of others.
 */
export class SearchGate {
  readonly #options: SearchGateOptions
  readonly #running = new Map<string, number>()
  #waiting: Waiting[] = []
  #total = 0

  constructor(options: SearchGateOptions) {
    this.#options = options
  }

  async run<Result>(application: string, signal: AbortSignal, work: () => Promise<Result>): Promise<Result> {
    await this.#enter(application, signal)
    try {
      return await work()
    } finally {
      this.#leave(application)
    }
  }

  #enter(application: string, signal: AbortSignal): Promise<void> {
    if (signal.aborted) return Promise.reject(gone())
    if (this.#waiting.filter((one) => one.application === application).length >= WAITING_MAX_EACH) {
      return Promise.reject(
        tooManyRequests('Too many searches of this application are running; try again in a moment', 1),
      )
    }
    if (this.#waiting.length >= WAITING_MAX) {
      return Promise.reject(unavailable('Too many searches are running; try again in a moment'))
    }
    return new Promise((resolve, reject) => {
      const leave = () => {
        this.#waiting = this.#waiting.filter((one) => one !== waiting)
        reject(gone())
      }
      const waiting: Waiting = {
        application,
        begin: () => {
          signal.removeEventListener('abort', leave)
          resolve()
        },
      }
      signal.addEventListener('abort', leave, { once: true })
      this.#waiting.push(waiting)
      this.#advance()
    })
  }

  #leave(application: string): void {
    this.#total -= 1
    const left = this.#runningOf(application) - 1
    if (left > 0) this.#running.set(application, left)
    else this.#running.delete(application)
    this.#advance()
  }

  #runningOf(application: string): number {
    return this.#running.get(application) ?? 0
  }

  /** The one that waits longest, of the applications with the fewest running. */
  #advance(): void {
    while (this.#total < this.#options.runningMax) {
      const able = this.#waiting.filter(
        ({ application }) => this.#runningOf(application) < this.#options.runningMaxEach,
      )
      const least = Math.min(...able.map(({ application }) => this.#runningOf(application)))
      const next = able.find(({ application }) => this.#runningOf(application) === least)
      if (!next) return
      this.#waiting = this.#waiting.filter((one) => one !== next)
      // Others of the same application go behind those who have not begun anything.
      const [same, others] = [
        this.#waiting.filter(({ application }) => application === next.application),
        this.#waiting.filter(({ application }) => application !== next.application),
      ]
      this.#waiting = [...others, ...same]
      this.#total += 1
      this.#running.set(next.application, this.#runningOf(next.application) + 1)
      next.begin()
    }
  }
}

/** The client has left: nobody reads this. */
export function gone(): AppError {
  return unavailable('The client closed the connection')
}
