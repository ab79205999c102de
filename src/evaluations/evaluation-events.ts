import { type ProgressDeps, progressEvents } from '../http/event-stream.ts'
import type { Db } from '../storage/db.ts'
import { findEvaluation } from './evaluation-queries.ts'

const POLL_MS = 250

type Watched = { workspaceId: string; evaluationId: string }

export function evaluationEvents(
  { db, ...deps }: ProgressDeps & { db: Db },
  { workspaceId, evaluationId }: Watched,
): AsyncGenerator<string> {
  return progressEvents(deps, {
    pollMs: POLL_MS,
    deleted: { status: 'failed', error: 'The evaluation was deleted', progress: null },
    reconnect: 'The evaluation has not ended; ask for its events again',
    async read() {
      const evaluation = await findEvaluation(db.read, workspaceId, evaluationId)
      if (!evaluation) return undefined
      const { status, error, first_error: firstError, spent_usd: spentUsd } = evaluation
      const progress = progressOf(evaluation)
      return { status, progress, firstError, state: { status, progress, spentUsd }, end: { status, error, progress } }
    },
  })
}

type Counted = { cases_total: number; cases_done: number; cases_failed: number; cases_skipped: number }

export function progressOf({ cases_total, cases_done, cases_failed, cases_skipped }: Counted) {
  return { total: cases_total, done: cases_done, failed: cases_failed, skipped: cases_skipped }
}
