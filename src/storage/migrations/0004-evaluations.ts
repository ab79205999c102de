import type { ColumnTypes } from '../dialect.ts'

/**
 * Evaluations that read traces and ask models, and how people rate. Adds tables and columns only: a running older server does not see
 * them, and what it writes meanwhile has the defaults.
 */
export function evaluations({ uuid, timestamp, real, clustered }: ColumnTypes): string[] {
  return [
    'alter table evaluations add column planned_to text',
    'alter table evaluations add column model_calls integer not null default 0',
    `alter table evaluations add column spent_usd ${real} not null default 0`,
    'alter table evaluations add column first_error text',
    `alter table evaluations add column deleted_at ${timestamp}`,
    'create index evaluations_of_run on evaluations (workspace_id, run_id, id) where run_id is not null',

    `alter table evaluation_scores add column item_id ${uuid}`,
    'alter table evaluation_scores add column trace_ref text',
    'alter table evaluation_scores add column attempts integer not null default 0',
    'alter table evaluation_scores add column details text',
    `alter table evaluation_scores add column cost_usd ${real}`,
    'create index evaluation_scores_by_state on evaluation_scores (workspace_id, evaluation_id, state, case_ref)',

    `create table model_connections (
      workspace_id ${uuid} not null references workspaces (id),
      id ${uuid} not null,
      name text not null,
      base_url text not null,
      sealed_key text,
      models text not null,
      concurrency integer not null,
      requests_per_minute integer,
      created_at ${timestamp} not null,
      updated_at ${timestamp} not null,
      primary key (workspace_id, id)
    )`,
    'create unique index model_connections_by_name on model_connections (workspace_id, name)',

    `create table model_answers (
      workspace_id ${uuid} not null references workspaces (id),
      hash text not null,
      answer text not null,
      input_tokens integer,
      output_tokens integer,
      cost_usd ${real},
      created_at ${timestamp} not null,
      primary key (workspace_id, hash)
    )`,
    'create index model_answers_by_age on model_answers (created_at)',

    `create table rating_schemes (
      workspace_id ${uuid} not null primary key references workspaces (id),
      ratings text not null,
      is_ordered integer not null,
      updated_at ${timestamp} not null
    )`,

    // Who has rated what in a run, and what by whom: an annotation that only comments is not among them. With the rating itself, or the
    // condition would be looked up in the table again for each.
    `create index annotations_rated on annotations (workspace_id, run_id, trace_ref, user_id, rating)
      where rating is not null and rating <> ''`,
    `create index annotations_of_rater on annotations (workspace_id, run_id, user_id, trace_ref, rating)
      where rating is not null and rating <> ''`,
    `create table annotation_policies (
      workspace_id ${uuid} not null,
      run_id ${uuid} not null,
      raters_per_item integer,
      is_blind integer not null,
      ratings text,
      updated_at ${timestamp} not null,
      primary key (workspace_id, run_id),
      foreign key (workspace_id, run_id) references runs (workspace_id, id)
    )`,
    `create table annotation_leases (
      workspace_id ${uuid} not null,
      run_id ${uuid} not null,
      trace_ref text not null,
      user_id ${uuid} not null,
      lease_until ${timestamp} not null,
      primary key (workspace_id, run_id, trace_ref, user_id),
      foreign key (workspace_id, run_id) references runs (workspace_id, id)
    ) ${clustered}`,
  ]
}
