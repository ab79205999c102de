import { recordAudit } from '../auth/audit/audit.ts'
import { notFound, tooManyRequests } from '../base/errors.ts'
import { createdAtOf } from '../base/ids.ts'
import type { Principal } from '../base/principal.ts'
import { lockComponent, lockComponentForNaming } from '../components/component-queries.ts'
import { lockDataset } from '../datasets/dataset-queries.ts'
import type { Context } from '../http/route.ts'
import { enqueueJob } from '../jobs/enqueue.ts'
import { createRun } from '../runs/create-run.ts'
import { dbWithin, type Queries } from '../storage/db.ts'
import { callsUntil } from './looks/plan-looks.ts'
import type { PreparedTrial } from './read-plan.ts'
import type { StartTrial } from './start-trial-schemas.ts'
import { countOpenTrials, findTrialByName, insertTrial, type TrialRow } from './trial-queries.ts'
import { insertVariants, listVariants } from './variant-queries.ts'

const OPEN_MAX = 100

/** Creates a trial, the run of each variant, and its job in one transaction. The job then adds the calls. */
export async function startTrial(
  { db, ...context }: Context,
  by: Principal,
  {
    componentId,
    datasetId,
    name = null,
    resume,
    prepared,
  }: { componentId: string; prepared: PreparedTrial } & Pick<StartTrial, 'datasetId'> & {
      name?: string | null | undefined
      resume?: boolean | undefined
    },
) {
  const { workspaceId, userId } = by
  const { clock, newId } = context
  const { plan, variants, itemIds, maxNanoUsd } = prepared
  const trialId = newId()
  const perVariant = itemIds.length * plan.repetitions
  const callsTotal = perVariant * variants.length
  return db.transaction(async (tx) => {
    // Programs that resume the same name at the same time get one trial.
    const lock = resume ? lockComponentForNaming : lockComponent
    if (!(await lock(tx, workspaceId, componentId))) throw notFound('Component')
    const known = resume && name !== null ? await findTrialByName(tx, { workspaceId, componentId, name }) : undefined
    if (known) return resumed(tx, workspaceId, known)
    if (!(await lockDataset(tx, { workspaceId, componentId, datasetId }))) throw notFound('Dataset')
    await rejectTooManyTrials(tx, workspaceId)
    await insertTrial(tx, {
      workspace_id: workspaceId,
      id: trialId,
      component_id: componentId,
      dataset_id: datasetId,
      name,
      calls_total: callsTotal,
      calls_until: plan.looks ? callsUntil(plan.looks, 0, callsTotal / itemIds.length) : callsTotal,
      user_id: userId,
      max_nano_usd: maxNanoUsd,
      plan: JSON.stringify(plan),
      item_ids: JSON.stringify(itemIds),
      created_at: createdAtOf(trialId),
    })
    const withRuns: Parameters<typeof insertVariants>[2][number][] = []
    for (const variant of variants) {
      const runName = name === null ? variant.name : `${name}: ${variant.name}`
      const run = await createRun({ db: dbWithin(tx), newId }, { workspaceId, componentId, datasetId, name: runName })
      withRuns.push({ ...variant, runId: run.id, total: perVariant })
    }
    await insertVariants(tx, { workspaceId, trialId }, withRuns)
    await enqueueJob(tx, { clock, newId }, { workspaceId, kind: 'trial', payload: { trialId } })
    await recordAudit(tx, context, { by, workspaceId, action: 'trial.started', resourceId: trialId })
    const runs = withRuns.map(({ name: variant, runId }) => ({ variant, runId }))
    return { id: trialId, name, status: 'pending', runs, resumed: false }
  })
}

async function resumed(
  tx: Queries,
  workspaceId: string,
  { id, name, status }: Pick<TrialRow, 'id' | 'name' | 'status'>,
) {
  const variants = await listVariants(tx, { workspaceId, trialId: id })
  return { id, name, status, runs: variants.map(({ name: variant, runId }) => ({ variant, runId })), resumed: true }
}

/** Throws 429 if the maximum number of trials is pending or running. */
export async function rejectTooManyTrials(tx: Queries, workspaceId: string): Promise<void> {
  if ((await countOpenTrials(tx, workspaceId, OPEN_MAX)) < OPEN_MAX) return
  throw tooManyRequests(`${OPEN_MAX} trials are waiting already; try again when some have ended, or cancel one`, 30)
}
