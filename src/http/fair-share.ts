/**
 * Shares the main thread between callers, over HTTP and gRPC: keys, users, and the addresses of anonymous requests.
 *
 * Each caller has a bounded number of requests in progress; the others wait in a queue of their own. The requests that start in one turn
 * of the event loop are bounded, too: once they have used their time, the next ones start in the next turn, one of each caller after the
 * other. So a hundred connections of one caller delay the request of another one by a turn, not by a hundred requests. While there are
 * other callers, only one anonymous request starts in a turn, and one of each caller with a long queue.
 */
import type { IncomingMessage } from 'node:http'
import { tooManyRequests } from '../base/errors.ts'
import { afterMicrotasks } from '../base/event-loop.ts'

/** Concurrent writes share a commit, so a much smaller number would make a single busy client slower. */
const IN_PROGRESS_MAX = 32
const WAITING_MAX = 1_000
/** More than a program or a page sends at once, as a rule: such a queue is as long after a turn as before. */
const LONG_QUEUE = 16
/** A turn with one caller: longer turns cost less, by a tenth for lists. */
const TURN_MS = 2
/** A turn after requests of several callers: each waits for a turn of the others. */
const SHARED_TURN_MS = 0.5
const SHARED_FOR_MS = 1_000
const RETRY_SECONDS = 1

type Caller = {
  isAnonymous: boolean
  inProgress: number
  waiting: (() => void)[]
  /** The turn in which a request of it started last. */
  turn: number
}

/** The place of one request. */
export type Place = {
  /** Waits until the request may start. Rejects with 429 if too many are waiting. */
  enter(): Promise<void>
  leave(): void
  /** Gives the place to another request while the body of this one arrives. */
  leaveUntilReceived<Body>(req: Pick<IncomingMessage, 'complete'>, body: Promise<Body>): Promise<Body>
}

export type FairShare = (caller: string, options?: { isAnonymous: boolean }) => Place

type Limits = { inProgressMax?: number; waitingMax?: number; turnMs?: number; sharedForMs?: number }

export function createFairShare({
  inProgressMax = IN_PROGRESS_MAX,
  waitingMax = WAITING_MAX,
  turnMs = TURN_MS,
  sharedForMs = SHARED_FOR_MS,
}: Limits = {}): FairShare {
  const callers = new Map<string, Caller>()
  /** Those with waiting requests, in the order of their turns. */
  const queue = new Set<Caller>()
  /** Undefined if no request has started in this turn of the event loop. */
  let turnEndsAt: number | undefined
  let turn = 0
  let hasStartedAnonymous = false
  let latest = ''
  let sharedUntil = 0

  function hasTime(): boolean {
    if (turnEndsAt !== undefined) return performance.now() < turnEndsAt
    const now = performance.now()
    turnEndsAt = now + (now < sharedUntil ? Math.min(turnMs, SHARED_TURN_MS) : turnMs)
    setImmediate(() => {
      turnEndsAt = undefined
      turn += 1
      hasStartedAnonymous = false
      if (queue.size > 0) startNext()
    })
    return true
  }

  function startNext(): void {
    const caller = firstWithRoom()
    if (!caller || !hasTime()) return
    queue.delete(caller)
    const start = caller.waiting.shift()
    if (caller.waiting.length > 0) queue.add(caller)
    countStart(caller)
    start?.()
    afterMicrotasks(startNext)
  }

  function firstWithRoom(): Caller | undefined {
    for (const caller of queue) if (hasRoom(caller)) return caller
    return undefined
  }

  function hasRoom(caller: Caller): boolean {
    if (caller.inProgress >= inProgressMax) return false
    const hasHadTurn = caller.isAnonymous
      ? hasStartedAnonymous
      : caller.turn === turn && caller.waiting.length >= LONG_QUEUE
    return !(hasHadTurn && performance.now() < sharedUntil)
  }

  function countStart(caller: Caller): void {
    caller.inProgress += 1
    caller.turn = turn
    if (caller.isAnonymous) hasStartedAnonymous = true
  }

  function enter(name: string, isAnonymous: boolean): Promise<void> | undefined {
    const caller: Caller = callers.get(name) ?? { isAnonymous, inProgress: 0, waiting: [], turn: -1 }
    callers.set(name, caller)
    if (name !== latest) {
      if (latest !== '') sharedUntil = performance.now() + sharedForMs
      latest = name
    }
    if (hasRoom(caller) && caller.waiting.length === 0 && hasTime()) {
      countStart(caller)
      return undefined
    }
    if (caller.waiting.length >= waitingMax)
      throw tooManyRequests(`More than ${waitingMax} of your requests are waiting`, RETRY_SECONDS)
    queue.add(caller)
    return new Promise((start) => caller.waiting.push(start))
  }

  function leave(name: string): void {
    const caller = callers.get(name)
    if (!caller) return
    caller.inProgress -= 1
    if (caller.inProgress === 0 && caller.waiting.length === 0) callers.delete(name)
    // Otherwise the next turn starts what waits.
    if (turnEndsAt === undefined) startNext()
  }

  return (name, { isAnonymous } = { isAnonymous: false }) => {
    let isInside = false
    const place: Place = {
      async enter() {
        await enter(name, isAnonymous)
        isInside = true
      },
      leave() {
        if (isInside) leave(name)
        isInside = false
      },
      async leaveUntilReceived({ complete }, body) {
        if (complete) return body
        place.leave()
        const received = await body
        await place.enter()
        return received
      },
    }
    return place
  }
}
