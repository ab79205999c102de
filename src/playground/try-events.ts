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
export async function* tryEvents(
  { events, stop }: StartedTry,
  { clock, isStillAllowed, left }: Reader,
): AsyncGenerator<string> {
  left.addEventListener('abort', stop, { once: true })
  if (left.aborted) stop()
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
