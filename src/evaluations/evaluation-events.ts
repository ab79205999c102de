/**
 * Tells how an evaluation goes, as server-sent events: progress whenever it changes, the first error at once, and the end. They go
 * on until then, or until the evaluation is deleted or the listener leaves. Read from the database and not from whoever works on it, who
 * may be another process.
 */
import { setTimeout as delay } from 'node:timers/promises'
import { type Clock, elapsedMs } from '../base/clock.ts'
import type { Db } from '../storage/db.ts'
import { findEvaluation } from './evaluation-queries.ts'

const LOOK_MS = 250
/** A sign of life for proxies, which cut connections on which nothing happens. */
const SILENCE_MS_MAX = 15_000
/** A key that is revoked, a session that ends and a person who leaves stop hearing of it after so long, and at the next event. */
const RIGHTS_MS_MAX = 1_000
/** Where nobody works, the end is told nevertheless. */
const SETTLING_MS_MAX = 10_000
const RECONNECT = 'The evaluation has not ended; ask for its events again'

type EventDeps = {
  db: Db
  clock: Clock
  isStillAllowed: () => Promise<boolean>
  /** Whether anybody still listens. */
  isRead: () => boolean
}

type Watched = { workspaceId: string; evaluationId: string }

export async function* evaluationEvents(
  { db, clock, isStillAllowed, isRead }: EventDeps,
  { workspaceId, evaluationId }: Watched,
): AsyncGenerator<string> {
  let allowedAt = elapsedMs(clock)
  let told = ''
  let isErrorTold = false
  let toldAt = elapsedMs(clock)
  let endedAt: number | undefined
  for (;;) {
    const evaluation = await findEvaluation(db.read, workspaceId, evaluationId)
    if (!evaluation)
      return yield event('end', { status: 'failed', error: 'The evaluation was deleted', progress: null })
    const { status, error, first_error: firstError } = evaluation
    const progress = progressOf(evaluation)
    const state = JSON.stringify({ status, progress, spentUsd: evaluation.spent_usd })
    // One look at a key or a session, by its index: no more than looking at the evaluation, which happens four times as often.
    if (state !== told || elapsedMs(clock) - allowedAt >= RIGHTS_MS_MAX) {
      // Whoever asks again is told what is missing.
      if (!(await isStillAllowed())) return yield event('reconnect', { summary: RECONNECT })
      allowedAt = elapsedMs(clock)
    }
    if (state !== told) {
      told = state
      toldAt = elapsedMs(clock)
      yield event('progress', JSON.parse(state))
    }
    if (firstError !== null && !isErrorTold) {
      yield event('error', { error: firstError })
      isErrorTold = true
    }
    if (status === 'completed' || status === 'failed') {
      endedAt ??= elapsedMs(clock)
      const { total, done, failed, skipped } = progress
      // Of one that was cancelled the rest is told so by whoever works on it, a moment later.
      const isSettled = done + failed + skipped >= total
      if (isSettled || elapsedMs(clock) - endedAt > SETTLING_MS_MAX)
        return yield event('end', { status, error, progress })
    }
    if (elapsedMs(clock) - toldAt > SILENCE_MS_MAX) {
      toldAt = elapsedMs(clock)
      yield ': still here\n\n'
    }
    await delay(LOOK_MS)
    if (!isRead()) return
  }
}

type Counted = { cases_total: number; cases_done: number; cases_failed: number; cases_skipped: number }

export function progressOf({ cases_total, cases_done, cases_failed, cases_skipped }: Counted) {
  return { total: cases_total, done: cases_done, failed: cases_failed, skipped: cases_skipped }
}

/** JSON has no line breaks, which would end the field. */
function event(name: string, data: unknown): string {
  return `event: ${name}\ndata: ${JSON.stringify(data)}\n\n`
}
