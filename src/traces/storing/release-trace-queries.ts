import { sql } from 'kysely'
import { NIL_ID } from '../../base/ids.ts'
import type { Queries } from '../../storage/db.ts'
import { lockForUpdate } from '../../storage/dialect.ts'
import { selectScoped, updateScoped } from '../../storage/query-building.ts'
import { ALL_TIME, HOUR_NS } from './rollup-queries.ts'

type OfComponent = { workspaceId: string; componentId: string; limit: number }

/**
 * Removes the component from the traces of a deleted component. Their part of the rollups moves in the same transaction, so that a late
 * span is subtracted from a rollup that contains it. Traces that are marked as deleted are in no rollup.
 */
export async function releaseTraces(tx: Queries, { workspaceId, componentId, limit }: OfComponent): Promise<boolean> {
  const some = await selectScoped(tx, 'traces', { workspace_id: workspaceId, component_id: componentId })
    .select('id')
    .orderBy('id')
    .limit(limit)
    .execute()
  if (some.length === 0) return false
  const ids = some.map(({ id }) => id)
  const ofComponent = selectScoped(tx, 'traces', { workspace_id: workspaceId, component_id: componentId })
    .select('id')
    .where('id', 'in', ids)
    .orderBy('trace_id')
  // Locked in the same order as by ingestion, traces before rollups: otherwise the two could deadlock.
  const locked = (await lockForUpdate(tx, ofComponent).execute()).map(({ id }) => id)
  if (locked.length === 0) return false
  await moveRollups(tx, workspaceId, locked)
  await updateScoped(tx, 'traces', { workspace_id: workspaceId })
    .set({ component_id: null })
    .where('id', 'in', locked)
    .execute()
  return true
}

/** Each trace counts four times: subtracted from its component for its hour and for all time, and added to those without a component. */
async function moveRollups(tx: Queries, workspaceId: string, traceIds: readonly string[]): Promise<void> {
  await moveSums(tx, { workspaceId, traceIds, table: 'trace_rollups', by: COLUMNS })
  await moveSums(tx, { workspaceId, traceIds, table: 'trace_source_rollups', by: [...COLUMNS, 'source'] })
}

const COLUMNS = ['status', 'service', 'environment']

type MovedSums = {
  workspaceId: string
  traceIds: readonly string[]
  table: 'trace_rollups' | 'trace_source_rollups'
  /** Columns of the traces, which the totals are grouped by. */
  by: readonly string[]
}

async function moveSums(tx: Queries, { workspaceId, traceIds, table, by }: MovedSums): Promise<void> {
  const key = ['workspace_id', 'hour', 'component_id', ...by].map((column) => sql.ref(column))
  const values = by.map((column) => sql`coalesce(${sql.ref(column)}, '')`)
  const counted = table === 'trace_rollups' ? sql`deleted_at is null` : sql`deleted_at is null and source is not null`
  const places = key.map((_, index) => sql.lit(index + 1))
  const [, ...ordered] = places
  const added = ['traces', 'tokens', 'cost_usd'].map(
    (sum) => sql`${sql.ref(sum)} = ${sql.ref(`${table}.${sum}`)} + ${sql.ref(`excluded.${sum}`)}`,
  )
  await sql`insert into ${sql.table(table)} (${sql.join(key)}, traces, tokens, cost_usd)
    select workspace_id,
      case span when 'hour' then start_ns / ${sql.lit(Number(HOUR_NS))} else ${sql.lit(ALL_TIME)} end,
      case sign when 1 then ${sql.lit(NIL_ID)} else component_id end,
      ${sql.join(values)},
      sum(sign), sum(sign * coalesce(total_tokens, 0)), sum(sign * coalesce(cost_usd, 0))
    from traces cross join (select -1 as sign union all select 1) as signs
      cross join (select 'hour' as span union all select 'all time') as spans
    where workspace_id = ${workspaceId} and id in (${sql.join(traceIds)}) and ${counted}
    group by ${sql.join(places)}
    order by ${sql.join(ordered)}
    on conflict (${sql.join(key)}) do update set ${sql.join(added)}`.execute(tx)
}
