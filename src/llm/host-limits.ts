/**
 * Limits concurrent requests and requests per minute, for this process.
 *
 * A host is anything with its own limits: the host of a provider, or a connection to it. To use both, acquire the turn of the connection
 * first and the turn of the host inside it, so that no request has a slot of the host while it waits for anything else.
 *
 * Applications take turns, and so do the owners of each: an evaluation with ten thousand requests delays another one by one request,
 * and forty evaluations of one application delay another application no more than one would.
 */
import { type Clock, elapsedMs } from '../base/clock.ts'
import type { ChatClient } from './chat.ts'
import { ModelError } from './model-client.ts'

export type Limits = {
  concurrency: number
  /** Null: unlimited. */
  requestsPerMinute: number | null
}

type Turn = {
  host: string
  /** The application of the evaluation. Default: the owner. */
  application?: string
  /** The evaluation that sends the request. */
  owner: string
  /** The current limits; they also apply to waiting requests of the same host. */
  limits: Limits
  /** Stops waiting, with its reason. It does not stop work that has started. */
  signal: AbortSignal
  /** Called if the turn does not come at once. */
  onWait?: (() => void) | undefined
}

export type HostLimits = {
  /** Waits for a turn, then runs `work`, and releases the slot regardless of the result. */
  run<Result>(turn: Turn, work: () => Promise<Result>): Promise<Result>
  /** Starts nothing at this host for this time, because it asked to wait and would reject other requests, too. */
  pause(host: string, ms: number): void
}

/** Calls `wake` once after the time; returns a function that cancels it. */
export type Timer = (ms: number, wake: () => void) => () => void

export function createHostLimits({ clock, timer = systemTimer }: { clock: Clock; timer?: Timer }): HostLimits {
  const hosts = new Map<string, Host>()
  const hostNamed = (name: string): Host => {
    const known = hosts.get(name)
    if (known) return known
    for (const [other, host] of hosts) if (host.isIdle()) hosts.delete(other)
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
  /** By application and owner, in the order of their turns: after starting a request, they move to the end. */
  readonly #waiting = new Map<string, Map<string, Set<() => void>>>()
  #limits: Limits = { concurrency: 1, requestsPerMinute: null }
  #running = 0
  /** A token bucket with the capacity of one second, so that no minute exceeds the limit by more than that. */
  #tokens = Number.POSITIVE_INFINITY
  #filledAt: number
  #pausedUntil = 0
  #cancelWake: (() => void) | undefined

  constructor(clock: Clock, timer: Timer) {
    this.#clock = clock
    this.#timer = timer
    this.#filledAt = elapsedMs(clock)
  }

  async enter({ owner, application = owner, limits, signal, onWait }: Turn): Promise<void> {
    signal.throwIfAborted()
    this.#limits = limits
    let isStarted = false
    await new Promise<void>((resolve, reject) => {
      const start = () => {
        isStarted = true
        signal.removeEventListener('abort', cancel)
        resolve()
      }
      const cancel = () => {
        this.#dequeue({ application, owner }, start)
        // Cancels the timer if nothing is waiting any more.
        this.#advance()
        reject(signal.reason)
      }
      signal.addEventListener('abort', cancel, { once: true })
      const queues = this.#waiting.get(application) ?? new Map<string, Set<() => void>>()
      const queue = queues.get(owner) ?? new Set()
      this.#waiting.set(application, queues.set(owner, queue.add(start)))
      this.#advance()
      if (!isStarted) onWait?.()
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

  /** Whether a new instance would behave the same. */
  isIdle(): boolean {
    this.#fill()
    const isQuiet = this.#running === 0 && this.#waiting.size === 0 && this.#pausedUntil <= elapsedMs(this.#clock)
    return isQuiet && this.#tokens >= this.#capacity()
  }

  /** Starts as many requests as allowed, and schedules the next call for when more are allowed. */
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
      this.#startNext()
    }
  }

  #startNext(): void {
    const [next] = this.#waiting
    if (!next) return
    const [application, queues] = next
    const [first] = queues
    if (!first) return
    const [owner, queue] = first
    const [start] = queue
    if (!start) return
    this.#dequeue({ application, owner }, start)
    if (queue.size > 0) moveToEnd(queues, owner)
    if (queues.size > 0) moveToEnd(this.#waiting, application)
    this.#running += 1
    this.#tokens -= 1
    start()
  }

  #dequeue({ application, owner }: { application: string; owner: string }, start: () => void): void {
    const queues = this.#waiting.get(application)
    const queue = queues?.get(owner)
    queue?.delete(start)
    if (queue?.size === 0) queues?.delete(owner)
    if (queues?.size === 0) this.#waiting.delete(application)
  }

  /** The time until a request may start, if there is a free slot. */
  #waitMs(): number {
    const pausedMs = this.#pausedUntil - elapsedMs(this.#clock)
    const perMinute = this.#limits.requestsPerMinute
    const emptyMs = perMinute === null || this.#tokens >= 1 ? 0 : ((1 - this.#tokens) * MINUTE_MS) / perMinute
    return Math.ceil(Math.max(0, pausedMs, emptyMs))
  }

  #fill(): void {
    const now = elapsedMs(this.#clock)
    const perMinute = this.#limits.requestsPerMinute
    const added = perMinute === null ? this.#capacity() : ((now - this.#filledAt) * perMinute) / MINUTE_MS
    this.#tokens = Math.min(this.#capacity(), this.#tokens + added)
    this.#filledAt = now
  }

  #capacity(): number {
    const perMinute = this.#limits.requestsPerMinute
    return perMinute === null ? Number.POSITIVE_INFINITY : Math.max(1, perMinute / 60)
  }
}

