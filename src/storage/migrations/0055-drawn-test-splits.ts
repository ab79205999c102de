import type { ColumnTypes } from '../dialect.ts'

/**
 * When the test split of a dataset was drawn again, and how often the splits before it had decided. Adds columns only: a running older server
 * ignores them, and counts the openings of all splits together.
 */
export function drawnTestSplits({ timestamp }: ColumnTypes): string[] {
  return [
    `alter table datasets add column test_drawn_at ${timestamp}`,
    'alter table datasets add column earlier_openings integer',
  ]
}
