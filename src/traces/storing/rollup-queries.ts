import { sql } from 'kysely'
import { prepared } from '../../storage/prepared.ts'

type TraceHour = { workspaceId: string; hour: number; newestId: string }

/** Notes the newest trace of an hour. */
export const upsertTraceHour = prepared<TraceHour>()((q, value) =>
  q
    .insertInto('trace_hours')
    .values({ workspace_id: value('workspaceId'), hour: value('hour'), newest_id: value('newestId') })
    .onConflict((own) =>
      own
        .columns(['workspace_id', 'hour'])
        .doUpdateSet({ newest_id: sql<string>`excluded.newest_id` })
        .whereRef('trace_hours.newest_id', '<', 'excluded.newest_id'),
    ),
)

type RollupChange = {
  workspaceId: string
  hour: number
  componentId: string
  status: string
  service: string
  environment: string
  traces: number
  tokens: number
  costUsd: number
}

/** Adds to a rollup. */
export const addToRollup = prepared<RollupChange>()((q, value) =>
  q
    .insertInto('trace_rollups')
    .values({
      workspace_id: value('workspaceId'),
      hour: value('hour'),
      component_id: value('componentId'),
      status: value('status'),
      service: value('service'),
      environment: value('environment'),
      traces: value('traces'),
      tokens: value('tokens'),
      cost_usd: value('costUsd'),
    })
    .onConflict((own) =>
      own.columns(['workspace_id', 'hour', 'component_id', 'status', 'service', 'environment']).doUpdateSet({
        traces: sql<number>`trace_rollups.traces + excluded.traces`,
        tokens: sql<number>`trace_rollups.tokens + excluded.tokens`,
        cost_usd: sql<number>`trace_rollups.cost_usd + excluded.cost_usd`,
      }),
    ),
)
