import { sql } from 'kysely'
import { hasRating } from '../annotations/annotation-queries.ts'
import { activeEvaluations, CANCELLED_ERROR } from '../evaluations/evaluation-queries.ts'
import { activeRuns } from '../runs/run-queries.ts'
import type { Queries } from '../storage/db.ts'
import { jsonText } from '../storage/dialect.ts'
import { selectScoped } from '../storage/query-building.ts'

/** Of each component, the evaluations in which a comparison is searched for. */
const EVALUATIONS_SEARCHED = 50

/** After the component with the id `after`, newest first. */
export async function listComponentsAfter(
  q: Queries,
  { workspaceId, after, limit }: { workspaceId: string; after: string | undefined; limit: number },
) {
  const components = selectScoped(q, 'components', { workspace_id: workspaceId, deleted_at: null })
    .select(['id', 'name', 'description'])
    .orderBy('id', 'desc')
    .limit(limit)
  return (after === undefined ? components : components.where('id', '<', after)).execute()
}

type ComponentsIn = { workspaceId: string; componentIds: readonly string[] }

/** The ids of the newest run and evaluations of each component, and how many prompts, datasets, runs and evaluations it has. */
export async function listNewestIds(q: Queries, { workspaceId, componentIds }: ComponentsIn) {
  if (componentIds.length === 0) return []
  const runs = sql`from runs as r inner join datasets as d on d.workspace_id = r.workspace_id and d.id = r.dataset_id
    where r.workspace_id = c.workspace_id and r.component_id = c.id and r.deleted_at is null and d.deleted_at is null`
  const evaluations = sql`from evaluations as e
    inner join datasets as d on d.workspace_id = e.workspace_id and d.id = e.dataset_id
    where e.workspace_id = c.workspace_id and e.component_id = c.id and e.deleted_at is null and d.deleted_at is null`
  const datasets = sql`from datasets as d
    where d.workspace_id = c.workspace_id and d.component_id = c.id and d.deleted_at is null`
  const prompts = sql`from prompts as p
    where p.workspace_id = c.workspace_id and p.component_id = c.id and p.deleted_at is null`
  const experiments = sql`from experiments as x inner join datasets as d on d.workspace_id = x.workspace_id and d.id = x.dataset_id
    where x.workspace_id = c.workspace_id and x.component_id = c.id and x.deleted_at is null and d.deleted_at is null`
  const recent = sql`select e.id, e.config ${evaluations} and e.status = 'completed'
    order by e.id desc limit ${sql.lit(EVALUATIONS_SEARCHED)}`
  const rows = await q
    .selectFrom('components as c')
    .select('c.id')
    .select([
      sql<string | null>`(select r.id ${runs} order by r.id desc limit 1)`.as('runId'),
      sql<string | null>`(select e.id ${evaluations} order by e.id desc limit 1)`.as('evaluationId'),
      sql<string | null>`(select e.id ${evaluations} and e.status = 'completed' order by e.id desc limit 1)`.as(
        'completedId',
      ),
      sql<string | null>`(select e.run_id ${evaluations} and e.status = 'completed' order by e.id desc limit 1)`.as(
        'completedRunId',
      ),
      // Only evaluations with a baseline compare. A config that names one in another field is found in vain, at worst.
      sql<string | null>`(select x.id from (${recent}) as x where x.config like '%"baselineRunId"%'
        order by x.id desc limit 1)`.as('comparedId'),
      sql<number>`(select count(*) ${prompts})`.as('prompts'),
      sql<number>`(select count(*) ${datasets})`.as('datasets'),
      sql<number>`(select count(*) ${runs})`.as('runs'),
      sql<number>`(select count(*) ${evaluations})`.as('evaluations'),
      sql<number>`(select count(*) ${experiments})`.as('experiments'),
    ])
    .where('c.workspace_id', '=', workspaceId)
    .where('c.id', 'in', componentIds)
    .execute()
  return rows
}

/** Ids contain the time of creation: those from `sinceId` on, and those before `beforeId`. */
type IdRange = { sinceId?: string | undefined; beforeId?: string | undefined; limit?: number | undefined }

type RunFilter = IdRange & {
  componentId?: string | undefined
  datasetId?: string | undefined
  ids?: readonly string[] | undefined
}

export type OverviewRun = Awaited<ReturnType<typeof listOverviewRuns>>[number]

/** Newest first. */
export async function listOverviewRuns(q: Queries, workspaceId: string, filter: RunFilter) {
  return filter.ids?.length === 0 ? [] : selectRuns(q, workspaceId, filter).execute()
}

export type RunWithMetadata = Awaited<ReturnType<typeof listRunsWithMetadata>>[number]

/** Newest first. */
export async function listRunsWithMetadata(q: Queries, workspaceId: string, filter: RunFilter) {
  return selectRuns(q, workspaceId, filter).select('r.metadata').execute()
}

function selectRuns(
  q: Queries,
  workspaceId: string,
  { componentId, datasetId, ids, sinceId, beforeId, limit }: RunFilter,
) {
  let runs = activeRuns(q)
    .select(['r.id', 'r.name', 'r.dataset_id as datasetId', 'd.name as datasetName'])
    .select(['r.trace_count as traceCount', 'r.created_at as createdAt'])
    .where('r.workspace_id', '=', workspaceId)
  if (componentId !== undefined) runs = runs.where('r.component_id', '=', componentId)
  if (datasetId !== undefined) runs = runs.where('r.dataset_id', '=', datasetId)
  if (ids !== undefined) runs = runs.where('r.id', 'in', ids)
  if (sinceId !== undefined) runs = runs.where('r.id', '>=', sinceId)
  if (beforeId !== undefined) runs = runs.where('r.id', '<', beforeId)
  const newestFirst = runs.orderBy('r.id', 'desc')
  return limit === undefined ? newestFirst : newestFirst.limit(limit)
}

