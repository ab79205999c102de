import type { ExpressionBuilder } from 'kysely'
import { type EvaluationScope, PENDING_STATES, scoresOf, updateEvaluation } from '../../scores/score-queries.ts'
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
 * It excludes `lockEvaluation`, so that a client that delivers scores and the planner never change them at the same time.
 */
export async function lockPlan(tx: Queries, of: EvaluationScope) {
  return lockForShare(tx, activePlan(tx, of)).executeTakeFirst()
}

function activePlan(q: Queries, { workspaceId, evaluationId }: EvaluationScope) {
  return activeEvaluations(q)
    .select(['e.planned_to as plannedTo', 'e.retries'])
    .where('e.workspace_id', '=', workspaceId)
    .where('e.id', '=', evaluationId)
    .where('e.status', 'in', ['pending', 'running'])
}

/** Moves the mark, and adds the new scores to the total. */
export async function markPlanned(
  tx: Queries,
  of: EvaluationScope,
  { plannedTo, added }: { plannedTo: string; added: number },
): Promise<void> {
  await updateEvaluation(tx, of)
    .set(({ eb }) => ({ planned_to: plannedTo, cases_total: eb('cases_total', '+', added) }))
    .execute()
}

export async function findJudgedWith(q: Queries, { workspaceId, evaluationId }: EvaluationScope) {
  const row = await q
    .selectFrom('evaluations')
    .select('judged_with')
    .where('workspace_id', '=', workspaceId)
    .where('id', '=', evaluationId)
    .executeTakeFirst()
  return row?.judged_with
}

export async function setJudgedWith(tx: Queries, of: EvaluationScope, judgedWith: string): Promise<void> {
  await updateEvaluation(tx, of).set({ judged_with: judgedWith }).execute()
}

export async function hasPendingScores(q: Queries, of: EvaluationScope, evaluator: string): Promise<boolean> {
  const pending = scoresOf(q, of)
    .select('case_ref')
    .where('evaluator', '=', evaluator)
    .where('state', 'in', PENDING_STATES)
  return (await pending.limit(1).execute()).length > 0
}

export async function hasRetryableScores(q: Queries, of: EvaluationScope): Promise<boolean> {
  const rows = await scoresOf(q, of).select('case_ref').where(isRetryable).limit(1).execute()
  return rows.length > 0
}

type ScoreExpression = ExpressionBuilder<Tables, 'evaluation_scores'>

function isRetryable({ eb, or, and }: ScoreExpression) {
  // Skipped because the evaluation finished first. A score that was skipped for another reason has been attempted.
  const wasNeverAttempted = and([eb('state', '=', 'skipped'), eb('attempts', '=', 0)])
  // Pending scores of a cancelled evaluation that the worker has not skipped yet.
  return or([eb('state', '=', 'failed'), wasNeverAttempted, eb('state', 'in', PENDING_STATES)])
}

/** True for retryable scores, unless a client has delivered them since the last retry: these are final again. */
function isUndelivered(retries: number) {
  return (score: ScoreExpression) =>
    score.and([isRetryable(score), score.or([score('delivered_in', 'is', null), score('delivered_in', '<', retries)])])
}

/**
 * Queues the scores of the next cases that failed, or that were never attempted because the evaluation was cancelled.
 * Returns the last of these cases; undefined when none are left.
 */
export async function requeueFailed(
  tx: Queries,
  of: EvaluationScope,
  { after, limit, retries }: { after: string; limit: number; retries: number },
): Promise<string | undefined> {
  const cases = await scoresOf(tx, of)
    .select('case_ref')
    .distinct()
    .where(isUndelivered(retries))
    .where('case_ref', '>', after)
    .orderBy('case_ref')
    .limit(limit)
    .execute()
  const refs = cases.map(({ case_ref }) => case_ref)
  if (refs.length > 0) await requeueScores(tx, of, { refs, retries })
  return refs.at(-1)
}

/** Queues the scores of some cases that are to be retried: of all evaluators, or of those named. */
export async function requeueScores(
  tx: Queries,
  of: EvaluationScope,
  { refs, retries, evaluators }: { refs: readonly string[]; retries: number; evaluators?: readonly string[] },
): Promise<void> {
  const isChosen = (score: ScoreExpression) =>
    score.and([
      isUndelivered(retries)(score),
      inList(tx, 'case_ref', refs),
      ...(evaluators ? [inList(tx, 'evaluator', evaluators)] : []),
    ])
  const scores = await scoresOf(tx, of).select('state').where(isChosen).execute()
  await updateScores(tx, of).set({ state: 'queued', attempts: 0, reason: null }).where(isChosen).execute()
  const count = (state: string) => scores.filter((score) => score.state === state).length
  await updateEvaluation(tx, of)
    .set(({ eb }) => ({
      cases_failed: eb('cases_failed', '-', count('failed')),
      cases_skipped: eb('cases_skipped', '-', count('skipped')),
    }))
    .execute()
}

/** Skips the pending scores of some cases: of all evaluators, or of those named. Returns whether there may be more. */
export async function skipPendingScores(
  tx: Queries,
  of: EvaluationScope,
  { reason, cases, evaluators }: { reason: string; cases: number; evaluators?: readonly string[] },
): Promise<boolean> {
  const isPending = (score: ScoreExpression) =>
    score.and([score('state', 'in', PENDING_STATES), ...(evaluators ? [inList(tx, 'evaluator', evaluators)] : [])])
  const open = scoresOf(tx, of).select('case_ref').distinct().where(isPending).limit(cases)
  const refs = (await open.execute()).map(({ case_ref }) => case_ref)
  if (refs.length === 0) return false
  const { numUpdatedRows } = await updateScores(tx, of)
    .set({ state: 'skipped', attempts: 0, reason })
    .where(inList(tx, 'case_ref', refs))
    .where(isPending)
    .executeTakeFirstOrThrow()
  await updateEvaluation(tx, of)
    .set(({ eb }) => ({ cases_skipped: eb('cases_skipped', '+', Number(numUpdatedRows)) }))
    .execute()
  return true
}

function updateScores(tx: Queries, { workspaceId, evaluationId }: EvaluationScope) {
  return tx
    .updateTable('evaluation_scores')
    .where('workspace_id', '=', workspaceId)
    .where('evaluation_id', '=', evaluationId)
}
