/** Changes to an existing trial: cancel, retry, delete. */
import { recordAudit } from '../auth/audit/audit.ts'
import { timestamp } from '../base/clock.ts'
import { conflict, notFound } from '../base/errors.ts'
import type { Principal } from '../base/principal.ts'
import type { Context } from '../http/route.ts'
import { enqueueJob, wakeJob } from '../jobs/enqueue.ts'
import { enqueuePurge } from '../purge/purge-job.ts'
import { listRetryableCalls } from './calls/call-queries.ts'
import { rejectTooManyTrials } from './start-trial.ts'
import { deleteJobsOfTrial, lockTrial, requireTrial, type TrialInComponent, updateTrial } from './trial-queries.ts'
import { listVariants } from './variant-queries.ts'

/** The trial is final immediately. The job notices within a second and skips the calls that have not ended. */
export async function cancelTrial({ db, ...context }: Context, by: Principal, scope: TrialInComponent) {
  const { workspaceId, trialId } = scope
  const { clock } = context
  return db.transaction(async (tx) => {
    const { status } = await requireTrial(tx, scope)
    const now = timestamp(clock.now())
    const canceled = {
      status: 'failed',
      phase: 'ended',
      ended_by: 'canceled',
      error: CANCELED,
      item_ids: null,
      canceled_by: by.userId,
    } as const
    if (!(await updateTrial(tx, scope, { ...canceled, completed_at: now, now, onlyIf: ['pending', 'running'] })))
      throw conflict(`The trial is already finished (${status})`)
    await recordAudit(tx, context, { by, workspaceId, action: 'trial.canceled', resourceId: trialId })
    // It may be waiting for workers.
    await wakeJob(tx, { clock }, { workspaceId, kind: 'trial', payload: { trialId } })
    return requireTrial(tx, scope)
  })
}

export const CANCELED = 'canceled'

/** Sends the failed calls again that can succeed, and those that were skipped because the trial ended. */
export async function retryTrial({ db, ...context }: Context, by: Principal, scope: TrialInComponent) {
  const { workspaceId, trialId } = scope
  const { clock, newId } = context
  return db.transaction(async (tx) => {
    const trial = await requireTrial(tx, scope)
    if (trial.status === 'pending' || trial.status === 'running') throw conflict('The trial has not ended yet')
    const locked = await lockTrial(tx, scope)
    if (!locked) throw notFound('Trial')
    if (locked.callsPlanned < locked.callsTotal)
      throw conflict('The trial was canceled before its calls were planned; start a new one')
    const broken = (await listVariants(tx, scope)).filter(({ brokenReason }) => brokenReason !== null)
    const [first] = await listRetryableCalls(tx, scope, {
      after: 0,
      limit: 1,
      broken: broken.map(({ number }) => number),
    })
    if (!first) throw conflict('No failed call can succeed if it is repeated: see the reasons under …/failures')
    await rejectTooManyTrials(tx, workspaceId)
    await updateTrial(tx, scope, {
      status: 'running',
      phase: 'requeuing',
      ended_by: null,
      canceled_by: null,
      error: null,
      results: null,
      completed_at: null,
      now: timestamp(clock.now()),
    })
    // A worker may not have noticed the cancellation yet. Without its job, all its writes fail.
    await deleteJobsOfTrial(tx, { workspaceId, trialId })
    await enqueueJob(tx, { clock, newId }, { workspaceId, kind: 'trial', payload: { trialId } })
    await recordAudit(tx, context, { by, workspaceId, action: 'trial.retried', resourceId: trialId })
    return requireTrial(tx, scope)
  })
}

export async function deleteTrial({ db, ...context }: Context, by: Principal, scope: TrialInComponent): Promise<void> {
  const { workspaceId, trialId } = scope
  await db.transaction(async (tx) => {
    await requireTrial(tx, scope)
    const now = timestamp(context.clock.now())
    if (!(await updateTrial(tx, scope, { deleted_at: now, now }))) throw notFound('Trial')
    await enqueuePurge(tx, context, { workspaceId, what: 'trial', id: trialId })
    await recordAudit(tx, context, { by, workspaceId, action: 'trial.deleted', resourceId: trialId })
  })
}
