import type { ColumnTypes } from '../dialect.ts'

/**
 * What each workspace has used of its quotas: of the day named, and what it stores now. A running older server that stores spans while
 * this is applied does not count them; stop it first, as with every upgrade.
 */
export function workspaceUsage({ uuid, bigint, clustered }: ColumnTypes): string[] {
  return [
    `create table workspace_usage (
      workspace_id ${uuid} not null primary key references workspaces (id),
      day text not null,
      spans ${bigint} not null,
      evaluations ${bigint} not null,
      stored_bytes ${bigint} not null
    ) ${clustered}`,
    `insert into workspace_usage (workspace_id, day, spans, evaluations, stored_bytes)
      select workspace_id, '', 0, 0, sum(
        coalesce(octet_length(input), 0) + coalesce(octet_length(output), 0) + coalesce(octet_length(attributes), 0)
        + coalesce(octet_length(events), 0) + coalesce(octet_length(links), 0) + coalesce(octet_length(notes), 0))
      from spans group by workspace_id`,
  ]
}
