import { sql } from 'kysely'
import type { Queries } from '../storage/db.ts'
import { jsonArrayOf, textRows } from '../storage/dialect.ts'
import { prepared } from '../storage/prepared.ts'
import { scoredTrace, visibleScores } from '../traces/query/visible-score-queries.ts'

/** A trace may be evaluated every night; only its newest scores are read. */
const SCORES_PER_TRACE_MAX = 60

export type StoredScore = {
  traceId: string
  evaluationId: string
  evaluator: string
  score: number | null
  label: string | null
  passed: number | null
}

/** The newest visible scores of traces, by the sender's id: newest evaluation first, then in order of evaluators and repetitions. */
export async function listNewestScores(
  q: Queries,
  workspaceId: string,
  traceIds: readonly string[],
): Promise<StoredScore[]> {
  const rows = await selectScores(q, { workspaceId, traces: JSON.stringify(traceIds.map((id) => [id])) })
  return rows.flatMap(({ traceId, scores }) => (scores === null ? [] : toScores(traceId, JSON.parse(scores))))
}

/** One limit per trace: a trace with very many scores must not hide those of the others. */
const selectScores = prepared<{ workspaceId: string; traces: string }>()((q, value) => {
  const columns = COLUMNS.map((column) => sql.ref(`s.${column}`))
  const wanted = textRows(q, ['trace_id'], value('traces'))
  const query = sql<{ traceId: string; scores: string | null }>`
    select w.trace_id as "traceId", (select ${jsonArrayOf(q, columns)} from (${scoresOfWanted(value('workspaceId'))}) as s) as scores
    from ${wanted} as w`
  return { compile: () => query.compile(q) }
})

const COLUMNS = ['evaluation_id', 'evaluator', 'score', 'label', 'passed'] as const

function scoresOfWanted(workspaceId: string) {
  return visibleScores(workspaceId)
    .select(COLUMNS.map((column) => `x.${column}` as const))
    .where(scoredTrace, '=', sql.ref<string>('w.trace_id'))
    .orderBy('x.evaluation_id', 'desc')
    .orderBy('x.evaluator')
    .orderBy('x.repetition')
    .limit(SCORES_PER_TRACE_MAX)
}

type ScoreValues = [string, string, number | null, string | null, number | null]

function toScores(traceId: string, stored: ScoreValues[]): StoredScore[] {
  return stored.map(([evaluationId, evaluator, score, label, passed]) => ({
    traceId,
    evaluationId,
    evaluator,
    score,
    label,
    passed,
  }))
}
