/** Queries on the scores that clients deliver. Only repetition 1 exists of these. */
import { type EvaluationScope, scoresOf, updateEvaluation } from '../../scores/score-queries.ts'
import type { Queries } from '../../storage/db.ts'
import { inList, lockForNaming } from '../../storage/dialect.ts'

/**
 * Locks an evaluation until the end of the transaction. A client that delivers the last score and a worker that decides
 * to wait for it must do so one after the other. Its datasets and scores are not locked.
 */
export async function lockEvaluation(tx: Queries, { workspaceId, evaluationId }: EvaluationScope): Promise<void> {
  const row = tx
    .selectFrom('evaluations')
    .select('id')
    .where('workspace_id', '=', workspaceId)
    .where('id', '=', evaluationId)
  await lockForNaming(tx, row).execute()
}

export async function addPlannedScores(tx: Queries, of: EvaluationScope, added: number): Promise<void> {
  await updateEvaluation(tx, of)
    .set(({ eb }) => ({ cases_total: eb('cases_total', '+', added) }))
    .execute()
}

/** The scores of these evaluators on these cases, as far as they are planned. */
export async function listPlannedScores(
  tx: Queries,
  of: EvaluationScope,
  { refs, evaluators }: { refs: readonly string[]; evaluators: readonly string[] },
) {
  return scoresOf(tx, of)
    .select(['case_ref as caseRef', 'evaluator', 'state', 'score', 'label', 'passed', 'reason', 'details'])
    .where(inList(tx, 'case_ref', refs))
    .where(inList(tx, 'evaluator', evaluators))
    .where('repetition', '=', 1)
    .execute()
}

/** The number of planned scores that are not final, from the progress of the evaluation; 0 if it is not running. */
export async function countPendingScores(q: Queries, { workspaceId, evaluationId }: EvaluationScope): Promise<number> {
  const row = await q
    .selectFrom('evaluations')
    .select(['cases_total', 'cases_done', 'cases_failed', 'cases_skipped'])
    .where('workspace_id', '=', workspaceId)
    .where('id', '=', evaluationId)
    .where('status', 'in', ['pending', 'running'])
    .where('deleted_at', 'is', null)
    .executeTakeFirst()
  return row ? row.cases_total - row.cases_done - row.cases_failed - row.cases_skipped : 0
}
