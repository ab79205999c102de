/** Changes to an existing evaluation: cancel, retry, delete. */
import { recordAudit } from '../auth/audit/audit.ts'
import { timestamp } from '../base/clock.ts'
import { conflict, notFound } from '../base/errors.ts'
import type { Principal } from '../base/principal.ts'
import type { Context } from '../http/route.ts'
import { enqueueJob, wakeJob } from '../jobs/enqueue.ts'
import { enqueuePurge } from '../purge/purge-job.ts'
import type { Quotas } from '../workspaces/quotas.ts'
import {
  CANCELLED_ERROR,
  deleteJobsOfEvaluation,
  type EvaluationInComponent,
  markEvaluationDeleted,
  markEvaluationEnded,
  markEvaluationPending,
  requireEvaluation,
} from './evaluation-queries.ts'
import { hasRetryableScores } from './runner/plan-queries.ts'
import { retryMark } from './runner/plan-scores.ts'
import { rejectTooMany } from './start-evaluation.ts'

type Deps = Pick<Context, 'db' | 'clock' | 'newId'>

/**
 * The evaluation is final immediately. The worker notices within a second and marks the pending scores as cancelled.
 */
export async function cancelEvaluation({ db, clock }: Deps, scope: EvaluationInComponent) {
  const now = timestamp(clock.now())
  return db.transaction(async (tx) => {
    const { id, name, status } = await requireEvaluation(tx, scope)
    const cancelled = { ...scope, status: 'failed', error: CANCELLED_ERROR, results: null, now } as const
    if (!(await markEvaluationEnded(tx, cancelled))) throw conflict(`The evaluation is already finished (${status})`)
    // It may be waiting for external scores, and would skip them only when their timeout has passed.
    const { workspaceId, evaluationId } = scope
    await wakeJob(tx, { clock }, { workspaceId, kind: 'evaluation', payload: { evaluationId } })
    return { id, name, status: 'failed' }
  })
}

/**
 * Queues the scores that failed and those that were never attempted because the evaluation finished first. Existing
 * scores stay.
 */
export async function retryEvaluation({ db, clock, newId }: Deps, quotas: Quotas, scope: EvaluationInComponent) {
  const { workspaceId, evaluationId } = scope
  return db.transaction(async (tx) => {
    const evaluation = await requireEvaluation(tx, scope)
    const { id, name, status } = evaluation
    if (status !== 'completed' && status !== 'failed') throw conflict('The evaluation has not ended yet')
    if (status === 'completed' && !(await hasRetryableScores(tx, scope)))
      throw conflict('Nothing has failed in this evaluation')
    await rejectTooMany(tx, workspaceId)
    const pending = { workspaceId, evaluationId, plannedTo: retryMark(evaluation), now: timestamp(clock.now()) }
    // Another request retried it at the same time.
    if (!(await markEvaluationPending(tx, pending))) throw conflict('The evaluation has not ended yet')
    // A worker may not have noticed the cancellation yet. Without its job, all its writes fail.
    await deleteJobsOfEvaluation(tx, { workspaceId, evaluationId })
    await enqueueJob(tx, { clock, newId }, { workspaceId, kind: 'evaluation', payload: { evaluationId } })
    await quotas.countEvaluation(tx, workspaceId)
    return { id, name, status: 'pending' }
  })
}

export async function deleteEvaluation(
  { db, ...context }: Context,
  by: Principal,
  scope: EvaluationInComponent,
): Promise<void> {
  const { workspaceId, evaluationId } = scope
  await db.transaction(async (tx) => {
    await requireEvaluation(tx, scope)
    const now = timestamp(context.clock.now())
    if (!(await markEvaluationDeleted(tx, { workspaceId, evaluationId, now }))) throw notFound('Evaluation')
    await enqueuePurge(tx, context, { workspaceId, what: 'evaluation', id: evaluationId })
    await recordAudit(tx, context, { by, workspaceId, action: 'evaluation.deleted', resourceId: evaluationId })
  })
}
