import { sql } from 'kysely'
import type { Queries } from '../storage/db.ts'

export type NewScore = {
  caseRef: string
  evaluator: string
  state: 'scored' | 'failed' | 'skipped'
  score: number | null
  reason: string | null
}

/**
 * Stores scores and counts the new ones into the evaluation's progress, in one transaction. A score that is there already
 * changes nothing and is not counted again: that is what makes a repeated page, after a takeover, harmless.
 */
export async function insertScores(
  tx: Queries,
  {
    workspaceId,
    evaluationId,
    scores,
    now,
  }: { workspaceId: string; evaluationId: string; scores: NewScore[]; now: string },
): Promise<void> {
  if (scores.length === 0) return
  const inserted = await tx
    .insertInto('evaluation_scores')
    .values(
      scores.map(({ caseRef, evaluator, state, score, reason }) => ({
        workspace_id: workspaceId,
        evaluation_id: evaluationId,
        case_ref: caseRef,
        evaluator,
        repetition: 1,
        state,
        score,
        label: null,
        passed: null,
        reason,
        created_at: now,
      })),
    )
    .onConflict((known) => known.doNothing())
    .returning('state')
    .execute()
  const count = (state: NewScore['state']) => inserted.filter((row) => row.state === state).length
  await tx
    .updateTable('evaluations')
    .set(({ eb }) => ({
      cases_done: eb('cases_done', '+', count('scored')),
      cases_failed: eb('cases_failed', '+', count('failed')),
      cases_skipped: eb('cases_skipped', '+', count('skipped')),
      updated_at: now,
    }))
    .where('workspace_id', '=', workspaceId)
    .where('id', '=', evaluationId)
    .execute()
}

/** A page of the values of one evaluator, in the order of the cases. */
export async function listScoreValues(
  q: Queries,
  {
    workspaceId,
    evaluationId,
    evaluator,
    after,
    limit,
  }: { workspaceId: string; evaluationId: string; evaluator: string; after: string; limit: number },
) {
  return q
    .selectFrom('evaluation_scores')
    .select(['case_ref as caseRef', 'score'])
    .where('workspace_id', '=', workspaceId)
    .where('evaluation_id', '=', evaluationId)
    .where('evaluator', '=', evaluator)
    .where('state', '=', 'scored')
    .where('case_ref', '>', after)
    .orderBy('case_ref')
    .limit(limit)
    .execute()
}

/** How many cases of an evaluator did not get a score, by why. */
export async function countUnscored(q: Queries, workspaceId: string, evaluationId: string) {
  return q
    .selectFrom('evaluation_scores')
    .select(['evaluator', 'state', 'reason', sql<number>`count(*)`.as('count')])
    .where('workspace_id', '=', workspaceId)
    .where('evaluation_id', '=', evaluationId)
    .where('state', '<>', 'scored')
    .groupBy(['evaluator', 'state', 'reason'])
    .orderBy('count', 'desc')
    .orderBy('reason')
    .execute()
}
