import type { ColumnTypes } from '../dialect.ts'

/**
 * Decisions on comparisons, and links to them that need no account. Adds tables only: a running older server ignores them.
 */
export function decisions({ uuid, timestamp, real, clustered }: ColumnTypes): string[] {
  return [
    // The runs are not referenced: a decision stays when they are deleted. `snapshot` has all numbers; `open_snapshot` and its
    // columns have those without ratings, if there are any, for readers who must not see them.
    `create table decisions (
      workspace_id ${uuid} not null,
      id ${uuid} not null,
      component_id ${uuid} not null,
      baseline_run_id ${uuid} not null,
      candidate_run_id ${uuid} not null,
      baseline_name text,
      candidate_name text,
      user_id ${uuid} not null,
      decision text not null,
      note text not null,
      metric text,
      margin ${real},
      split text,
      verdict text not null,
      summary text not null,
      snapshot text not null,
      open_verdict text,
      open_summary text,
      open_snapshot text,
      created_at ${timestamp} not null,
      primary key (workspace_id, id),
      foreign key (workspace_id, component_id) references components (workspace_id, id)
    ) ${clustered}`,
    'create index decisions_by_component on decisions (workspace_id, component_id, id)',
    'create index decisions_by_candidate on decisions (workspace_id, candidate_run_id, baseline_run_id, id)',

    `create table shared_links (
      workspace_id ${uuid} not null,
      id ${uuid} not null,
      decision_id ${uuid} not null,
      token_hash text not null,
      user_id ${uuid} not null,
      created_at ${timestamp} not null,
      expires_at ${timestamp} not null,
      revoked_at ${timestamp},
      opened_at ${timestamp},
      opened_count integer not null,
      primary key (workspace_id, id),
      foreign key (workspace_id, decision_id) references decisions (workspace_id, id)
    ) ${clustered}`,
    'create unique index shared_links_by_token on shared_links (token_hash)',
    'create index shared_links_by_decision on shared_links (workspace_id, decision_id, id)',

    // No row: shared links are not allowed.
    `create table sharing_settings (
      workspace_id ${uuid} not null primary key references workspaces (id),
      are_links_allowed integer not null
    ) ${clustered}`,
  ]
}
