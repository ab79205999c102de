import type { Page } from '../base/page.ts'
import type { Queries } from '../storage/db.ts'
import type { Tables } from '../storage/tables.ts'
import { findTraceIds } from '../traces/trace-queries.ts'
import { listScoreRows } from './score-list-queries.ts'
import type { EvaluationScope } from './score-queries.ts'

export const SCORE_STATES = ['queued', 'running', 'retrying', 'scored', 'failed', 'skipped'] as const

export type ScoreFilter = { state?: (typeof SCORE_STATES)[number]; evaluator?: string }

/** Returns a page of scores ordered by case, evaluator and repetition. */
export async function listScores(
  q: Queries,
  scope: EvaluationScope,
  filter: ScoreFilter & Page & { withheld: readonly string[] },
) {
  const { rows, ...extent } = await listScoreRows(q, scope, filter)
  const refs = rows.flatMap(({ trace_ref }) => (trace_ref === null ? [] : [trace_ref]))
  const traceIds = await findTraceIds(q, scope.workspaceId, refs)
  const listed = rows.map((row) => ({
    itemId: row.item_id,
    // The id if the trace has arrived, otherwise the reference of the client.
    traceDbId: row.trace_ref === null ? null : (traceIds.get(row.trace_ref) ?? row.trace_ref),
    ...shownScore({ ...row, costUsd: row.cost_usd }, filter.withheld),
  }))
  return { rows: listed, ...extent }
}

/** Replaces the ratings of a trace if the caller has not rated it yet in a blind run. */
export const WITHHELD_REASON = 'withheld: this run is rated blindly'

type StoredScore = {
  evaluator: string
  repetition: number
  state: Tables['evaluation_scores']['state']
  score: number | null
  label: string | null
  passed: number | null
  reason: string | null
  attempts: number
  details: string | null
  costUsd: number | null
}

export type ShownScore = ReturnType<typeof shownScore>

/**
 * A score as the API returns it. `reason` explains a score, `error` explains why there is none; for a score that is
 * waiting for a retry it is the last error. The results of the evaluators in `withheld` are hidden.
 */
export function shownScore(stored: StoredScore, withheld: readonly string[]) {
  const row = withheld.includes(stored.evaluator) ? withoutVerdict(stored) : stored
  return {
    evaluator: row.evaluator,
    repetition: row.repetition,
    state: row.state,
    score: row.score,
    label: row.label,
    passed: row.passed === null ? null : row.passed === 1,
    reason: row.state === 'scored' ? row.reason : null,
    error: row.state === 'scored' ? null : row.reason,
    attempts: row.attempts,
    details: parsed(row.details),
    costUsd: row.costUsd,
  }
}

function parsed(details: string | null): Record<string, unknown> | null {
  return details === null ? null : JSON.parse(details)
}

function withoutVerdict(row: StoredScore): StoredScore {
  return { ...row, state: 'scored', score: null, label: null, passed: null, reason: WITHHELD_REASON, details: null }
}