/** The call was aborted while it waited for its turn: no request was sent, so there is no cost. */
export class NotSentError extends ModelError {}

export type ConnectionTurn = Turn & {
  /** The connection whose limits apply. Limits and rate-limit responses of one connection do not affect others. */
  connection: string
}

/**
 * Per host, for all connections and applications of this process: the sum of their limits could overload the host or exhaust our
 * sockets.
 */
const HOST_LIMITS: Limits = { concurrency: 32, requestsPerMinute: null }

/**
 * Runs a call when it is its turn, first at the connection and then at the host. If the other side asks to wait, the call pauses the
 * connection before its turn ends.
 */
export function inTurns<Result>(
  hostLimits: HostLimits,
  { connection, ...turn }: ConnectionTurn,
  call: (pause: (ms: number) => void) => Promise<Result>,
): Promise<Result> {
  const host = `${connection} ${turn.host}`
  const pause = (ms: number) => hostLimits.pause(host, ms)
  return hostLimits.run({ ...turn, host }, () => hostLimits.run({ ...turn, limits: HOST_LIMITS }, () => call(pause)))
}

/**
 * Wraps a client so that each call waits for its turn, first at the connection and then at the host. If the provider asks to wait, the
 * connection starts no more calls for that time; calls that already have a turn and wait only for the host are still sent. A stream
 * has its turn until it ends.
 */
export function limitedModelClient(client: ChatClient, hostLimits: HostLimits, turn: ConnectionTurn): ChatClient {
  function withTurn<Result>(call: () => Promise<Result>, callSignal?: AbortSignal): Promise<Result> {
    const signal = callSignal ? AbortSignal.any([turn.signal, callSignal]) : turn.signal
    return inTurns(hostLimits, { ...turn, signal }, (pause) => pauseOnRetryAfter(call, pause)).catch(
      (error: unknown) => {
        // The reason of the abort signal: a client throws only ModelErrors.
        if (error instanceof ModelError || !signal.aborted) throw error
        throw new NotSentError('transient', 'The work was stopped before the model was called', { cause: error })
      },
    )
  }

  async function pauseOnRetryAfter<Result>(call: () => Promise<Result>, pause: (ms: number) => void): Promise<Result> {
    try {
      return await call()
    } catch (error) {
      const waitMs = error instanceof ModelError ? error.retryAfterMs : undefined
      if (waitMs !== undefined) pause(waitMs)
      throw error
    }
  }

  return {
    complete: (question) => withTurn(() => client.complete(question)),
    embed: (question) => withTurn(() => client.embed(question)),
    chat: (request) => withTurn(() => client.chat(request), request.signal),
    async *stream(request) {
      const begun = Promise.withResolvers<void>()
      const ended = Promise.withResolvers<void>()
      const turnEnds = withTurn(() => {
        begun.resolve()
        return ended.promise
      }, request.signal)
      // The error that ends the stream is thrown below.
      turnEnds.catch(begun.reject)
      await begun.promise
      try {
        yield* client.stream(request)
      } catch (error) {
        ended.reject(error)
        throw error
      } finally {
        ended.resolve()
      }
    },
  }
}
