import { sql } from 'kysely'
import type { Queries } from '../storage/db.ts'
import type { KeysetPage } from './keyset-page.ts'

/** With the newest run of each, and the newest completed evaluation and its run. One more than the limit, to find out whether there are more. */
export async function listDatasetsAfter(
  q: Queries,
  { workspaceId, componentId, after, limit }: KeysetPage & { workspaceId: string; componentId: string },
) {
  const runs = sql`from runs as r where r.workspace_id = d.workspace_id and r.dataset_id = d.id and r.deleted_at is null`
  const datasets = q
    .selectFrom('datasets as d')
    .innerJoin('components as c', (join) =>
      join.onRef('c.workspace_id', '=', 'd.workspace_id').onRef('c.id', '=', 'd.component_id'),
    )
    .select(['d.id', 'd.name', 'd.description', 'd.item_count as itemCount', 'd.created_at as createdAt'])
    .select([
      sql<number>`(select count(*) ${runs})`.as('runs'),
      sql<string | null>`(select r.id ${runs} order by r.id desc limit 1)`.as('newestRunId'),
      newestEvaluation('d', 'dataset_id', sql`e.id`, sql`and e.status = 'completed'`).as('completedId'),
      newestEvaluation('d', 'dataset_id', sql`e.run_id`, sql`and e.status = 'completed'`).as('completedRunId'),
    ])
    .where('d.workspace_id', '=', workspaceId)
    .where('d.component_id', '=', componentId)
    .where('d.deleted_at', 'is', null)
    .where('c.deleted_at', 'is', null)
  return (after === undefined ? datasets : datasets.where('d.id', '<', after))
    .orderBy('d.id', 'desc')
    .limit(limit + 1)
    .execute()
}

/** The newest evaluation of each run, in any state. */
export async function listNewestEvaluationIds(q: Queries, workspaceId: string, runIds: readonly string[]) {
  if (runIds.length === 0) return []
  return q
    .selectFrom('runs as r')
    .select('r.id as runId')
    .select(newestEvaluation('r', 'run_id').as('newestId'))
    .where('r.workspace_id', '=', workspaceId)
    .where('r.id', 'in', runIds)
    .execute()
}

function newestEvaluation(of: 'r' | 'd', column: 'run_id' | 'dataset_id', read = sql`e.id`, condition = sql``) {
  return sql<string | null>`(select ${read} from evaluations as e
    where e.workspace_id = ${sql.ref(`${of}.workspace_id`)} and e.${sql.ref(column)} = ${sql.ref(`${of}.id`)}
    and e.deleted_at is null ${condition} order by e.id desc limit 1)`
}

/** Sums of the traces of each run that have arrived. */
export async function sumRunTraces(q: Queries, workspaceId: string, runIds: readonly string[]) {
  if (runIds.length === 0) return []
  const rows = await q
    .selectFrom('run_traces as l')
    .innerJoin('traces as t', (join) =>
      join
        .onRef('t.workspace_id', '=', 'l.workspace_id')
        .onRef('t.trace_id', '=', 'l.trace_ref')
        .on('t.deleted_at', 'is', null),
    )
    .select('l.run_id as runId')
    .select(({ fn }) => [
      fn.countAll<number>().as('arrived'),
      sql<number>`sum(case when t.status = 'error' then 1 else 0 end)`.as('errors'),
      fn.count<number>('t.cost_usd').as('priced'),
      fn.sum<number | null>('t.cost_usd').as('costUsd'),
    ])
    .where('l.workspace_id', '=', workspaceId)
    .where('l.run_id', 'in', runIds)
    .groupBy('l.run_id')
    .execute()
  // One of the drivers returns sums as text.
  return rows.map(({ runId, arrived, errors, priced, costUsd }) => ({
    runId,
    arrived: Number(arrived),
    errors: Number(errors),
    priced: Number(priced),
    costUsd: costUsd === null ? null : Number(costUsd),
  }))
}
