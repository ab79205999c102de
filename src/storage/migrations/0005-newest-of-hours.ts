import type { ColumnTypes } from '../dialect.ts'

/** The newest trace among those that began in an hour: what tells a list that earlier hours need not be looked at. */
export function newestOfHours({ uuid, clustered }: ColumnTypes): string[] {
  return [
    `create table trace_hours (
      workspace_id ${uuid} not null,
      hour integer not null,
      newest_id text not null,
      primary key (workspace_id, hour)
    ) ${clustered}`,
    `insert into trace_hours (workspace_id, hour, newest_id)
      select workspace_id, start_ns / 3600000000000, max(cast(id as text))
      from traces
      group by workspace_id, start_ns / 3600000000000`,
  ]
}