/** The runs whose traces are to be rated: they have a policy. */
export async function listRunsWithPolicy(
  q: Queries,
  workspaceId: string,
  runIds: readonly string[],
): Promise<string[]> {
  if (runIds.length === 0) return []
  const rows = await selectScoped(q, 'annotation_policies', { workspace_id: workspaceId })
    .select('run_id as runId')
    .where('run_id', 'in', runIds)
    .execute()
  return rows.map(({ runId }) => runId)
}

export type EvaluationFilter = IdRange & {
  componentId?: string | undefined
  datasetId?: string | undefined
  runId?: string | undefined
  ids?: readonly string[] | undefined
  status?: 'completed'
}

/** Newest first. */
export function selectEvaluations(
  q: Queries,
  workspaceId: string,
  { componentId, datasetId, runId, ids, status, sinceId, beforeId, limit }: EvaluationFilter,
) {
  let evaluations = activeEvaluations(q).where('e.workspace_id', '=', workspaceId)
  if (componentId !== undefined) evaluations = evaluations.where('e.component_id', '=', componentId)
  if (datasetId !== undefined) evaluations = evaluations.where('e.dataset_id', '=', datasetId)
  if (runId !== undefined) evaluations = evaluations.where('e.run_id', '=', runId)
  if (ids !== undefined) evaluations = evaluations.where('e.id', 'in', ids)
  if (status !== undefined) evaluations = evaluations.where('e.status', '=', status)
  if (sinceId !== undefined) evaluations = evaluations.where('e.id', '>=', sinceId)
  if (beforeId !== undefined) evaluations = evaluations.where('e.id', '<', beforeId)
  const newestFirst = evaluations.orderBy('e.id', 'desc')
  return limit === undefined ? newestFirst : newestFirst.limit(limit)
}

export async function listEvaluationIds(q: Queries, workspaceId: string, filter: EvaluationFilter) {
  return selectEvaluations(q, workspaceId, filter)
    .select(['e.id', 'e.run_id as runId', 'e.spent_usd as spentUsd'])
    .execute()
}

const EVALUATION_COLUMNS = [
  'e.id',
  'e.name',
  'e.status',
  'e.error',
  'e.component_id as componentId',
  'e.dataset_id as datasetId',
  'd.name as datasetName',
  'e.run_id as runId',
  'e.cases_total as scores',
  'e.cases_done as scoresDone',
  'e.cases_failed as scoresFailed',
  'e.created_at as createdAt',
  'e.completed_at as completedAt',
] as const

export type EvaluationState = Awaited<ReturnType<typeof listEvaluationStates>>[number]

export async function listEvaluationStates(q: Queries, workspaceId: string, filter: EvaluationFilter) {
  return selectEvaluations(q, workspaceId, filter).select(EVALUATION_COLUMNS).execute()
}

/** Evaluations that failed, and those with failed scores; without those that a user canceled. */
export async function listFailedEvaluations(q: Queries, workspaceId: string, filter: EvaluationFilter) {
  return selectEvaluations(q, workspaceId, filter)
    .select(EVALUATION_COLUMNS)
    .where(({ or, and, eb }) =>
      or([
        and([eb('e.status', '=', 'failed'), eb('e.error', 'is distinct from', CANCELLED_ERROR)]),
        and([eb('e.status', '=', 'completed'), eb('e.cases_failed', '>', 0)]),
      ]),
    )
    .execute()
}

export type EvaluationWithResults = Awaited<ReturnType<typeof listEvaluationsWithResults>>[number]

/** Results are read in parts, because they may be long. */
export async function listEvaluationsWithResults(q: Queries, workspaceId: string, ids: readonly string[]) {
  if (ids.length === 0) return []
  return selectEvaluations(q, workspaceId, { ids })
    .select(EVALUATION_COLUMNS)
    .select(['e.config', resultPart(q, 'metrics'), resultPart(q, 'comparison'), resultPart(q, 'gate')])
    .select(resultPart(q, 'insights'))
    .execute()
}

function resultPart<Name extends 'metrics' | 'comparison' | 'gate' | 'insights'>(q: Queries, name: Name) {
  return jsonText(q, sql<string>`e.results`, name).as(name)
}

type ComponentScope = { workspaceId: string; componentId: string }

export async function listNewestDatasets(q: Queries, { workspaceId, componentId }: ComponentScope, limit: number) {
  return selectScoped(q, 'datasets', { workspace_id: workspaceId, component_id: componentId, deleted_at: null })
    .select(['id', 'name', 'item_count as itemCount'])
    .orderBy('id', 'desc')
    .limit(limit)
    .execute()
}

/** Who has rated how many traces of these runs, and when last. No ratings: they may be hidden from the reader. */
export async function listRaters(q: Queries, workspaceId: string, runIds: readonly string[]) {
  if (runIds.length === 0) return []
  return q
    .selectFrom('annotations as a')
    .innerJoin('users as u', 'u.id', 'a.user_id')
    .select(['a.run_id as runId', 'a.user_id as userId', 'u.name'])
    .select(({ fn }) => [fn.countAll<number>().as('count'), fn.max('a.updated_at').as('at')])
    .where('a.workspace_id', '=', workspaceId)
    .where('a.run_id', 'in', runIds)
    .where(hasRating('a'))
    .groupBy(['a.run_id', 'a.user_id', 'u.name'])
    .execute()
}
