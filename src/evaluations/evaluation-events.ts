/**
 * Tells how an evaluation goes, as server-sent events: progress whenever it changes, the first error at once, and the end. Read from the
 * database and not from whoever works on it, who may be another process.
 */
import { setTimeout as delay } from 'node:timers/promises'
import type { Clock } from '../base/clock.ts'
import type { Db } from '../storage/db.ts'
import { findEvaluation } from './evaluation-queries.ts'

const LOOK_MS = 250
/** A sign of life for proxies, which cut connections on which nothing happens. */
const SILENCE_MS_MAX = 15_000
/** Whoever still wants to know connects again, as browsers do by themselves. */
const STREAM_MS_MAX = 600_000

type Watched = { workspaceId: string; evaluationId: string }

export async function* evaluationEvents(
  { db, clock }: { db: Db; clock: Clock },
  { workspaceId, evaluationId }: Watched,
): AsyncGenerator<string> {
  const until = clock.now() + STREAM_MS_MAX
  let told = ''
  let isErrorTold = false
  let toldAt = clock.now()
  while (clock.now() < until) {
    const evaluation = await findEvaluation(db.read, workspaceId, evaluationId)
    if (!evaluation)
      return yield event('end', { status: 'failed', error: 'The evaluation was deleted', progress: null })
    const { status, error, first_error: firstError } = evaluation
    const progress = progressOf(evaluation)
    const state = JSON.stringify({ status, progress, spentUsd: evaluation.spent_usd })
    if (state !== told) {
      yield event('progress', JSON.parse(state))
      told = state
      toldAt = clock.now()
    }
    if (firstError !== null && !isErrorTold) {
      yield event('error', { error: firstError })
      isErrorTold = true
    }
    if (status === 'completed' || status === 'failed') return yield event('end', { status, error, progress })
    if (clock.now() - toldAt > SILENCE_MS_MAX) {
      yield ': still here\n\n'
      toldAt = clock.now()
    }
    await delay(LOOK_MS)
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
