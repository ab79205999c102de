import { sql } from 'kysely'
import type { Queries } from '../storage/db.ts'
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
  if (traceIds.length === 0) return []
  // One limit per trace: a trace with very many scores must not hide those of the others.
  const ofTraces = traceIds.map((traceId) => sql`select * from (${scoresOf(workspaceId, traceId)}) as newest`)
  const { rows } = await sql<StoredScore>`${sql.join(ofTraces, sql` union all `)}`.execute(q)
  return rows
}

function scoresOf(workspaceId: string, traceId: string) {
  return visibleScores(workspaceId)
    .select([
      scoredTrace.as('traceId'),
      'x.evaluation_id as evaluationId',
      'x.evaluator',
      'x.score',
      'x.label',
      'x.passed',
    ])
    .where(scoredTrace, '=', traceId)
    .orderBy('x.evaluation_id', 'desc')
    .orderBy('x.evaluator')
    .orderBy('x.repetition')
    .limit(SCORES_PER_TRACE_MAX)
}
