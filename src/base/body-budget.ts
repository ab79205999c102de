/**
 * Limits the memory for the request bodies of all callers together.
 *
 * Memory is counted when bytes arrive, not when a length is declared: an idle connection costs nothing. If there is no
 * memory left, earlier requests do not always win, because one caller could then block all others. First, bodies that
 * have been silent for a while are dropped. Then, a body of the owner with the most memory is dropped, if that owner
 * has more than the requesting one would have. Only if neither helps, the request is rejected. A body that has arrived
 * completely is never dropped.
 */
import { type AppError, unavailable } from './errors.ts'

export type BodyRoom = {
  /** Sets the memory that the body needs now. Throws 503 if there is not enough left. */
  resize(bytes: number): void
  /** Calls `drop` if the memory is given to another request before the body has arrived. */
  onDropped(drop: (error: AppError) => void): void
  /** Call this when the body has arrived. */
  complete(): void
  /** Call this when the request is finished, with or without success. Further calls have no effect. */
  release(): void
}

/** How long to wait for memory, and a signal that aborts the waiting; it then rejects with the reason of the signal. */
export type Wait = { timeoutMs: number; signal: AbortSignal }

export type BodyBudget = {
  bytesMax: number
  /** Opens a body of which nothing has arrived yet. */
  open(owner: string): BodyRoom
  /**
   * Waits for that many bytes. Rejects with 503 after the timeout, or if too many requests of the same owner are
   * waiting.
   */
  openInTurn(owner: string, bytes: number, wait: Wait): Promise<BodyRoom>
}

export type BodyBudgetOptions = {
  bytesMax: number
  /** The maximum per owner. */
  waitingMax?: number
  /** How long a body may pause before its memory can be given to another one. */
  silentMs?: number
  /** Monotonic milliseconds. */
  now?: () => number
}

const WAITING_MAX = 64
const SILENT_MS = 1_000
const CHECK_SILENT_MS = 250

type Waiting = { owner: string; bytes: number; enter(): void }

type Room = {
  owner: string
  bytes: number
  lastAt: number
  drop: ((error: AppError) => void) | undefined
  isReleased: boolean
}

export function createBodyBudget(options: BodyBudgetOptions): BodyBudget {
  const { bytesMax, waitingMax = WAITING_MAX, silentMs = SILENT_MS, now = () => performance.now() } = options
  /** Bodies that have not arrived completely. */
  const arriving = new Set<Room>()
  const heldByOwner = new Map<string, number>()
  const waiting: Waiting[] = []
  let held = 0
  let silenceTimer: NodeJS.Timeout | undefined

  function add(room: Room, bytes: number): void {
    if (bytes === 0) return
    held += bytes
    room.bytes += bytes
    const ofOwner = (heldByOwner.get(room.owner) ?? 0) + bytes
    if (ofOwner > 0) heldByOwner.set(room.owner, ofOwner)
    else heldByOwner.delete(room.owner)
  }

  function remove(room: Room): void {
    if (room.isReleased) return
    room.isReleased = true
    arriving.delete(room)
    add(room, -room.bytes)
  }

  function hasRoom(owner: string, bytes: number, asking: Room | undefined): boolean {
    while (held + bytes > bytesMax) {
      const loser = findSilent(asking) ?? findOfLargestOwner(owner, bytes, asking)
      if (!loser) return false
      remove(loser)
      loser.drop?.(noRoom())
    }
    return true
  }

  function findSilent(asking: Room | undefined): Room | undefined {
    const before = now() - silentMs
    let silent: Room | undefined
    for (const room of arriving) {
      if (room === asking || room.bytes === 0 || room.lastAt > before) continue
      if (!silent || room.lastAt < silent.lastAt) silent = room
    }
    return silent
  }

  function findOfLargestOwner(owner: string, bytes: number, asking: Room | undefined): Room | undefined {
    let most = (heldByOwner.get(owner) ?? 0) + bytes
    let largest: string | undefined
    for (const [other, sum] of heldByOwner) {
      if (other === owner || sum <= most) continue
      most = sum
      largest = other
    }
    let found: Room | undefined
    for (const room of arriving) {
      if (room === asking || room.owner !== largest || room.bytes === 0) continue
      if (!found || room.lastAt < found.lastAt) found = room
    }
    return found
  }

  /** Returns the request whose owner has the least memory; among several, the one that has waited longest. */
  function nextWaiting(): Waiting | undefined {
    const held = (one: Waiting) => heldByOwner.get(one.owner) ?? 0
    return waiting.reduce<Waiting | undefined>(
      (first, one) => (first && held(first) <= held(one) ? first : one),
      undefined,
    )
  }

  function enterNext(): void {
    for (let next = nextWaiting(); next && hasRoom(next.owner, next.bytes, undefined); next = nextWaiting()) {
      waiting.splice(waiting.indexOf(next), 1)
      next.enter()
    }
    // There is no event when a body becomes silent, so a timer checks.
    clearTimeout(silenceTimer)
    if (waiting.length > 0) silenceTimer = setTimeout(enterNext, CHECK_SILENT_MS)
  }

  function roomOf(owner: string): { room: Room; handle: BodyRoom } {
    const room: Room = { owner, bytes: 0, lastAt: now(), drop: undefined, isReleased: false }
    arriving.add(room)
    const handle: BodyRoom = {
      resize(bytes) {
        if (room.isReleased) return
        room.lastAt = now()
        const more = bytes - room.bytes
        if (more > 0 && held + more > bytesMax && !hasRoom(owner, more, room)) throw noRoom()
        add(room, more)
        if (more < 0 && waiting.length > 0) enterNext()
      },
      onDropped(drop) {
        room.drop = drop
      },
      complete: () => arriving.delete(room),
      release() {
        remove(room)
        if (waiting.length > 0) enterNext()
      },
    }
    return { room, handle }
  }

  return {
    bytesMax,
    open: (owner) => roomOf(owner).handle,
    async openInTurn(owner, bytes, { timeoutMs, signal }) {
      signal.throwIfAborted()
      if (waiting.filter((one) => one.owner === owner).length >= waitingMax) throw noRoom()
      return new Promise<BodyRoom>((resolve, reject) => {
        const place = {
          owner,
          bytes,
          // Counted immediately and not when the promise resolves: the next request in the queue must see it.
          enter: () => {
            end()
            const { room, handle } = roomOf(owner)
            add(room, bytes)
            resolve(handle)
          },
        }
        const leave = (reason: unknown) => {
          end()
          waiting.splice(waiting.indexOf(place), 1)
          reject(reason)
          // A smaller request may be waiting behind this one.
          enterNext()
        }
        const onAbort = () => leave(signal.reason)
        const timeout = setTimeout(() => leave(noRoom()), timeoutMs)
        const end = () => {
          clearTimeout(timeout)
          signal.removeEventListener('abort', onAbort)
        }
        signal.addEventListener('abort', onAbort)
        waiting.push(place)
        enterNext()
      })
    },
  }
}

function noRoom(): AppError {
  return unavailable('More is arriving than the server can take at this moment; send this again later')
}
