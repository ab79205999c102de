/**
 * How many questions are asked at the same time and in a minute, for everything that this process runs.
 *
 * A host is whatever has limits of its own, by any name: the host of a provider, or a connection to it. For both, ask for the
 * connection's turn first and inside of it for the host's: then nobody holds a place at the host while waiting for anything else.
 *
 * Applications take turns, and so do the owners of each: an evaluation with ten thousand questions delays another one by one question,
 * and forty evaluations of one application delay that of another no more than one would.
 */
import { type Clock, elapsedMs } from '../base/clock.ts'

export type Limits = {
  concurrency: number
  /** Null: as many as there are. */
  requestsPerMinute: number | null
}

export type Turn = {
  host: string
  /** Whose evaluation asks. Left out: every owner counts as an application. */
  application?: string
  /** Who asks: an evaluation. */
  owner: string
  /** As they are now; others of the same host wait by them, too. */
  limits: Limits
  /** Ends the waiting, with its reason. Work that has begun is not ended by it. */
  signal: AbortSignal
}

export type HostLimits = {
  /** Waits for a turn, then works, and gives the place back whatever comes of it. */
  run<Result>(turn: Turn, work: () => Promise<Result>): Promise<Result>
  /** Nothing begins at this host for so long: it has asked to wait, and would refuse the others alike. */
  pause(host: string, ms: number): void
}

/** Calls back once, later; answers how to prevent it. */
export type Timer = (ms: number, wake: () => void) => () => void

export function createHostLimits({ clock, timer = systemTimer }: { clock: Clock; timer?: Timer }): HostLimits {
  const hosts = new Map<string, Host>()
  const hostNamed = (name: string): Host => {
    const known = hosts.get(name)
    if (known) return known
    for (const [other, host] of hosts) if (host.isForgettable()) hosts.delete(other)
    const host = new Host(clock, timer)
    hosts.set(name, host)
    return host
  }
  return {
    async run(turn, work) {
      const host = hostNamed(turn.host)
      await host.enter(turn)
      try {
        return await work()
      } finally {
        host.leave()
      }
    },
    pause: (name, ms) => hostNamed(name).pause(ms),
  }
}

function systemTimer(ms: number, wake: () => void): () => void {
  const timeout = setTimeout(wake, ms)
  return () => clearTimeout(timeout)
}

function moveToEnd<Value>(map: Map<string, Value>, key: string): void {
  const value = map.get(key)
  if (value === undefined) return
  map.delete(key)
  map.set(key, value)
}

const MINUTE_MS = 60_000

class Host {
  readonly #clock: Clock
  readonly #timer: Timer
  /** By application and owner, each in the order of their turns: who has begun something goes to the end. */
  readonly #waiting = new Map<string, Map<string, Set<() => void>>>()
  #limits: Limits = { concurrency: 1, requestsPerMinute: null }
  #running = 0
  /** A bucket that holds a second's worth: in no minute are there more than the limit and that. */
  #tokens = Number.POSITIVE_INFINITY
  #filledAt: number
  #pausedUntil = 0
  #cancelWake: (() => void) | undefined

  constructor(clock: Clock, timer: Timer) {
    this.#clock = clock
    this.#timer = timer
    this.#filledAt = elapsedMs(clock)
  }

  async enter({ owner, application = owner, limits, signal }: Turn): Promise<void> {
    signal.throwIfAborted()
    this.#limits = limits
    await new Promise<void>((resolve, reject) => {
      const begin = () => {
        signal.removeEventListener('abort', giveUp)
        resolve()
      }
      const giveUp = () => {
        this.#forget({ application, owner }, begin)
        // Nobody may be left to wake for.
        this.#advance()
        reject(signal.reason)
      }
      signal.addEventListener('abort', giveUp, { once: true })
      const lines = this.#waiting.get(application) ?? new Map<string, Set<() => void>>()
      const line = lines.get(owner) ?? new Set()
      this.#waiting.set(application, lines.set(owner, line.add(begin)))
      this.#advance()
    })
  }

  leave(): void {
    this.#running -= 1
    this.#advance()
  }

  pause(ms: number): void {
    this.#pausedUntil = Math.max(this.#pausedUntil, elapsedMs(this.#clock) + ms)
    this.#advance()
  }

  /** Whether a new one in its place would behave the same. */
  isForgettable(): boolean {
    this.#fill()
    const isQuiet = this.#running === 0 && this.#waiting.size === 0 && this.#pausedUntil <= elapsedMs(this.#clock)
    return isQuiet && this.#tokens >= this.#room()
  }

  /** Lets begin whatever may, and sees to it that it is called again when more may. */
  #advance(): void {
    this.#cancelWake?.()
    this.#cancelWake = undefined
    this.#fill()
    while (this.#waiting.size > 0 && this.#running < this.#limits.concurrency) {
      const waitMs = this.#waitMs()
      if (waitMs > 0) {
        this.#cancelWake = this.#timer(waitMs, () => this.#advance())
        return
      }
      this.#beginNext()
    }
  }

  #beginNext(): void {
    const [next] = this.#waiting
    if (!next) return
    const [application, lines] = next
    const [first] = lines
    if (!first) return
    const [owner, line] = first
    const [begin] = line
    if (!begin) return
    this.#forget({ application, owner }, begin)
    if (line.size > 0) moveToEnd(lines, owner)
    if (lines.size > 0) moveToEnd(this.#waiting, application)
    this.#running += 1
    this.#tokens -= 1
    begin()
  }

  #forget({ application, owner }: { application: string; owner: string }, begin: () => void): void {
    const lines = this.#waiting.get(application)
    const line = lines?.get(owner)
    line?.delete(begin)
    if (line?.size === 0) lines?.delete(owner)
    if (lines?.size === 0) this.#waiting.delete(application)
  }

  /** How long until one may begin, if there is a place. */
  #waitMs(): number {
    const pausedMs = this.#pausedUntil - elapsedMs(this.#clock)
    const perMinute = this.#limits.requestsPerMinute
    const emptyMs = perMinute === null || this.#tokens >= 1 ? 0 : ((1 - this.#tokens) * MINUTE_MS) / perMinute
    return Math.ceil(Math.max(0, pausedMs, emptyMs))
  }

  #fill(): void {
    const now = elapsedMs(this.#clock)
    const perMinute = this.#limits.requestsPerMinute
    const added = perMinute === null ? this.#room() : ((now - this.#filledAt) * perMinute) / MINUTE_MS
    this.#tokens = Math.min(this.#room(), this.#tokens + added)
    this.#filledAt = now
  }

  #room(): number {
    const perMinute = this.#limits.requestsPerMinute
    return perMinute === null ? Number.POSITIVE_INFINITY : Math.max(1, perMinute / 60)
  }
}
