import { sql } from 'kysely'
import type { Clock } from '../base/clock.ts'
import type { Queries } from '../storage/db.ts'
import { selectScoped } from '../storage/query-building.ts'
import { dollars } from './trace-summary.ts'

const DAY_MS = 86_400_000
const HOUR_MS = 3_600_000

type Sums = { traces: number; errors: number; tokens: number; costUsd: number }

/** Totals of the traces that started within the last days: whole hours from the rollups, the first, partial hour from the traces. */
export async function readTraceStats(q: Queries, clock: Clock, workspaceId: string, daysBack: number) {
  const sinceMs = Math.max(0, clock.now() - daysBack * DAY_MS)
  const firstWholeHour = Math.ceil(sinceMs / HOUR_MS)
  const whole = await selectScoped(q, 'trace_rollups', { workspace_id: workspaceId })
    .select([
      sql<number>`coalesce(sum(traces), 0)`.as('traces'),
      sql<number>`coalesce(sum(case when status = 'error' then traces else 0 end), 0)`.as('errors'),
      sql<number>`coalesce(sum(tokens), 0)`.as('tokens'),
      sql<number>`coalesce(sum(cost_usd), 0)`.as('costUsd'),
    ])
    .where('hour', '>=', firstWholeHour)
    .executeTakeFirstOrThrow()
  const partial = await selectScoped(q, 'traces', { workspace_id: workspaceId, deleted_at: null })
    .select([
      sql<number>`count(*)`.as('traces'),
      sql<number>`coalesce(sum(case when status = 'error' then 1 else 0 end), 0)`.as('errors'),
      sql<number>`coalesce(sum(total_tokens), 0)`.as('tokens'),
      sql<number>`coalesce(sum(cost_usd), 0)`.as('costUsd'),
    ])
    .where('start_ns', '>=', sql<number>`${sinceMs} * cast(1000000 as bigint)`)
    .where('start_ns', '<', sql<number>`${firstWholeHour} * cast(3600000000000 as bigint)`)
    .executeTakeFirstOrThrow()
  return statsOf(add(numbers(whole), numbers(partial)))
}

/** One of the drivers returns sums of large integers as text. */
function numbers({ traces, errors, tokens, costUsd }: Sums): Sums {
  return { traces: Number(traces), errors: Number(errors), tokens: Number(tokens), costUsd: Number(costUsd) }
}

function add(a: Sums, b: Sums): Sums {
  return {
    traces: a.traces + b.traces,
    errors: a.errors + b.errors,
    tokens: a.tokens + b.tokens,
    costUsd: a.costUsd + b.costUsd,
  }
}

function statsOf({ traces, errors, tokens, costUsd }: Sums) {
  return {
    totalTraces: traces,
    totalTokens: tokens,
    totalCostUsd: dollars(costUsd) ?? 0,
    errorRate: traces === 0 ? 0 : errors / traces,
  }
}
