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
  trial?: { trialId: string; runIds: string[]; evaluationIds: string[] } | undefined
}

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
  hasDatasets: boolean
  hasPrompts: boolean
  /** Runs or evaluations of the example dataset. */
  usesDataset: boolean
  /** Versions of the example prompt. */
  usesPrompt: boolean
}

export async function findAdditions(
  q: Queries,
  { workspaceId, componentId, contents }: Scope,
  exampleVersions: number,
): Promise<Additions> {
  const { datasetId, promptId, trial } = contents
  const runIds = [...contents.runIds, ...(trial?.runIds ?? [])]
  const evaluationIds = [...contents.evaluationIds, ...(trial?.evaluationIds ?? [])]
  const dataset = await selectScoped(q, 'datasets', { workspace_id: workspaceId, component_id: componentId })
    .select('id')
    .where('id', '<>', datasetId)
    .where('deleted_at', 'is', null)
    .limit(1)
    .executeTakeFirst()
  const run = await selectScoped(q, 'runs', { workspace_id: workspaceId, dataset_id: datasetId })
    .select('id')
    .where('id', 'not in', runIds)
    .where('deleted_at', 'is', null)
    .limit(1)
    .executeTakeFirst()
  const evaluation = await selectScoped(q, 'evaluations', { workspace_id: workspaceId, dataset_id: datasetId })
    .select('id')
    .where('id', 'not in', evaluationIds)
    .where('deleted_at', 'is', null)
    .limit(1)
    .executeTakeFirst()
  const prompts = await selectScoped(q, 'prompts', { workspace_id: workspaceId, component_id: componentId })
    .select(['id', 'last_number as lastNumber'])
    .where('deleted_at', 'is', null)
    .where(({ or, eb }) => or([eb('id', '<>', promptId ?? datasetId), eb('last_number', '>', exampleVersions)]))
    .execute()
  return {
    hasDatasets: dataset !== undefined,
    hasPrompts: prompts.some(({ id }) => id !== promptId),
    usesDataset: run !== undefined || evaluation !== undefined,
    usesPrompt: prompts.some(({ id }) => id === promptId),
  }
}
