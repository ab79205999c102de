import { recordAudit } from '../auth/audit/audit.ts'
import { timestamp } from '../base/clock.ts'
import type { Principal } from '../base/principal.ts'
import { markComponentDeleted } from '../components/component-queries.ts'
import { markDatasetDeleted } from '../datasets/dataset-queries.ts'
import { markEvaluationDeleted } from '../evaluations/evaluation-queries.ts'
import { updateExperiment } from '../experiments/experiment-queries.ts'
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
import {
  createdIds,
  deleteExampleDataRow,
  type ExampleData,
  findAdditions,
  findExampleData,
} from './example-data-queries.ts'
import { EXAMPLE_PROMPT_VERSIONS } from './example-prompt.ts'
import { SORTING_VERSIONS } from './example-sorting.ts'

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
  const { traceIds, promptId, experiment } = contents
  const { datasetIds, trialIds, runIds, evaluationIds } = createdIds(contents)
  const deletedAt = timestamp(context.clock.now())
  const versions = new Map([
    ...(promptId === undefined ? [] : [[promptId, EXAMPLE_PROMPT_VERSIONS.length] as const]),
    ...(experiment ? [[experiment.promptId, SORTING_VERSIONS] as const] : []),
  ])
  const added = await findAdditions(tx, { workspaceId, componentId, contents }, versions)
  const purge = async (isMarked: boolean, target: Pick<Parameters<typeof enqueuePurge>[2], 'what' | 'id'>) => {
    if (isMarked) await enqueuePurge(tx, context, { workspaceId, ...target })
  }
  if (!added.hasOwn && added.usedDatasets.size + added.usedPrompts.size === 0) {
    await purge(await markComponentDeleted(tx, { workspaceId, componentId, deletedAt }), {
      what: 'component',
      id: componentId,
    })
  } else {
    const change = { deleted_at: deletedAt, now: deletedAt }
    if (experiment) {
      const { experimentId } = experiment
      const isMarked = await updateExperiment(tx, { workspaceId, experimentId }, change)
      await purge(isMarked, { what: 'experiment', id: experimentId })
    }
    for (const trialId of trialIds) {
      await purge(await updateTrial(tx, { workspaceId, trialId }, change), { what: 'trial', id: trialId })
    }
    for (const evaluationId of evaluationIds) {
      const isMarked = await markEvaluationDeleted(tx, { workspaceId, evaluationId, now: deletedAt })
      await purge(isMarked, { what: 'evaluation', id: evaluationId })
    }
    for (const runId of runIds) {
      await purge(await markRunDeleted(tx, { workspaceId, runId, deletedAt }), { what: 'run', id: runId })
    }
    for (const id of versions.keys()) {
      if (added.usedPrompts.has(id)) continue
      await updatePrompt(tx, { workspaceId, promptId: id }, { deletedAt, updatedAt: deletedAt })
      await purge(true, { what: 'prompt', id })
    }
    for (const datasetId of datasetIds) {
      // The gate of a label that stays names it, for example when users have added versions to the example prompt.
      const isGate = (await listLabelsGatedBy(tx, { workspaceId, datasetId })).length > 0
      if (isGate || added.usedDatasets.has(datasetId)) continue
      const isMarked = await markDatasetDeleted(tx, { workspaceId, componentId, datasetId, deletedAt })
      await purge(isMarked, { what: 'dataset', id: datasetId })
    }
  }
  await markTracesDeleted(tx, { workspaceId, traceIds, deletedAt })
  for (const traceDbId of traceIds) {
    await enqueueJob(tx, context, { workspaceId, kind: 'delete-trace', payload: { traceDbId } })
  }
  await deleteExampleAuthors(tx, workspaceId)
}
