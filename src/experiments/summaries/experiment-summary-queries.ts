import type { Queries } from '../../storage/db.ts'
import { inIdList } from '../../storage/dialect.ts'
import { selectScoped } from '../../storage/query-building.ts'
import { activeExperiments } from '../experiment-queries.ts'

type Page = { workspaceId: string; componentId: string; after: string | undefined; limit: number }

/** Newest first, with the names of what they belong to. The ids of the items, which are large, are not read. */
export async function listExperimentsAfter(q: Queries, { workspaceId, componentId, after, limit }: Page) {
  const rows = activeExperiments(q)
    .leftJoin('prompts as p', (join) =>
      join
        .onRef('p.workspace_id', '=', 'e.workspace_id')
        .onRef('p.id', '=', 'e.prompt_id')
        .on('p.deleted_at', 'is', null),
    )
    .select([
      'e.id',
      'e.name',
      'e.status',
      'e.phase',
      'e.ended_by as endedBy',
      'e.error',
      'e.dataset_id as datasetId',
      'd.name as datasetName',
      'e.prompt_id as promptId',
      'p.name as promptName',
      'e.user_id as createdBy',
      'e.max_nano_usd as maxNanoUsd',
      'e.spent_nano_usd as spentNanoUsd',
      'e.created_at as createdAt',
      'e.started_at as startedAt',
      'e.completed_at as completedAt',
      'e.plan',
      'e.validation',
      'e.results',
    ])
    .where('e.workspace_id', '=', workspaceId)
    .where('e.component_id', '=', componentId)
    .orderBy('e.id', 'desc')
    .limit(limit)
  return (after === undefined ? rows : rows.where('e.id', '<', after)).execute()
}

/** Without the start. */
export async function countProposals(q: Queries, workspaceId: string, experimentIds: readonly string[]) {
  if (experimentIds.length === 0) return []
  const rows = await selectScoped(q, 'experiment_iterations', { workspace_id: workspaceId })
    .select(({ fn }) => ['experiment_id as experimentId', 'state', fn.countAll<number>().as('count')])
    .where(inIdList(q, 'experiment_id', experimentIds))
    .where('number', '>', 0)
    .groupBy(['experiment_id', 'state'])
    .execute()
  return rows.map(({ count, ...row }) => ({ ...row, count: Number(count) }))
}

export async function countTestItems(q: Queries, workspaceId: string, datasetIds: readonly string[]) {
  if (datasetIds.length === 0) return new Map<string, number>()
  const rows = await selectScoped(q, 'dataset_items', { workspace_id: workspaceId, split: 'test' })
    .select(({ fn }) => ['dataset_id as datasetId', fn.countAll<number>().as('count')])
    .where(inIdList(q, 'dataset_id', datasetIds))
    .groupBy('dataset_id')
    .execute()
  return new Map(rows.map(({ datasetId, count }) => [datasetId, Number(count)]))
}

/** How often the test splits before the one of now had decided. */
export async function countEarlierOpenings(q: Queries, workspaceId: string, datasetIds: readonly string[]) {
  if (datasetIds.length === 0) return new Map<string, number>()
  const rows = await selectScoped(q, 'datasets', { workspace_id: workspaceId })
    .select(['id', 'earlier_openings as openings'])
    .where(inIdList(q, 'id', datasetIds))
    .execute()
  return new Map(rows.map(({ id, openings }) => [id, openings ?? 0]))
}
