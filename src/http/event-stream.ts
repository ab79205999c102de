/** What all streams of server-sent events have in common. */
import { setTimeout as delay } from 'node:timers/promises'
import { type Clock, elapsedMs } from '../base/clock.ts'

/** Proxies close idle connections, so a comment is sent after this time. */
export const SILENCE_MS_MAX = 15_000
/** After a key is revoked, a session expires or a member leaves, a stream ends within this time, or at the next event. */
export const RIGHTS_MS_MAX = 1_000

export const EVENT_STREAM = 'text/event-stream'

export const KEEP_ALIVE = ': still here\n\n'

/** JSON text has no line breaks, which would end the field. */
export function serverSentEvent(name: string, data: unknown): string {
  return `event: ${name}\ndata: ${JSON.stringify(data)}\n\n`
}

/** If no worker is running to skip what is pending after a cancellation, the end is sent after this time. */
const SETTLING_MS_MAX = 10_000

export type ProgressDeps = {
  clock: Clock
  isStillAllowed: () => Promise<boolean>
  /** Whether a client is still connected. */
  isRead: () => boolean
}

type Progress = { total: number; done: number; failed: number; skipped: number }

type WorkState = {
  status: string
  progress: Progress
  /** The data of `progress`, which is sent when it differs. */
  state: object
  /** As soon as it occurs; sent once. */
  firstError?: string | null
  /** The data of `end`. */
  end: object
}

type Work = {
  pollMs: number
  /** From the database, because the worker may be another process. Undefined if the work was deleted. */
  read: () => Promise<WorkState | undefined>
  /** The data of `end` if it was deleted. */
  deleted: object
  /** Sent when the client must connect again. */
  reconnect: string
}

/**
 * Streams the progress of work in the background whenever it changes, and its end. Lasts until then, or until the work is deleted or the
 * client disconnects.
 */
export async function* progressEvents(
  { clock, isStillAllowed, isRead }: ProgressDeps,
  { pollMs, read, deleted, reconnect }: Work,
): AsyncGenerator<string> {
  let allowedAt = elapsedMs(clock)
  let sent = ''
  let isErrorSent = false
  let sentAt = elapsedMs(clock)
  let endedAt: number | undefined
  for (;;) {
    const work = await read()
    if (!work) return yield serverSentEvent('end', deleted)
    const { status, progress, firstError, end } = work
    const state = JSON.stringify(work.state)
    // One lookup of a key or a session by its index costs no more than reading the work, which happens more often.
    if (state !== sent || elapsedMs(clock) - allowedAt >= RIGHTS_MS_MAX) {
      // When the client connects again, the response has the reason.
      if (!(await isStillAllowed())) return yield serverSentEvent('reconnect', { summary: reconnect })
      allowedAt = elapsedMs(clock)
    }
    if (state !== sent) {
      sent = state
      sentAt = elapsedMs(clock)
      yield serverSentEvent('progress', work.state)
    }
    if (firstError != null && !isErrorSent) {
      yield serverSentEvent('error', { error: firstError })
      isErrorSent = true
    }
    if (status === 'completed' || status === 'failed') {
      endedAt ??= elapsedMs(clock)
      const { total, done, failed, skipped } = progress
      // After a cancellation the worker skips what is pending a moment later.
      const isSettled = done + failed + skipped >= total
      if (isSettled || elapsedMs(clock) - endedAt > SETTLING_MS_MAX) return yield serverSentEvent('end', end)
    }
    if (elapsedMs(clock) - sentAt > SILENCE_MS_MAX) {
      sentAt = elapsedMs(clock)
      yield KEEP_ALIVE
    }
    await delay(pollMs)
    if (!isRead()) return
  }
}
