/**
 * Streams which labels have moved, for clients that serve prompts from a cache. A client reads the served prompt again, so an event that
 * arrives twice is harmless.
 */
import { setTimeout as delay } from 'node:timers/promises'
import { type Clock, elapsedMs } from '../base/clock.ts'
import { KEEP_ALIVE, RIGHTS_MS_MAX, SILENCE_MS_MAX, serverSentEvent } from '../http/event-stream.ts'
import type { MovedLabel } from './served-prompt-queries.ts'

/** If as many labels have moved since the last reading, some may be missing. */
export const MOVES_MAX = 100
const POLL_MS = 500
const RECONNECT = 'Read the served prompts again, then ask for the events again'

type EventDeps = {
  /** The newest `MOVES_MAX`. A transaction that ends late may add one that is older than others, so they are compared as a set. */
  readMoves(): Promise<MovedLabel[]>
  clock: Clock
  isStillAllowed: () => Promise<boolean>
  /** Whether a client is still connected. */
  isRead: () => boolean
}

export async function* servedPromptEvents({
  readMoves,
  clock,
  isStillAllowed,
  isRead,
}: EventDeps): AsyncGenerator<string> {
  let known = await readMoves()
  let allowedAt = elapsedMs(clock)
  let sentAt = allowedAt
  // From here on no move is missed, so a client that reads the prompts after this event has the newest ones.
  yield serverSentEvent('ready', {})
  while (isRead()) {
    const moves = await readMoves()
    const moved = newIn(moves, known).reverse()
    if (moved.length > 0 || elapsedMs(clock) - allowedAt >= RIGHTS_MS_MAX) {
      // When the client connects again, the response has the reason.
      if (moved.length === MOVES_MAX || !(await isStillAllowed()))
        return yield serverSentEvent('reconnect', { summary: RECONNECT })
      allowedAt = elapsedMs(clock)
    }
    known = moves
    for (const { componentId, name, label, change } of moved)
      yield serverSentEvent('moved', { componentId, name, label, change })
    if (moved.length > 0) sentAt = elapsedMs(clock)
    else if (elapsedMs(clock) - sentAt > SILENCE_MS_MAX) {
      yield KEEP_ALIVE
      sentAt = elapsedMs(clock)
    }
    await delay(POLL_MS)
  }
}

/** Without older ones than were read before, which are among the newest once a prompt with newer ones is purged. */
function newIn(moves: readonly MovedLabel[], known: readonly MovedLabel[]): MovedLabel[] {
  const ids = new Set(known.map(({ id }) => id))
  const oldest = known.length < MOVES_MAX ? '' : (known.at(-1)?.id ?? '')
  return moves.filter(({ id }) => !ids.has(id) && id > oldest)
}
