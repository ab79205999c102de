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
  await sql`insert into trace_rollups
      (workspace_id, hour, component_id, status, service, environment, traces, tokens, cost_usd)
    select workspace_id,
      case span when 'hour' then start_ns / ${sql.lit(Number(HOUR_NS))} else ${sql.lit(ALL_TIME)} end,
      case sign when 1 then ${sql.lit(NIL_ID)} else component_id end,
      status, coalesce(service, ''), coalesce(environment, ''),
      sum(sign), sum(sign * coalesce(total_tokens, 0)), sum(sign * coalesce(cost_usd, 0))
    from traces cross join (select -1 as sign union all select 1) as signs
      cross join (select 'hour' as span union all select 'all time') as spans
    where workspace_id = ${workspaceId} and id in (${sql.join(traceIds)}) and deleted_at is null
    group by 1, 2, 3, 4, 5, 6
    order by 2, 3, 4, 5, 6
    on conflict (workspace_id, hour, component_id, status, service, environment) do update set
      traces = trace_rollups.traces + excluded.traces,
      tokens = trace_rollups.tokens + excluded.tokens,
      cost_usd = trace_rollups.cost_usd + excluded.cost_usd`.execute(tx)
}
