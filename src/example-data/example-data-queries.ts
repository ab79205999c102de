import type { Queries } from '../storage/db.ts'
import { deleteScoped, selectScoped, updateScoped } from '../storage/query-building.ts'

/** The ids of what was created. `traceIds` are our ids. */
export type ExampleContents = {
  datasetId: string
  runIds: string[]
  evaluationIds: string[]
  traceIds: string[]
  /** Undefined if an older version has created the data. */
  promptId?: string | undefined
  /** Undefined if an older version has created the data. The lists above are without its runs and evaluations. */
  trial?: StoredTrial | undefined
  /** With the trial of its test, a dataset and a prompt of its own. Undefined if an older version has created the data. */
  experiment?: (StoredTrial & { experimentId: string; datasetId: string; promptId: string }) | undefined
}

type StoredTrial = { trialId: string; runIds: string[]; evaluationIds: string[] }

export type ExampleData = ExampleContents & { componentId: string; createdAt: string; isComponentActive: boolean }

/** The row stays if its component was deleted separately, because traces and authors are left. */
export async function findExampleData(q: Queries, workspaceId: string): Promise<ExampleData | undefined> {
  const row = await q
    .selectFrom('example_data as e')
    .leftJoin('components as c', (join) =>
      join
        .onRef('c.workspace_id', '=', 'e.workspace_id')
        .onRef('c.id', '=', 'e.component_id')
        .on('c.deleted_at', 'is', null),
    )
    .select(['e.component_id as componentId', 'e.contents', 'e.created_at as createdAt', 'c.id as activeId'])
    .where('e.workspace_id', '=', workspaceId)
    .executeTakeFirst()
  if (!row) return undefined
  const contents: ExampleContents = JSON.parse(row.contents)
  const { componentId, createdAt, activeId } = row
  return { ...contents, componentId, createdAt, isComponentActive: activeId !== null }
}

/**
 * Reserves the row before its contents are created; false if there is one. Waits for another transaction that has reserved it, so that one
 * of two concurrent requests creates the data. A lock of the workspace could deadlock with evaluations that are running.
 */
export async function insertExampleData(
  tx: Queries,
  data: { workspaceId: string; componentId: string; createdBy: string; createdAt: string },
): Promise<boolean> {
  const { numInsertedOrUpdatedRows } = await tx
    .insertInto('example_data')
    .values({
      workspace_id: data.workspaceId,
      component_id: data.componentId,
      contents: '{}',
      created_by: data.createdBy,
      created_at: data.createdAt,
    })
    .onConflict((known) => known.column('workspace_id').doNothing())
    .executeTakeFirst()
  return (numInsertedOrUpdatedRows ?? 0n) > 0n
}

export async function updateExampleContents(
  tx: Queries,
  workspaceId: string,
  contents: ExampleContents,
): Promise<void> {
  await updateScoped(tx, 'example_data', { workspace_id: workspaceId })
    .set({ contents: JSON.stringify(contents) })
    .execute()
}

/** False if another transaction has deleted it. */
export async function deleteExampleDataRow(tx: Queries, workspaceId: string): Promise<boolean> {
  const { numDeletedRows } = await deleteScoped(tx, 'example_data', { workspace_id: workspaceId }).executeTakeFirst()
  return numDeletedRows > 0n
}

export async function insertExampleAuthor(tx: Queries, workspaceId: string, userId: string): Promise<void> {
  await tx.insertInto('example_authors').values({ workspace_id: workspaceId, user_id: userId }).execute()
}

export async function listExampleAuthors(q: Queries, workspaceId: string) {
  return q
    .selectFrom('example_authors as e')
    .innerJoin('users as u', 'u.id', 'e.user_id')
    .select(['u.id as userId', 'u.name'])
    .where('e.workspace_id', '=', workspaceId)
    .orderBy('u.id')
    .execute()
}

type Scope = { workspaceId: string; componentId: string; contents: ExampleContents }

/** What users have added to the example component, and must keep. */
type Additions = {
  /** Datasets, prompts or experiments. */
  hasOwn: boolean
  /** Of the example datasets, those that have other runs, evaluations or experiments. */
  usedDatasets: Set<string>
  /** Of the example prompts, those that have other versions or experiments. */
  usedPrompts: Set<string>
}

/** `versions`: how many versions each example prompt was created with. */
export async function findAdditions(
  q: Queries,
  { workspaceId, componentId, contents }: Scope,
  versions: ReadonlyMap<string, number>,
): Promise<Additions> {
  const { datasetIds, runIds, evaluationIds } = createdIds(contents)
  const inComponent = { workspace_id: workspaceId, component_id: componentId }
  const datasets = await selectScoped(q, 'datasets', inComponent)
    .select('id')
    .where('id', 'not in', datasetIds)
    .where('deleted_at', 'is', null)
    .execute()
  const runs = await selectScoped(q, 'runs', { workspace_id: workspaceId })
    .select('dataset_id as datasetId')
    .distinct()
    .where('dataset_id', 'in', datasetIds)
    .where('id', 'not in', runIds)
    .where('deleted_at', 'is', null)
    .execute()
  const evaluations = await selectScoped(q, 'evaluations', { workspace_id: workspaceId })
    .select('dataset_id as datasetId')
    .distinct()
    .where('dataset_id', 'in', datasetIds)
    .where('id', 'not in', evaluationIds)
    .where('deleted_at', 'is', null)
    .execute()
  const experiments = await selectScoped(q, 'experiments', inComponent)
    .select(['dataset_id as datasetId', 'prompt_id as promptId'])
    .where('id', '<>', contents.experiment?.experimentId ?? componentId)
    .where('deleted_at', 'is', null)
    .execute()
  const prompts = await selectScoped(q, 'prompts', inComponent)
    .select(['id', 'last_number as lastNumber'])
    .where('deleted_at', 'is', null)
    .execute()
  const changed = prompts.filter(({ id, lastNumber }) => lastNumber > (versions.get(id) ?? 0))
  return {
    hasOwn: datasets.length > 0 || experiments.length > 0 || prompts.some(({ id }) => !versions.has(id)),
    usedDatasets: new Set([...runs, ...evaluations, ...experiments].map(({ datasetId }) => datasetId)),
    usedPrompts: new Set([...changed.map(({ id }) => id), ...experiments.map(({ promptId }) => promptId)]),
  }
}

/** All that the example has, with what belongs to its trial and its experiment. */
export function createdIds({ trial, experiment, ...contents }: ExampleContents) {
  const trials = [trial, experiment].filter((one) => one !== undefined)
  return {
    datasetIds: [contents.datasetId, ...(experiment ? [experiment.datasetId] : [])],
    trialIds: trials.map(({ trialId }) => trialId),
    runIds: [...contents.runIds, ...trials.flatMap(({ runIds }) => runIds)],
    evaluationIds: [...contents.evaluationIds, ...trials.flatMap(({ evaluationIds }) => evaluationIds)],
  }
}
