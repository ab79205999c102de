/** Creates experiments, and changes existing ones: start, stop, cancel, resume, delete. */
import { recordAudit } from '../auth/audit/audit.ts'
import { timestamp } from '../base/clock.ts'
import { badRequest, conflict, notFound, tooManyRequests } from '../base/errors.ts'
import { createdAtOf } from '../base/ids.ts'
import type { Principal } from '../base/principal.ts'
import { lockComponent } from '../components/component-queries.ts'
import { lockDataset } from '../datasets/dataset-queries.ts'
import type { Context } from '../http/route.ts'
import { enqueueJob, wakeJob } from '../jobs/enqueue.ts'
import { findVersion } from '../prompts/version-queries.ts'
import { enqueuePurge } from '../purge/purge-job.ts'
import { nanosOf } from '../spending/spending-limit.ts'
import { dbWithin, type Queries } from '../storage/db.ts'
import { cancelTrial } from '../trials/change-trial.ts'
import { findTrial } from '../trials/trial-queries.ts'
import { requeueFailedAnswers } from './calls/experiment-call-queries.ts'
import { storeSplits } from './draw-splits.ts'
import type { ExperimentPlan } from './experiment-plan.ts'
import {
  countRunningExperiments,
  deleteJobsOfExperiment,
  type ExperimentInComponent,
  type ExperimentRow,
  insertExperiment,
  requireExperiment,
  updateExperiment,
} from './experiment-queries.ts'
import { insertIterations } from './iteration-queries.ts'
import type { PreparedExperiment } from './read-experiment.ts'
import { type Candidate, NEW } from './search/search.ts'

const RUNNING_MAX = 20
const MINUTE_MS = 60_000

type New = { componentId: string; datasetId: string; name?: string | undefined; prepared: PreparedExperiment }

/** Stores the plan and the splits of items that had none, in one transaction. Nothing is called before the start. */
export async function createExperiment(
  { db, ...context }: Context,
  { workspaceId, userId }: Principal,
  { componentId, datasetId, name, prepared: { plan, splits } }: New,
): Promise<ExperimentRow> {
  const experimentId = context.newId()
  return db.transaction(async (tx) => {
    if (!(await lockComponent(tx, workspaceId, componentId))) throw notFound('Component')
    if (!(await lockDataset(tx, { workspaceId, componentId, datasetId }))) throw notFound('Dataset')
    const scope = { workspaceId, componentId, datasetId, userId }
    await storeSplits({ db: dbWithin(tx), clock: context.clock }, scope, splits.drawn)
    const { train, validation, test } = splits.items
    const { maxCostUsd } = plan.budget
    await insertExperiment(tx, {
      workspace_id: workspaceId,
      id: experimentId,
      component_id: componentId,
      dataset_id: datasetId,
      prompt_id: plan.target.promptId,
      name: name ?? null,
      user_id: userId,
      max_nano_usd: maxCostUsd === null ? null : nanosOf(maxCostUsd),
      plan: JSON.stringify(plan),
      items: JSON.stringify({ train, validation, test: test.length }),
      created_at: createdAtOf(experimentId),
    })
    const experiment = await requireExperiment(tx, { workspaceId, componentId, experimentId })
    await insertStart(tx, context, experiment)
    return experiment
  })
}

export async function startExperiment(
  { db, ...context }: Context,
  by: Principal,
  scope: ExperimentInComponent,
): Promise<ExperimentRow> {
  const { workspaceId, experimentId } = scope
  return db.transaction(async (tx) => {
    const experiment = await requireExperiment(tx, scope)
    if (experiment.status !== 'pending') throw conflict(`The experiment was started before (${experiment.status})`)
    await setRunning(tx, context, experiment, { phase: 'searching' })
    await recordAudit(tx, context, { by, workspaceId, action: 'experiment.started', resourceId: experimentId })
    return requireExperiment(tx, scope)
  })
}

type Deps = Omit<Context, 'db'>

/** Number 0, which answers all validation items first. */
async function insertStart(tx: Queries, { clock }: Deps, experiment: ExperimentRow): Promise<void> {
  const { workspaceId, id: experimentId, promptId } = experiment
  const { target }: ExperimentPlan = JSON.parse(experiment.plan)
  const version = await findVersion(tx, { workspaceId, promptId, number: target.version })
  if (!version) throw conflict('The version that the experiment starts from was deleted; use another one')
  const start: Candidate = { ...NEW, number: 0, kind: 'start', round: 0, step: 'validating', hash: version.hash }
  const now = timestamp(clock.now())
  await insertIterations(
    tx,
    { workspaceId, experimentId },
    { candidates: [start], content: { messages: version.content.messages }, now },
  )
}

async function setRunning(
  tx: Queries,
  { clock, newId }: Deps,
  experiment: ExperimentRow,
  change: { phase?: 'searching'; ended_by?: null; plan?: string; max_nano_usd?: number | null },
): Promise<void> {
  const { workspaceId, id: experimentId } = experiment
  if ((await countRunningExperiments(tx, workspaceId, RUNNING_MAX)) >= RUNNING_MAX)
    throw tooManyRequests(`${RUNNING_MAX} experiments are running already; try again when one has ended`, 60)
  const plan: ExperimentPlan = JSON.parse(change.plan ?? experiment.plan)
  const now = clock.now()
  await updateExperiment(
    tx,
    { workspaceId, experimentId },
    {
      ...change,
      status: 'running',
      error: null,
      completed_at: null,
      started_at: experiment.startedAt ?? timestamp(now),
      ends_at: timestamp(now + plan.budget.maxMinutes * MINUTE_MS),
      now: timestamp(now),
    },
  )
  // A worker may not have noticed a cancellation yet. Without its job, all its writes fail.
  await deleteJobsOfExperiment(tx, { workspaceId, experimentId })
  await enqueueJob(tx, { clock, newId }, { workspaceId, kind: 'experiment', payload: { experimentId } })
}

