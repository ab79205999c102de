import type { ColumnTypes } from '../dialect.ts'

/**
 * What calls of models cost by day, and the limits of it. Adds tables only: a running older server ignores them, and its calls are not
 * counted.
 */
export function spending({ uuid, timestamp, real, bigint, clustered }: ColumnTypes): string[] {
  return [
    `create table spending_limits (
      workspace_id ${uuid} not null,
      max_usd_per_day ${real},
      max_usd_per_30_days ${real},
      updated_at ${timestamp} not null,
      primary key (workspace_id),
      foreign key (workspace_id) references workspaces (id)
    ) ${clustered}`,

    // In billionths of a dollar: sums of whole numbers are exact, so that a limit is never exceeded by a rounding error.
    `create table spending (
      workspace_id ${uuid} not null,
      day text not null,
      kind text not null,
      nano_usd ${bigint} not null,
      reserved_nano_usd ${bigint} not null,
      calls ${bigint} not null,
      unpriced_calls ${bigint} not null,
      primary key (workspace_id, day, kind),
      foreign key (workspace_id) references workspaces (id)
    ) ${clustered}`,
  ]
}
