/**
 * Streams which kinds of data of an application have changed. The events have no contents: a client reads what it shows again, by
 * the routes that check what it may see.
 */
import { setTimeout as delay } from 'node:timers/promises'
import { type Clock, elapsedMs } from '../base/clock.ts'
import { KEEP_ALIVE, RIGHTS_MS_MAX, SILENCE_MS_MAX, serverSentEvent } from '../http/event-stream.ts'
import { type ApplicationState, STATE_AGE_MS_MAX, type Topic } from './read-application-state.ts'

/** After an event: clients read their data again for each, which a steady load must not turn into a request in every turn. */
const PAUSE_MS = 1_500
const RECONNECT = 'Ask for the events again'

type EventDeps = {
  readState(): Promise<ApplicationState>
  clock: Clock
  isStillAllowed: () => Promise<boolean>
  /** Whether a client is still connected. */
  isRead: () => boolean
}

export async function* applicationEvents(
  { readState, clock, isStillAllowed, isRead }: EventDeps,
  topics: readonly Topic[],
): AsyncGenerator<string> {
  let known = await readState()
  let allowedAt = elapsedMs(clock)
  let sentAt = allowedAt
  // From here on no change is missed, so a client that reads its data after this event has all of it.
  yield serverSentEvent('ready', { topics })
  while (isRead()) {
    const state = await readState()
    const changed = topics.filter((topic) => state[topic] !== known[topic])
    if (changed.length > 0 || elapsedMs(clock) - allowedAt >= RIGHTS_MS_MAX) {
      // When the client connects again, the response has the reason.
      if (!(await isStillAllowed())) return yield serverSentEvent('reconnect', { summary: RECONNECT })
      allowedAt = elapsedMs(clock)
    }
    known = state
    if (changed.length > 0) {
      yield serverSentEvent('changed', { topics: changed })
      sentAt = elapsedMs(clock)
    } else if (elapsedMs(clock) - sentAt > SILENCE_MS_MAX) {
      yield KEEP_ALIVE
      sentAt = elapsedMs(clock)
    }
    await delay(changed.length > 0 ? PAUSE_MS : STATE_AGE_MS_MAX)
  }
}
