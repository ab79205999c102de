import { recordAudit } from '../auth/audit/audit.ts'
import { timestamp } from '../base/clock.ts'
import type { Principal } from '../base/principal.ts'
import { markComponentDeleted } from '../components/component-queries.ts'
import { markDatasetDeleted } from '../datasets/dataset-queries.ts'
import { markEvaluationDeleted } from '../evaluations/evaluation-queries.ts'
import type { Context } from '../http/route.ts'
import { enqueueJob } from '../jobs/enqueue.ts'
import { listLabelsGatedBy } from '../prompts/label-queries.ts'
import { updatePrompt } from '../prompts/prompt-queries.ts'
import { enqueuePurge } from '../purge/purge-job.ts'
import { markRunDeleted } from '../runs/run-queries.ts'
import type { Queries } from '../storage/db.ts'
import { markTracesDeleted } from '../traces/delete-traces.ts'
import { updateTrial } from '../trials/trial-queries.ts'
import { deleteExampleAuthors } from '../workspaces/example-author-queries.ts'
import { deleteExampleDataRow, type ExampleData, findAdditions, findExampleData } from './example-data-queries.ts'
import { EXAMPLE_PROMPT_VERSIONS } from './example-prompt.ts'

/** Removes what was created, and what users have attached to it, such as their ratings of the examples. Does nothing without it. */
export async function removeExampleData(context: Context, by: Principal): Promise<void> {
  const { workspaceId } = by
  await context.db.transaction(async (tx) => {
    const known = await findExampleData(tx, workspaceId)
    if (!known || !(await deleteExampleDataRow(tx, workspaceId))) return
    await removeContents(tx, context, workspaceId, known)
    const event = { by, workspaceId, action: 'example-data.removed', resourceId: known.componentId } as const
    await recordAudit(tx, context, event)
  })
}

/**
 * Runs, evaluations, datasets and prompts that users added to the example component stay, also versions of its prompt, with the dataset, the
 * prompt and the component that they need. So the parts are deleted one by one unless all of the component is example data.
 */
export async function removeContents(
  tx: Queries,
  context: Pick<Context, 'clock' | 'newId'>,
  workspaceId: string,
  { componentId, ...contents }: ExampleData,
): Promise<void> {
  const { datasetId, traceIds, promptId, trial } = contents
  const runIds = [...contents.runIds, ...(trial?.runIds ?? [])]
  const evaluationIds = [...contents.evaluationIds, ...(trial?.evaluationIds ?? [])]
  const deletedAt = timestamp(context.clock.now())
  const added = await findAdditions(tx, { workspaceId, componentId, contents }, EXAMPLE_PROMPT_VERSIONS.length)
  const purge = async (isMarked: boolean, target: Pick<Parameters<typeof enqueuePurge>[2], 'what' | 'id'>) => {
    if (isMarked) await enqueuePurge(tx, context, { workspaceId, ...target })
  }
  if (!Object.values(added).includes(true)) {
    await purge(await markComponentDeleted(tx, { workspaceId, componentId, deletedAt }), {
      what: 'component',
      id: componentId,
    })
  } else {
    if (trial) {
      const change = { deleted_at: deletedAt, now: deletedAt }
      const isMarked = await updateTrial(tx, { workspaceId, trialId: trial.trialId }, change)
      await purge(isMarked, { what: 'trial', id: trial.trialId })
    }
    for (const evaluationId of evaluationIds) {
      const isMarked = await markEvaluationDeleted(tx, { workspaceId, evaluationId, now: deletedAt })
      await purge(isMarked, { what: 'evaluation', id: evaluationId })
    }
    for (const runId of runIds) {
      await purge(await markRunDeleted(tx, { workspaceId, runId, deletedAt }), { what: 'run', id: runId })
    }
    if (promptId !== undefined && !added.usesPrompt) {
      await updatePrompt(tx, { workspaceId, promptId }, { deletedAt, updatedAt: deletedAt })
      await purge(true, { what: 'prompt', id: promptId })
    }
    // The gate of a label that stays names it, for example when users have added versions to the example prompt.
    const isNeeded = added.usesDataset || (await listLabelsGatedBy(tx, { workspaceId, datasetId })).length > 0
    const isMarked = !isNeeded && (await markDatasetDeleted(tx, { workspaceId, componentId, datasetId, deletedAt }))
    await purge(isMarked, { what: 'dataset', id: datasetId })
  }
  await markTracesDeleted(tx, { workspaceId, traceIds, deletedAt })
  for (const traceDbId of traceIds) {
    await enqueueJob(tx, context, { workspaceId, kind: 'delete-trace', payload: { traceDbId } })
  }
  await deleteExampleAuthors(tx, workspaceId)
}
