import type { ColumnTypes } from '../dialect.ts'

/**
 * Which of two answers a user prefers. The runs are stored in the order of their ids, so that a preference is the same
 * for both orders of a comparison. A running older server does not read the table.
 */
export function comparisonPreferences({ uuid, timestamp, clustered }: ColumnTypes): string[] {
  return [
    `create table comparison_preferences (
      workspace_id ${uuid} not null,
      first_run_id ${uuid} not null,
      second_run_id ${uuid} not null,
      item_id ${uuid} not null,
      repetition integer not null,
      user_id ${uuid} not null,
      better text not null,
      shown_left text not null,
      created_at ${timestamp} not null,
      updated_at ${timestamp} not null,
      primary key (workspace_id, first_run_id, second_run_id, item_id, repetition, user_id)
    ) ${clustered}`,
    'create index comparison_preferences_by_second_run on comparison_preferences (workspace_id, second_run_id)',
    'create index comparison_preferences_by_time on comparison_preferences (workspace_id, updated_at)',
  ]
}
