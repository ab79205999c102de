import type { ExpressionBuilder } from 'kysely'
import { type EvaluationScope, OPEN_STATES } from '../../scores/score-queries.ts'
import type { Queries } from '../../storage/db.ts'
import { inList, lockForShare } from '../../storage/dialect.ts'
import type { Tables } from '../../storage/tables.ts'
import { activeEvaluations } from '../evaluation-queries.ts'

/** Told to every case that was not scored because somebody stopped the evaluation. */
export const CANCELLED = 'the evaluation was cancelled'

/** Undefined when the evaluation has ended or is gone, by itself or with what it belongs to. */
export async function findPlan(q: Queries, of: EvaluationScope) {
  return openLayout(q, of).executeTakeFirst()
}

/** As `findPlan`, for those who add scores: it and what it belongs to stay until the end of the transaction. */
export async function lockPlan(tx: Queries, of: EvaluationScope) {
  return lockForShare(tx, openLayout(tx, of)).executeTakeFirst()
}

function openLayout(q: Queries, { workspaceId, evaluationId }: EvaluationScope) {
  return activeEvaluations(q)
    .select('e.planned_to as plannedTo')
    .where('e.workspace_id', '=', workspaceId)
    .where('e.id', '=', evaluationId)
    .where('e.status', 'in', ['pending', 'running'])
}

/** Moves the mark, and counts what was laid out on the way to it. */
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

export async function hasToTryAgain(q: Queries, { workspaceId, evaluationId }: EvaluationScope): Promise<boolean> {
  const rows = await q
    .selectFrom('evaluation_scores')
    .select('case_ref')
    .where('workspace_id', '=', workspaceId)
    .where('evaluation_id', '=', evaluationId)
    .where(isToTryAgain)
    .limit(1)
    .execute()
  return rows.length > 0
}

function isToTryAgain({ eb, or, and }: ExpressionBuilder<Tables, 'evaluation_scores'>) {
  // Told so when the evaluation ended before its turn; what is skipped for a reason of its own has been tried.
  const wasNeverTried = and([eb('state', '=', 'skipped'), eb('attempts', '=', 0)])
  // One that was never begun, because it was cancelled before: nobody has told it yet.
  return or([eb('state', '=', 'failed'), wasNeverTried, eb('state', 'in', OPEN_STATES)])
}

/**
 * Queues the scores of the next cases of which something failed, or was never tried because the evaluation was cancelled. Answers the
 * last of these cases; undefined when there are none left.
 */
export async function requeueFailed(
  tx: Queries,
  { workspaceId, evaluationId }: EvaluationScope,
  { after, limit }: { after: string; limit: number },
): Promise<string | undefined> {
  const toTryAgain = () =>
    tx
      .selectFrom('evaluation_scores')
      .where('workspace_id', '=', workspaceId)
      .where('evaluation_id', '=', evaluationId)
      .where(isToTryAgain)
  const cases = await toTryAgain()
    .select('case_ref')
    .distinct()
    .where('case_ref', '>', after)
    .orderBy('case_ref')
    .limit(limit)
    .execute()
  const refs = cases.map(({ case_ref }) => case_ref)
  if (refs.length === 0) return undefined
  const scores = await toTryAgain()
    .select(['case_ref', 'evaluator', 'repetition', 'state'])
    .where(inList(tx, 'case_ref', refs))
    .execute()
  await tx
    .updateTable('evaluation_scores')
    .set({ state: 'queued', attempts: 0, reason: null })
    .where('workspace_id', '=', workspaceId)
    .where('evaluation_id', '=', evaluationId)
    .where(inList(tx, 'case_ref', refs))
    .where(isToTryAgain)
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

/** Ends the scores of some cases that nobody will make any more; answers whether there may be others. */
export async function skipOpenScores(
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
    .where('state', 'in', OPEN_STATES)
    .limit(cases)
  const refs = (await open.execute()).map(({ case_ref }) => case_ref)
  if (refs.length === 0) return false
  const { numUpdatedRows } = await tx
    .updateTable('evaluation_scores')
    .set({ state: 'skipped', attempts: 0, reason })
    .where('workspace_id', '=', workspaceId)
    .where('evaluation_id', '=', evaluationId)
    .where(inList(tx, 'case_ref', refs))
    .where('state', 'in', OPEN_STATES)
    .executeTakeFirstOrThrow()
  await tx
    .updateTable('evaluations')
    .set(({ eb }) => ({ cases_skipped: eb('cases_skipped', '+', Number(numUpdatedRows)) }))
    .where('workspace_id', '=', workspaceId)
    .where('id', '=', evaluationId)
    .execute()
  return true
}
