import { sql } from 'kysely'
import { activeEvaluations } from '../../evaluations/evaluation-queries.ts'
import type { Queries } from '../../storage/db.ts'
import { jsonArrayOf, textRows } from '../../storage/dialect.ts'
import type { TimeSlice } from '../../trace-lists/series-queries.ts'
import { runColumns } from '../overview-queries.ts'

type ComponentScope = { workspaceId: string; componentId: string }
/** Ids contain the time of creation. `untilId` is exclusive. */
type Between = { sinceId: string; untilId: string; limit: number }

/** The newest completed evaluations of a period, newest first. */
export async function listTrendEvaluations(
  q: Queries,
  {
    workspaceId,
    componentId,
    datasetId,
    sinceId,
    untilId,
    limit,
  }: ComponentScope & Between & { datasetId: string | undefined },
) {
  const evaluations = activeEvaluations(q)
    .select(['e.id', 'e.config'])
    // The items of today that existed already: if it grows, items were added in between.
    .select(
      sql<number>`(select count(*) from dataset_items as i where i.workspace_id = e.workspace_id
        and i.dataset_id = e.dataset_id and i.id < e.id)`.as('items'),
    )
    .where('e.workspace_id', '=', workspaceId)
    .where('e.component_id', '=', componentId)
    .where('e.status', '=', 'completed')
    .where('e.id', '>=', sinceId)
    .where('e.id', '<', untilId)
    .orderBy('e.id', 'desc')
    .limit(limit)
  const rows = await (datasetId === undefined
    ? evaluations
    : evaluations.where('e.dataset_id', '=', datasetId)
  ).execute()
  return rows.map((row) => ({ ...row, items: Number(row.items) }))
}

/** The newest runs of a period with their metadata, newest first. */
export async function listTrendRuns(
  q: Queries,
  { workspaceId, componentId, sinceId, untilId, limit }: ComponentScope & Between,
) {
  return runColumns(q)
    .select('r.metadata')
    .where('r.workspace_id', '=', workspaceId)
    .where('r.component_id', '=', componentId)
    .where('r.id', '>=', sinceId)
    .where('r.id', '<', untilId)
    .orderBy('r.id', 'desc')
    .limit(limit)
    .execute()
}

export type TrendRun = Awaited<ReturnType<typeof listTrendRuns>>[number]

/** The newest run before a period, which the first of the period is compared with. */
export async function findRunBefore(q: Queries, { workspaceId, componentId }: ComponentScope, untilId: string) {
  return runColumns(q)
    .select('r.metadata')
    .where('r.workspace_id', '=', workspaceId)
    .where('r.component_id', '=', componentId)
    .where('r.id', '<', untilId)
    .orderBy('r.id', 'desc')
    .limit(1)
    .executeTakeFirst()
}

/** The start and the hash of the resource scope of the first traces of each slice of time. */
export async function listFirstResourceScopes(
  q: Queries,
  { workspaceId, componentId }: ComponentScope,
  { slices, perSlice }: { slices: readonly TimeSlice[]; perSlice: number },
): Promise<{ startMs: number; resourceScopeHash: string }[]> {
  const rows = slices.map(({ from, to }) => [String(from), String(to)])
  const first = sql`select t.start_ns / 1000000 as start_ms, root.resource_scope from traces as t
    inner join spans as root on root.workspace_id = t.workspace_id and root.trace_id = t.id
      and root.span_id = t.root_span_id
    where t.workspace_id = ${workspaceId} and t.component_id = ${componentId}
      and t.start_ns >= cast(s.from_ns as bigint) and t.start_ns < cast(s.until_ns as bigint)
      and t.deleted_at is null
    order by t.start_ns limit ${sql.lit(perSlice)}`
  const { rows: found } = await sql<{ scopes: string | null }>`
    select (select ${jsonArrayOf(q, [sql`x.start_ms`, sql`x.resource_scope`])} from (${first}) as x) as scopes
    from ${textRows(q, ['from_ns', 'until_ns'], rows)} as s`.execute(q)
  return found.flatMap(({ scopes }) => {
    const traces: [number, string][] = JSON.parse(scopes ?? '[]')
    return traces.map(([startMs, resourceScopeHash]) => ({ startMs, resourceScopeHash }))
  })
}
