import { type Clock, elapsedMs } from '../base/clock.ts'
import { KEEP_ALIVE, RIGHTS_MS_MAX, SILENCE_MS_MAX, serverSentEvent } from '../http/event-stream.ts'
import type { StartedTry } from './create-playground.ts'

type Reader = {
  clock: Clock
  isStillAllowed: () => Promise<boolean>
  /** Aborted when the client has left. */
  left: AbortSignal
}

/** Streams a try. When the client leaves, or may no longer read, the call of the model is stopped. */
export function tryEvents(started: StartedTry, reader: Reader): AsyncGenerator<string> {
  // Not in the generator, which never runs for a client that leaves before its first event.
  reader.left.addEventListener('abort', started.stop, { once: true })
  return streamEvents(started, reader)
}

async function* streamEvents({ events, stop }: StartedTry, { clock, isStillAllowed }: Reader): AsyncGenerator<string> {
  let allowedAt = elapsedMs(clock)
  let sentAt = allowedAt
  for (;;) {
    const event = await events.next(RIGHTS_MS_MAX)
    if (event === 'over') return
    const now = elapsedMs(clock)
    if (now - allowedAt >= RIGHTS_MS_MAX) {
      if (!(await isStillAllowed())) return stop()
      allowedAt = now
    }
    if (event !== 'none yet') yield serverSentEvent(event.name, event.data)
    else if (now - sentAt > SILENCE_MS_MAX) yield KEEP_ALIVE
    else continue
    sentAt = now
  }
}
