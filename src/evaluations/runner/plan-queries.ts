import type { ExpressionBuilder } from 'kysely'
import { type EvaluationScope, PENDING_STATES } from '../../scores/score-queries.ts'
import type { Queries } from '../../storage/db.ts'
import { inList, lockForShare } from '../../storage/dialect.ts'
import type { Tables } from '../../storage/tables.ts'
import { activeEvaluations } from '../evaluation-queries.ts'

/** The reason of every score that was skipped because a user cancelled the evaluation. */
export const CANCELLED = 'the evaluation was cancelled'

/** Returns undefined when the evaluation is finished or deleted, or when its dataset or component is. */
export async function findPlan(q: Queries, of: EvaluationScope) {
  return activePlan(q, of).executeTakeFirst()
}

/**
 * Like `findPlan`, for callers that add scores: locks the evaluation and its parents until the end of the transaction.
 */
export async function lockPlan(tx: Queries, of: EvaluationScope) {
  return lockForShare(tx, activePlan(tx, of)).executeTakeFirst()
}

function activePlan(q: Queries, { workspaceId, evaluationId }: EvaluationScope) {
  return activeEvaluations(q)
    .select('e.planned_to as plannedTo')
    .where('e.workspace_id', '=', workspaceId)
    .where('e.id', '=', evaluationId)
    .where('e.status', 'in', ['pending', 'running'])
}

/** Moves the mark, and adds the new scores to the total. */
export async function markPlanned(
  tx: Queries,
  { workspaceId, evaluationId }: EvaluationScope,
  { plannedTo, added }: { plannedTo: string; added: number },
): Promise<void> {
  await tx
    .updateTable('evaluations')
    .set(({ eb }) => ({ planned_to: plannedTo, cases_total: eb('cases_total', '+', added) }))
    .where('workspace_id', '=', workspaceId)
    .where('id', '=', evaluationId)
    .execute()
}

export async function hasRetryableScores(q: Queries, { workspaceId, evaluationId }: EvaluationScope): Promise<boolean> {
  const rows = await q
    .selectFrom('evaluation_scores')
    .select('case_ref')
    .where('workspace_id', '=', workspaceId)
    .where('evaluation_id', '=', evaluationId)
    .where(isRetryable)
    .limit(1)
    .execute()
  return rows.length > 0
}

function isRetryable({ eb, or, and }: ExpressionBuilder<Tables, 'evaluation_scores'>) {
  // Skipped because the evaluation finished first. A score that was skipped for another reason has been attempted.
  const wasNeverAttempted = and([eb('state', '=', 'skipped'), eb('attempts', '=', 0)])
  // Pending scores of a cancelled evaluation that the worker has not skipped yet.
  return or([eb('state', '=', 'failed'), wasNeverAttempted, eb('state', 'in', PENDING_STATES)])
}

/**
 * Queues the scores of the next cases that failed, or that were never attempted because the evaluation was cancelled.
 * Returns the last of these cases; undefined when none are left.
 */
export async function requeueFailed(
  tx: Queries,
  { workspaceId, evaluationId }: EvaluationScope,
  { after, limit }: { after: string; limit: number },
): Promise<string | undefined> {
  const retryable = () =>
    tx
      .selectFrom('evaluation_scores')
      .where('workspace_id', '=', workspaceId)
      .where('evaluation_id', '=', evaluationId)
      .where(isRetryable)
  const cases = await retryable()
    .select('case_ref')
    .distinct()
    .where('case_ref', '>', after)
    .orderBy('case_ref')
    .limit(limit)
    .execute()
  const refs = cases.map(({ case_ref }) => case_ref)
  if (refs.length === 0) return undefined
  const scores = await retryable()
    .select(['case_ref', 'evaluator', 'repetition', 'state'])
    .where(inList(tx, 'case_ref', refs))
    .execute()
  await tx
    .updateTable('evaluation_scores')
    .set({ state: 'queued', attempts: 0, reason: null })
    .where('workspace_id', '=', workspaceId)
    .where('evaluation_id', '=', evaluationId)
    .where(inList(tx, 'case_ref', refs))
    .where(isRetryable)
    .execute()
  const failed = scores.filter(({ state }) => state === 'failed').length
  await tx
    .updateTable('evaluations')
    .set(({ eb }) => ({
      cases_failed: eb('cases_failed', '-', failed),
      cases_skipped: eb('cases_skipped', '-', scores.filter(({ state }) => state === 'skipped').length),
    }))
    .where('workspace_id', '=', workspaceId)
    .where('id', '=', evaluationId)
    .execute()
  return refs.at(-1)
}

/** Skips the pending scores of some cases. Returns whether there may be more. */
export async function skipPendingScores(
  tx: Queries,
  { workspaceId, evaluationId }: EvaluationScope,
  { reason, cases }: { reason: string; cases: number },
): Promise<boolean> {
  const open = tx
    .selectFrom('evaluation_scores')
    .select('case_ref')
    .distinct()
    .where('workspace_id', '=', workspaceId)
    .where('evaluation_id', '=', evaluationId)
    .where('state', 'in', PENDING_STATES)
    .limit(cases)
  const refs = (await open.execute()).map(({ case_ref }) => case_ref)
  if (refs.length === 0) return false
  const { numUpdatedRows } = await tx
    .updateTable('evaluation_scores')
    .set({ state: 'skipped', attempts: 0, reason })
    .where('workspace_id', '=', workspaceId)
    .where('evaluation_id', '=', evaluationId)
    .where(inList(tx, 'case_ref', refs))
    .where('state', 'in', PENDING_STATES)
    .executeTakeFirstOrThrow()
  await tx
    .updateTable('evaluations')
    .set(({ eb }) => ({ cases_skipped: eb('cases_skipped', '+', Number(numUpdatedRows)) }))
    .where('workspace_id', '=', workspaceId)
    .where('id', '=', evaluationId)
    .execute()
  return true
}
