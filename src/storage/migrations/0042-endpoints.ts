import type { ColumnTypes } from '../dialect.ts'

/** The users' own services that trials call. Adds a table only: a running older server ignores it. */
export function endpoints({ uuid, timestamp }: ColumnTypes): string[] {
  return [
    `create table endpoints (
      workspace_id ${uuid} not null,
      id ${uuid} not null,
      name text not null,
      base_url text not null,
      header_names text not null,
      sealed_headers text,
      concurrency integer not null,
      requests_per_minute integer,
      timeout_seconds integer not null,
      created_at ${timestamp} not null,
      updated_at ${timestamp} not null,
      primary key (workspace_id, id),
      foreign key (workspace_id) references workspaces (id)
    )`,
    'create unique index endpoints_by_name on endpoints (workspace_id, name)',
  ]
}
