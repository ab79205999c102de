import type { ColumnTypes } from '../dialect.ts'

/**
 * Groups and splits of dataset items, and the record of what has read a test split. Adds columns, a table and an index
 * only: a running older server ignores them, and the items that it adds have no split.
 */
export function groupsAndSplits({ uuid, timestamp, clustered }: ColumnTypes): string[] {
  return [
    'alter table datasets add column group_by text',
    'alter table dataset_items add column split text',
    // Covers the questions of which items belong to a split, and whether there are any, without reading the items.
    `create index dataset_items_by_split on dataset_items (workspace_id, dataset_id, split, id)
      where split is not null`,

    // One row per evaluation or comparison that has read items of the test split, however often it is read again.
    `create table test_openings (
      workspace_id ${uuid} not null,
      dataset_id ${uuid} not null,
      subject text not null,
      opened_at ${timestamp} not null,
      primary key (workspace_id, dataset_id, subject),
      foreign key (workspace_id, dataset_id) references datasets (workspace_id, id)
    ) ${clustered}`,
  ]
}
