/** What people do to an evaluation that is there: stop it, try again what failed, delete it. */
import { recordAudit } from '../auth/audit.ts'
import { timestamp } from '../base/clock.ts'
import { conflict, notFound } from '../base/errors.ts'
import type { Principal } from '../base/principal.ts'
import type { Context } from '../http/route.ts'
import { enqueueJob } from '../jobs/enqueue.ts'
import { enqueuePurge } from '../purge/purge-job.ts'
import type { Quotas } from '../workspaces/quotas.ts'
import {
  deleteJobsOfEvaluation,
  markEvaluationCancelled,
  markEvaluationDeleted,
  markEvaluationPending,
} from './evaluation-queries.ts'
import { type EvaluationScope, requireEvaluation } from './require-evaluation.ts'
import { hasToTryAgain } from './runner/plan-queries.ts'
import { markToTryAgain } from './runner/plan-scores.ts'
import { rejectTooMany } from './start-evaluation.ts'

type Parts = Pick<Context, 'db' | 'clock' | 'newId'>

/** It is over at once; whoever works on it notices within a second, and what is left is told that it was cancelled. */
export async function cancelEvaluation({ db, clock }: Parts, asked: EvaluationScope) {
  const now = timestamp(clock.now())
  return db.transaction(async (tx) => {
    const { id, name, status } = await requireEvaluation(tx, asked)
    if (!(await markEvaluationCancelled(tx, { ...asked, now })))
      throw conflict(`The evaluation has ended already (${status})`)
    return { id, name, status: 'failed' }
  })
}

/** Runs again what failed, and what was never tried because the evaluation ended before; what has a score keeps it. */
export async function retryEvaluation({ db, clock, newId }: Parts, quotas: Quotas, asked: EvaluationScope) {
  const { workspaceId, evaluationId } = asked
  return db.transaction(async (tx) => {
    const evaluation = await requireEvaluation(tx, asked)
    const { id, name, status } = evaluation
    if (status !== 'completed' && status !== 'failed') throw conflict('The evaluation has not ended yet')
    if (status === 'completed' && !(await hasToTryAgain(tx, asked)))
      throw conflict('Nothing has failed in this evaluation')
    await rejectTooMany(tx, workspaceId)
    const pending = { workspaceId, evaluationId, plannedTo: markToTryAgain(evaluation), now: timestamp(clock.now()) }
    // Somebody else was a moment earlier.
    if (!(await markEvaluationPending(tx, pending))) throw conflict('The evaluation has not ended yet')
    // Whoever still works on it may not have noticed that it was cancelled; without its job none of its writes succeeds.
    await deleteJobsOfEvaluation(tx, { workspaceId, evaluationId })
    await enqueueJob(tx, { clock, newId }, { workspaceId, kind: 'evaluation', payload: { evaluationId } })
    await quotas.countEvaluation(tx, workspaceId)
    return { id, name, status: 'pending' }
  })
}

export async function deleteEvaluation(
  { db, ...context }: Context,
  by: Principal,
  asked: EvaluationScope,
): Promise<void> {
  const { workspaceId, evaluationId } = asked
  await db.transaction(async (tx) => {
    await requireEvaluation(tx, asked)
    const now = timestamp(context.clock.now())
    if (!(await markEvaluationDeleted(tx, { workspaceId, evaluationId, now }))) throw notFound('Evaluation')
    await enqueuePurge(tx, context, { workspaceId, what: 'evaluation', id: evaluationId })
    await recordAudit(tx, context, { by, workspaceId, action: 'evaluation.deleted', resourceId: evaluationId })
  })
}
