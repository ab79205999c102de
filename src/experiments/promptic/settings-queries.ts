import type { Page } from '../../base/page.ts'
import type { TemplateMessage } from '../../prompts/template.ts'
import type { Queries } from '../../storage/db.ts'
import { deleteScoped, selectScoped, updateScoped } from '../../storage/query-building.ts'
import type { Tables } from '../../storage/tables.ts'
import { type ExperimentRow, type ExperimentScope, selectExperiments, toExperiment } from '../experiment-queries.ts'
import { readContent } from '../iteration-queries.ts'
import type { Settings } from './settings.ts'

/** Undefined for an experiment that was created with a plan. */
export async function findSettings(
  q: Queries,
  { workspaceId, experimentId }: ExperimentScope,
): Promise<Settings | undefined> {
  return (await findSettingsOf(q, workspaceId, [experimentId])).get(experimentId)
}

export async function findSettingsOf(
  q: Queries,
  workspaceId: string,
  experimentIds: readonly string[],
): Promise<Map<string, Settings>> {
  if (experimentIds.length === 0) return new Map()
  const rows = await selectScoped(q, 'experiment_settings', { workspace_id: workspaceId })
    .select(['experiment_id', 'settings'])
    .where('experiment_id', 'in', experimentIds)
    .execute()
  return new Map(rows.map(({ experiment_id, settings }) => [experiment_id, JSON.parse(settings)]))
}

export async function insertSettings(
  tx: Queries,
  { workspaceId, experimentId }: ExperimentScope,
  settings: Settings,
): Promise<void> {
  const row = { workspace_id: workspaceId, experiment_id: experimentId, settings: JSON.stringify(settings) }
  await tx.insertInto('experiment_settings').values(row).execute()
}

export async function updateSettings(
  tx: Queries,
  { workspaceId, experimentId }: ExperimentScope,
  settings: Settings,
): Promise<void> {
  await updateScoped(tx, 'experiment_settings', { workspace_id: workspaceId, experiment_id: experimentId })
    .set({ settings: JSON.stringify(settings) })
    .execute()
}

type Filter = { componentId?: string | undefined; status?: Tables['experiments']['status'] | undefined }

/** Of all components, newest first. */
export async function listExperimentRows(
  q: Queries,
  workspaceId: string,
  { componentId, status, limit, offset }: Filter & Page,
): Promise<ExperimentRow[]> {
  let rows = selectExperiments(q).where('e.workspace_id', '=', workspaceId)
  if (componentId !== undefined) rows = rows.where('e.component_id', '=', componentId)
  if (status !== undefined) rows = rows.where('e.status', '=', status)
  return (await rows.orderBy('e.id', 'desc').limit(limit).offset(offset).execute()).map(toExperiment)
}

/** The messages of the starts. */
export async function findStartContents(
  q: Queries,
  workspaceId: string,
  experimentIds: readonly string[],
): Promise<Map<string, TemplateMessage[]>> {
  if (experimentIds.length === 0) return new Map()
  const rows = await selectScoped(q, 'experiment_iterations', { workspace_id: workspaceId, number: 0 })
    .select(['experiment_id', 'content'])
    .where('experiment_id', 'in', experimentIds)
    .execute()
  return new Map(
    rows.map(({ experiment_id, content }) => [experiment_id, content === null ? [] : readContent(content).messages]),
  )
}

/** The messages of what these experiments have tested: of several finalists, of the first one. */
export async function findTestedContents(
  q: Queries,
  workspaceId: string,
  experimentIds: readonly string[],
): Promise<Map<string, TemplateMessage[]>> {
  if (experimentIds.length === 0) return new Map()
  const rows = await selectScoped(q, 'experiment_iterations', { workspace_id: workspaceId, state: 'finalist' })
    .select(['experiment_id', 'content'])
    .where('experiment_id', 'in', experimentIds)
    .orderBy('number', 'desc')
    .execute()
  return new Map(
    rows.map(({ experiment_id, content }) => [experiment_id, content === null ? [] : readContent(content).messages]),
  )
}

/** The start of an experiment that has another one now. */
export async function deleteStart(tx: Queries, { workspaceId, experimentId }: ExperimentScope): Promise<void> {
  const start = { workspace_id: workspaceId, experiment_id: experimentId, number: 0 }
  await deleteScoped(tx, 'experiment_iterations', start).execute()
}
