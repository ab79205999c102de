import type { ColumnTypes } from '../dialect.ts'

/**
 * How often a comparison was read with a new result. A running older server does not count, and goes on.
 */
export function comparisonLooks({ uuid, timestamp, clustered }: ColumnTypes): string[] {
  return [
    `create table comparison_looks (
      workspace_id ${uuid} not null,
      baseline_run_id ${uuid} not null,
      candidate_run_id ${uuid} not null,
      looks integer not null,
      result_hash text not null,
      looked_at ${timestamp} not null,
      primary key (workspace_id, baseline_run_id, candidate_run_id)
    ) ${clustered}`,
  ]
}
