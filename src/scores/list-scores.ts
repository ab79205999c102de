import type { Page } from '../base/page.ts'
import type { Queries } from '../storage/db.ts'
import { findTraceIds } from '../traces/trace-queries.ts'
import { listScoreRows } from './score-list-queries.ts'
import type { EvaluationScope } from './score-queries.ts'
import { shownScore } from './shown-score.ts'

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
