import type { Queries } from '../../storage/db.ts'
import { type NewRows, upsertRows } from '../../storage/insert-rows.ts'

type Rows = NewRows<'trace_rollups'>['rows']

/** Notes the newest trace of each hour. Rows have the columns of the statement. */
export function upsertTraceHours(tx: Queries, rows: Rows): Promise<void> {
  return upsertRows(
    tx,
    { table: 'trace_hours', columns: ['workspace_id', 'hour', 'newest_id'], rows },
    `on conflict (workspace_id, hour) do update set newest_id = excluded.newest_id
      where trace_hours.newest_id < excluded.newest_id`,
  )
}

/** Adds to rollups. Rows have the columns of the statement. */
export function addToRollups(tx: Queries, rows: Rows): Promise<void> {
  return upsertRows(
    tx,
    {
      table: 'trace_rollups',
      columns: [
        'workspace_id',
        'hour',
        'component_id',
        'status',
        'service',
        'environment',
        'traces',
        'tokens',
        'cost_usd',
      ],
      rows,
    },
    `on conflict (workspace_id, hour, component_id, status, service, environment) do update set
      traces = trace_rollups.traces + excluded.traces, tokens = trace_rollups.tokens + excluded.tokens,
      cost_usd = trace_rollups.cost_usd + excluded.cost_usd`,
  )
}
