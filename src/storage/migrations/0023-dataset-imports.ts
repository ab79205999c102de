import type { ColumnTypes } from '../dialect.ts'

/**
 * Imports of files into datasets, so that one can be undone. Adds columns, a table and an index only: a running older server
 * ignores them, and what it imports cannot be undone.
 */
export function datasetImports({ uuid, timestamp, clustered }: ColumnTypes): string[] {
  return [
    `alter table dataset_items add column import_id ${uuid}`,
    `create index dataset_items_of_import on dataset_items (workspace_id, dataset_id, import_id, id)
      where import_id is not null`,

    `create table dataset_imports (
      workspace_id ${uuid} not null,
      dataset_id ${uuid} not null,
      id ${uuid} not null,
      user_id ${uuid} not null,
      file_name text,
      format text not null,
      row_count integer not null,
      imported_count integer not null,
      bad_count integer not null,
      duplicate_count integer not null,
      created_at ${timestamp} not null,
      undone_at ${timestamp},
      undone_by ${uuid},
      removed_count integer,
      kept_count integer,
      primary key (workspace_id, dataset_id, id),
      foreign key (workspace_id, dataset_id) references datasets (workspace_id, id)
    ) ${clustered}`,
  ]
}
