/**
 * Streams the state of an evaluation as server-sent events: progress whenever it changes, the first error as soon as
 * it occurs, and the end. The stream lasts until then, or until the evaluation is deleted or the client disconnects.
 * The state is read from the database because the worker may be another process.
 */
import { setTimeout as delay } from 'node:timers/promises'
import { type Clock, elapsedMs } from '../base/clock.ts'
import { KEEP_ALIVE, RIGHTS_MS_MAX, SILENCE_MS_MAX, serverSentEvent } from '../http/event-stream.ts'
import type { Db } from '../storage/db.ts'
import { findEvaluation } from './evaluation-queries.ts'

const POLL_MS = 250
/** If no worker is running to skip the pending scores, the end is sent after this time. */
const SETTLING_MS_MAX = 10_000
const RECONNECT = 'The evaluation has not ended; ask for its events again'

type EventDeps = {
  db: Db
  clock: Clock
  isStillAllowed: () => Promise<boolean>
  /** Whether a client is still connected. */
  isRead: () => boolean
}

type Watched = { workspaceId: string; evaluationId: string }

export async function* evaluationEvents(
  { db, clock, isStillAllowed, isRead }: EventDeps,
  { workspaceId, evaluationId }: Watched,
): AsyncGenerator<string> {
  let allowedAt = elapsedMs(clock)
  let sent = ''
  let isErrorSent = false
  let sentAt = elapsedMs(clock)
  let endedAt: number | undefined
  for (;;) {
    const evaluation = await findEvaluation(db.read, workspaceId, evaluationId)
    if (!evaluation)
      return yield serverSentEvent('end', { status: 'failed', error: 'The evaluation was deleted', progress: null })
    const { status, error, first_error: firstError } = evaluation
    const progress = progressOf(evaluation)
    const state = JSON.stringify({ status, progress, spentUsd: evaluation.spent_usd })
    // One lookup of a key or a session by its index costs no more than reading the evaluation, which happens four times
    // as often.
    if (state !== sent || elapsedMs(clock) - allowedAt >= RIGHTS_MS_MAX) {
      // When the client connects again, the response has the reason.
      if (!(await isStillAllowed())) return yield serverSentEvent('reconnect', { summary: RECONNECT })
      allowedAt = elapsedMs(clock)
    }
    if (state !== sent) {
      sent = state
      sentAt = elapsedMs(clock)
      yield serverSentEvent('progress', JSON.parse(state))
    }
    if (firstError !== null && !isErrorSent) {
      yield serverSentEvent('error', { error: firstError })
      isErrorSent = true
    }
    if (status === 'completed' || status === 'failed') {
      endedAt ??= elapsedMs(clock)
      const { total, done, failed, skipped } = progress
      // After a cancellation the worker skips the pending scores a moment later.
      const isSettled = done + failed + skipped >= total
      if (isSettled || elapsedMs(clock) - endedAt > SETTLING_MS_MAX)
        return yield serverSentEvent('end', { status, error, progress })
    }
    if (elapsedMs(clock) - sentAt > SILENCE_MS_MAX) {
      sentAt = elapsedMs(clock)
      yield KEEP_ALIVE
    }
    await delay(POLL_MS)
    if (!isRead()) return
  }
}

type Counted = { cases_total: number; cases_done: number; cases_failed: number; cases_skipped: number }

export function progressOf({ cases_total, cases_done, cases_failed, cases_skipped }: Counted) {
  return { total: cases_total, done: cases_done, failed: cases_failed, skipped: cases_skipped }
}
