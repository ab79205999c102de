import type { ColumnTypes } from '../dialect.ts'

/** Whether traces create the components that they name. Adds a table only: a running older server ignores it and creates none. */
export function traceSettings({ uuid, clustered }: ColumnTypes): string[] {
  return [
    // No row: traces create no components.
    `create table trace_settings (
      workspace_id ${uuid} not null primary key references workspaces (id),
      creates_components integer not null
    ) ${clustered}`,
  ]
}
