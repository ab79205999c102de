import { sql } from 'kysely'
import type { Queries } from '../storage/db.ts'
import { asId, jsonArrayOf, textRows } from '../storage/dialect.ts'
import type { TimeRange } from '../trace-lists/series-range.ts'
import { rollupsBySource } from '../traces/query/matching-trace-queries.ts'

const HOUR_NS = 3_600_000_000_000n

type ComponentsIn = { workspaceId: string; componentIds: readonly string[]; range: TimeRange }

/** Sums of the traces of each component, bucket and source; those without traces are missing. The range must be whole hours. */
export async function sumComponentRollups(
  q: Queries,
  { workspaceId, componentIds, range, bucketSeconds }: ComponentsIn & { bucketSeconds: number },
) {
  if (componentIds.length === 0) return []
  const bucket = sql<number>`h.hour / ${sql.lit(bucketSeconds / 3_600)}`
  const hours = { firstHour: range.from / HOUR_NS, endHour: range.to / HOUR_NS }
  const rows = await rollupsBySource(q, workspaceId, { parts: [] }, hours)
    .select([
      'h.component_id as componentId',
      'h.source',
      bucket.as('bucket'),
      sql<number>`sum(h.traces)`.as('count'),
      sql<number>`sum(case when h.status = 'error' then h.traces else 0 end)`.as('errors'),
      sql<number>`sum(h.cost_usd)`.as('costUsd'),
    ])
    .where('h.component_id', 'in', componentIds)
    .groupBy(['h.component_id', 'h.source', bucket])
    .execute()
  // One of the drivers returns sums of large integers as text.
  return rows
    .map(({ componentId, source, bucket: number, count, errors, costUsd }) => ({
      componentId,
      source,
      bucket: Number(number),
      count: Number(count),
      errors: Number(errors),
      costUsd: Number(costUsd),
    }))
    .filter(({ count }) => count > 0)
}

/** Those of the components that have ever had a trace of production. */
export async function findProductionComponents(
  q: Queries,
  workspaceId: string,
  componentIds: readonly string[],
): Promise<Set<string>> {
  if (componentIds.length === 0) return new Set()
  const rows = await rollupsBySource(q, workspaceId, { parts: [], source: 'production' }, 'all time')
    .select('h.component_id as componentId')
    .where('h.component_id', 'in', componentIds)
    .groupBy('h.component_id')
    .having(sql<number>`sum(h.traces)`, '>', 0)
    .execute()
  return new Set(rows.map(({ componentId }) => componentId))
}

/** `production` are the components of which only traces of production are read. */
type NewestOf = ComponentsIn & { production: ReadonlySet<string>; perComponent: number }

/** Duration and cost of the newest traces of each component that are counted, for components that a sample by time hardly meets. */
export async function listNewestTraces(
  q: Queries,
  { workspaceId, componentIds, production, range, perComponent }: NewestOf,
): Promise<{ componentId: string; durationNs: number | null; costUsd: number | null }[]> {
  if (componentIds.length === 0) return []
  const ids = textRows(
    q,
    ['id', 'counted'],
    componentIds.map((id) => [id, production.has(id) ? 'production' : 'all']),
  )
  const newest = sql`select t.end_ns - t.start_ns as duration, t.cost_usd from traces as t
    where t.workspace_id = ${workspaceId} and t.component_id = ${asId(q, 'c.id')} and t.deleted_at is null
    and (t.source is null or c.counted = 'all')
    and t.start_ns >= ${String(range.from)} and t.start_ns < ${String(range.to)} order by t.id desc limit ${sql.lit(perComponent)}`
  const { rows } = await sql<{ componentId: string; samples: string | null }>`
    select c.id as "componentId", (select ${jsonArrayOf(q, [sql`x.duration`, sql`x.cost_usd`])} from (${newest}) as x) as samples
    from ${ids} as c`.execute(q)
  return rows.flatMap(({ componentId, samples }) => {
    const traces: [number | null, number | null][] = JSON.parse(samples ?? '[]')
    return traces.map(([durationNs, costUsd]) => ({ componentId, durationNs, costUsd }))
  })
}
