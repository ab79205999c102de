/**
 * Receives request bodies, and limits the memory for those of all callers together.
 *
 * Memory is counted when bytes arrive, not when a length is declared: an idle connection costs nothing. If there is no
 * memory left, earlier requests do not always win, because one caller could then block all others. First, bodies that
 * have been silent for a while are dropped. Then, a body of the owner with the most memory is dropped, if that owner
 * has more than the requesting one would have. Only if neither helps, the request is rejected. A body that has arrived
 * completely is never dropped.
 */
import type { IncomingMessage } from 'node:http'
import { type AppError, badRequest, unavailable } from './errors.ts'

export type BodyReservation = {
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
  open(owner: string): BodyReservation
  /**
   * Waits for that many bytes. Rejects with 503 after the timeout, or if too many requests of the same owner are
   * waiting.
   */
  openInTurn(owner: string, bytes: number, wait: Wait): Promise<BodyReservation>
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

type Reservation = BodyReservation & {
  owner: string
  bytes: number
  lastAt: number
  drop?: (error: AppError) => void
  isReleased: boolean
}

export function createBodyBudget(options: BodyBudgetOptions): BodyBudget {
  const { bytesMax, waitingMax = WAITING_MAX, silentMs = SILENT_MS, now = () => performance.now() } = options
  /** Bodies that have not arrived completely. */
  const arriving = new Set<Reservation>()
  const heldByOwner = new Map<string, number>()
  const waiting: Waiting[] = []
  let held = 0
  let silenceTimer: NodeJS.Timeout | undefined

  const heldBy = ({ owner }: { owner: string }) => heldByOwner.get(owner) ?? 0

  function reserve(owner: string): Reservation {
    const reservation: Reservation = {
      owner,
      bytes: 0,
      lastAt: now(),
      isReleased: false,
      resize(bytes) {
        if (reservation.isReleased) return
        reservation.lastAt = now()
        const more = bytes - reservation.bytes
        if (more > 0 && !freeMemory({ owner, bytes: more }, reservation)) throw noMemoryLeft()
        add(reservation, more)
        if (more < 0) enterNext()
      },
      onDropped(drop) {
        reservation.drop = drop
      },
      complete: () => arriving.delete(reservation),
      release() {
        remove(reservation)
        enterNext()
      },
    }
    arriving.add(reservation)
    return reservation
  }

  function add(reservation: Reservation, bytes: number): void {
    held += bytes
    reservation.bytes += bytes
    const ofOwner = heldBy(reservation) + bytes
    if (ofOwner > 0) heldByOwner.set(reservation.owner, ofOwner)
    else heldByOwner.delete(reservation.owner)
  }

  function remove(reservation: Reservation): void {
    if (reservation.isReleased) return
    reservation.isReleased = true
    arriving.delete(reservation)
    add(reservation, -reservation.bytes)
  }

  /** Drops bodies, but not `requester`, until there is enough memory; false if that is not possible. */
  function freeMemory(wanted: { owner: string; bytes: number }, requester?: Reservation): boolean {
    while (held + wanted.bytes > bytesMax) {
      const loser = findLoser(wanted, requester)
      if (!loser) return false
      remove(loser)
      loser.drop?.(noMemoryLeft())
    }
    return true
  }

  function findLoser(wanted: { owner: string; bytes: number }, requester?: Reservation): Reservation | undefined {
    const isCandidate = (one: Reservation) => one !== requester && one.bytes > 0
    const silentSince = now() - silentMs
    const silent = oldestOf(arriving, (one) => isCandidate(one) && one.lastAt <= silentSince)
    if (silent) return silent
    let largest: string | undefined
    let most = heldBy(wanted) + wanted.bytes
    for (const [owner, bytes] of heldByOwner) {
      if (owner === wanted.owner || bytes <= most) continue
      most = bytes
      largest = owner
    }
    return oldestOf(arriving, (one) => isCandidate(one) && one.owner === largest)
  }

  /** Serves the request whose owner has the least memory; among several, the one that has waited longest. */
  function enterNext(): void {
    while (waiting.length > 0) {
      const next = waiting.reduce((first, one) => (heldBy(first) <= heldBy(one) ? first : one))
      if (!freeMemory(next)) break
      waiting.splice(waiting.indexOf(next), 1)
      next.enter()
    }
    // There is no event when a body becomes silent, so a timer checks.
    clearTimeout(silenceTimer)
    if (waiting.length > 0) silenceTimer = setTimeout(enterNext, CHECK_SILENT_MS)
  }

  return {
    bytesMax,
    open: reserve,
    async openInTurn(owner, bytes, { timeoutMs, signal }) {
      signal.throwIfAborted()
      if (waiting.filter((one) => one.owner === owner).length >= waitingMax) throw noMemoryLeft()
      return new Promise<BodyReservation>((resolve, reject) => {
        const place = {
          owner,
          bytes,
          // Counted immediately and not when the promise resolves: the next request in the queue must see it.
          enter: () => {
            end()
            const reservation = reserve(owner)
            add(reservation, bytes)
            resolve(reservation)
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
        const timeout = setTimeout(() => leave(noMemoryLeft()), timeoutMs)
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

function oldestOf(bodies: Iterable<Reservation>, isCandidate: (one: Reservation) => boolean): Reservation | undefined {
  let oldest: Reservation | undefined
  for (const one of bodies) if (isCandidate(one) && (!oldest || one.lastAt < oldest.lastAt)) oldest = one
  return oldest
}

function noMemoryLeft(): AppError {
  return unavailable('More is arriving than the server can take at this moment; send this again later')
}

export type Receiving = {
  bytesMax: number
  tooLarge(bytesMax: number): AppError
  reservation: BodyReservation
  /** Returns the buffer for a body of declared length; called when the first bytes arrive. */
  buffer?: () => Buffer | undefined
}

/**
 * Reads a body to its end. If it is rejected before, reading stops but the connection stays open for the response, and
 * nothing more is written to the buffer.
 */
export function receiveBody(req: IncomingMessage, receiving: Receiving): Promise<Buffer> {
  const { bytesMax, reservation } = receiving
  return new Promise((resolve, reject) => {
    const chunks: Buffer[] = []
    let buffer: Buffer | undefined
    let size = 0
    const fail = (error: unknown) => {
      req.removeListener('data', take)
      req.pause()
      // The other listeners last as long as the connection, and with them what they could use.
      chunks.length = 0
      buffer = undefined
      reject(error)
    }
    const take = (chunk: Buffer) => {
      const start = size
      size += chunk.length
      try {
        if (size > bytesMax) throw receiving.tooLarge(bytesMax)
        if (start === 0) buffer = receiving.buffer?.()
        if (buffer && size > buffer.length) throw badRequest('The request body is longer than it was said to be')
        reservation.resize(Math.max(size, buffer?.length ?? 0))
      } catch (error) {
        fail(error)
        return
      }
      if (buffer) chunk.copy(buffer, start)
      else chunks.push(chunk)
    }
    const endEarly = () => {
      req.removeListener('data', take)
      reject(badRequest('The request body ended early'))
    }
    reservation.onDropped(fail)
    req.on('data', take)
    req.on('end', () => {
      reservation.complete()
      resolve(buffer?.subarray(0, size) ?? joined(chunks))
    })
    req.on('error', endEarly)
    req.on('aborted', endEarly)
  })
}

function joined(chunks: Buffer[]): Buffer {
  return chunks.length === 1 && chunks[0] ? chunks[0] : Buffer.concat(chunks)
}
