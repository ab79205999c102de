import { sql } from 'kysely'
import type { Queries } from '../../storage/db.ts'
import { jsonArrayOf, textRows } from '../../storage/dialect.ts'
import type { TimeSlice } from '../../trace-lists/series-queries.ts'
import { type EvaluationFilter, selectEvaluations } from '../overview-queries.ts'

/** With the number of the items of today that existed already: if it grows, items were added in between. */
export async function listTrendEvaluations(q: Queries, workspaceId: string, filter: EvaluationFilter) {
  const rows = await selectEvaluations(q, workspaceId, { ...filter, status: 'completed' })
    .select(['e.id', 'e.config'])
    .select(
      sql<number>`(select count(*) from dataset_items as i where i.workspace_id = e.workspace_id
        and i.dataset_id = e.dataset_id and i.id < e.id)`.as('items'),
    )
    .execute()
  return rows.map((row) => ({ ...row, items: Number(row.items) }))
}

/** The start and the hash of the resource scope of the first traces of each slice of time. */
export async function listFirstResourceScopes(
  q: Queries,
  { workspaceId, componentId }: { workspaceId: string; componentId: string },
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
