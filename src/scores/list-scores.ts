import type { Page } from '../base/page.ts'
import type { Queries } from '../storage/db.ts'
import { findTraceIds } from '../traces/trace-queries.ts'
import { listScoreRows } from './score-list-queries.ts'
import type { EvaluationScope } from './score-queries.ts'

export const SCORE_STATES = ['queued', 'running', 'retrying', 'scored', 'failed', 'skipped'] as const

export type ScoreFilter = { state?: (typeof SCORE_STATES)[number]; evaluator?: string }

/** Replaces the ratings of a trace if the caller has not rated it yet in a blind run. */
const WITHHELD_REASON = 'withheld: this run is rated blindly'

/**
 * Returns a page of scores ordered by case, evaluator and repetition. `reason` explains a score, `error` explains why
 * there is none; for a score that is waiting for a retry it is the last error. The results of the evaluators in
 * `withheld` are hidden.
 */
export async function listScores(
  q: Queries,
  scope: EvaluationScope,
  filter: ScoreFilter & Page & { withheld: readonly string[] },
) {
  const { rows, ...extent } = await listScoreRows(q, scope, filter)
  const refs = rows.flatMap(({ trace_ref }) => (trace_ref === null ? [] : [trace_ref]))
  const traceIds = await findTraceIds(q, scope.workspaceId, refs)
  const shown = rows.map((row) => (filter.withheld.includes(row.evaluator) ? withoutVerdict(row) : row))
  const listed = shown.map((row) => ({
    itemId: row.item_id,
    // The id if the trace has arrived, otherwise the reference of the client.
    traceDbId: row.trace_ref === null ? null : (traceIds.get(row.trace_ref) ?? row.trace_ref),
    evaluator: row.evaluator,
    repetition: row.repetition,
    state: row.state,
    score: row.score,
    label: row.label,
    passed: row.passed === null ? null : row.passed === 1,
    reason: row.state === 'scored' ? row.reason : null,
    error: row.state === 'scored' ? null : row.reason,
    attempts: row.attempts,
    details: row.details === null ? null : JSON.parse(row.details),
    costUsd: row.cost_usd,
  }))
  return { rows: listed, ...extent }
}

function withoutVerdict<Row extends object>(row: Row) {
  return {
    ...row,
    state: 'scored' as const,
    score: null,
    label: null,
    passed: null,
    reason: WITHHELD_REASON,
    details: null,
  }
}