/** Ends the search: calls that run may end, and what is validated by then goes to the test. */
export async function stopExperiment(
  { db, ...context }: Context,
  by: Principal,
  scope: ExperimentInComponent,
): Promise<ExperimentRow> {
  const { workspaceId, experimentId } = scope
  return db.transaction(async (tx) => {
    const { status, phase, endedBy } = await requireExperiment(tx, scope)
    if (status !== 'running' || phase !== 'searching' || endedBy !== null)
      throw conflict(`The search of the experiment is not running (${status})`)
    const now = timestamp(context.clock.now())
    const stopped = { ended_by: 'stopped', reason: 'The search was stopped by a user' } as const
    await updateExperiment(tx, scope, { ...stopped, now })
    await recordAudit(tx, context, { by, workspaceId, action: 'experiment.stopped', resourceId: experimentId })
    await wakeJob(tx, context, { workspaceId, kind: 'experiment', payload: { experimentId } })
    return requireExperiment(tx, scope)
  })
}

/** The experiment is final immediately; calls in flight are aborted within a second. Its test is canceled, too. */
export async function cancelExperiment(
  { db, ...context }: Context,
  by: Principal,
  scope: ExperimentInComponent,
): Promise<ExperimentRow> {
  const { workspaceId, experimentId } = scope
  return db.transaction(async (tx) => {
    const experiment = await requireExperiment(tx, scope)
    const { status } = experiment
    const now = timestamp(context.clock.now())
    const canceled = { status: 'failed', error: 'canceled', ended_by: 'canceled', completed_at: now } as const
    if (!(await updateExperiment(tx, scope, { ...canceled, now, onlyIf: ['pending', 'running'] })))
      throw conflict(`The experiment is already finished (${status})`)
    await cancelTest(tx, { context, by, experiment })
    await recordAudit(tx, context, { by, workspaceId, action: 'experiment.canceled', resourceId: experimentId })
    await wakeJob(tx, context, { workspaceId, kind: 'experiment', payload: { experimentId } })
    return requireExperiment(tx, scope)
  })
}

/** No one would read the result of its trial. */
async function cancelTest(
  tx: Queries,
  { context, by, experiment }: { context: Deps; by: Principal; experiment: ExperimentRow },
): Promise<void> {
  const { workspaceId, componentId, trialId } = experiment
  const trial = trialId === null ? undefined : await findTrial(tx, { workspaceId, trialId })
  if (trialId === null || (trial?.status !== 'pending' && trial?.status !== 'running')) return
  await cancelTrial({ db: dbWithin(tx), ...context }, by, { workspaceId, componentId, trialId })
}

/** Goes on where it was canceled or failed, with other limits if they are given. What was paid for is not asked again. */
export async function resumeExperiment(
  { db, ...context }: Context,
  by: Principal,
  { budget = {}, ...scope }: ExperimentInComponent & { budget?: Partial<ExperimentPlan['budget']> | undefined },
): Promise<ExperimentRow> {
  const { workspaceId, experimentId } = scope
  return db.transaction(async (tx) => {
    const experiment = await requireExperiment(tx, scope)
    if (experiment.status !== 'failed')
      throw conflict(
        `Only an experiment that was canceled or has failed can be resumed, and this one is ${experiment.status}`,
      )
    if (experiment.phase === 'created')
      throw conflict('The experiment was canceled before it was started; create another one')
    if (experiment.trialId !== null)
      throw conflict('The test of the experiment has begun, and a test split is opened once; create another experiment')
    const plan: ExperimentPlan = JSON.parse(experiment.plan)
    if (budget.maxCostUsd !== undefined && budget.maxCostUsd !== null && plan.expected === null)
      throw badRequest(
        'The field budget.maxCostUsd needs prices of all models, which the experiment had not; create another one',
      )
    await requeueFailedAnswers(tx, scope)
    const changed = { ...plan, budget: { ...plan.budget, ...budget } }
    const { maxCostUsd } = changed.budget
    await setRunning(tx, context, experiment, {
      // The search may have ended before the failure: then the choice of the finalists is tried again.
      ...(experiment.phase === 'searching' && { ended_by: null }),
      plan: JSON.stringify(changed),
      max_nano_usd: maxCostUsd === null ? null : nanosOf(maxCostUsd),
    })
    await recordAudit(tx, context, { by, workspaceId, action: 'experiment.resumed', resourceId: experimentId })
    return requireExperiment(tx, scope)
  })
}

export async function deleteExperiment(
  { db, ...context }: Context,
  by: Principal,
  scope: ExperimentInComponent,
): Promise<void> {
  const { workspaceId, experimentId } = scope
  await db.transaction(async (tx) => {
    const experiment = await requireExperiment(tx, scope)
    const now = timestamp(context.clock.now())
    if (!(await updateExperiment(tx, scope, { deleted_at: now, now }))) throw notFound('Experiment')
    await cancelTest(tx, { context, by, experiment })
    await enqueuePurge(tx, context, { workspaceId, what: 'experiment', id: experimentId })
    await recordAudit(tx, context, { by, workspaceId, action: 'experiment.deleted', resourceId: experimentId })
  })
}
