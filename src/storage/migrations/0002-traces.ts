import type { ColumnTypes } from '../dialect.ts'

/**
 * Traces, and what dataset items keep of them. Adds tables and columns only: a running older server does not see them, and what
 * it writes meanwhile has the defaults.
 */
export function traces({ uuid, timestamp, real, bigint, sequence, clustered, foldedName }: ColumnTypes): string[] {
  return [
    // Who sent spans. Told once, because a batch repeats it for every span; found by the hash of its content.
    `create table span_origins (
      workspace_id ${uuid} not null references workspaces (id),
      hash text not null,
      resource text not null,
      scope text not null,
      used_on text not null,
      primary key (workspace_id, hash)
    ) ${clustered}`,

    // One row per trace, kept up to date by every span that arrives. `trace_id` is the sender's name for it, `id` is ours.
    `create table traces (
      workspace_id ${uuid} not null references workspaces (id),
      id ${uuid} not null,
      trace_id text not null,
      name text,
      named_by text not null,
      status text not null,
      component_id ${uuid},
      service text,
      environment text,
      session_id text,
      user_id text,
      tags text not null,
      links text,
      start_ns ${bigint} not null,
      end_ns ${bigint},
      span_count integer not null,
      error_count integer not null,
      total_tokens ${bigint},
      cost_usd ${real},
      root_span_id text,
      root_status text,
      root_ns ${bigint},
      first_llm_span_id text,
      first_llm_ns ${bigint},
      last_llm_span_id text,
      last_llm_ns ${bigint},
      created_at ${timestamp} not null,
      deleted_at ${timestamp},
      primary key (workspace_id, id),
      foreign key (workspace_id, component_id) references components (workspace_id, id)
    )`,
    'create unique index traces_by_sender on traces (workspace_id, trace_id) where deleted_at is null',
    'create index traces_of_component on traces (workspace_id, component_id, id) where component_id is not null',
    'create index traces_by_start on traces (workspace_id, start_ns)',
    "create index traces_failed on traces (workspace_id, id) where status = 'error'",

    // An ordinary table with a growing number: wide rows in a tree of random keys are written half as fast. The number is never
    // used again, because the index for searching text goes by it.
    `create table spans (
      position ${sequence},
      workspace_id ${uuid} not null,
      trace_id ${uuid} not null,
      span_id text not null,
      parent_span_id text,
      name text not null,
      sent_name text,
      kind text not null,
      otel_kind integer not null,
      start_ns ${bigint} not null,
      end_ns ${bigint},
      status text not null,
      status_message text,
      model text,
      provider text,
      input_tokens ${bigint},
      output_tokens ${bigint},
      total_tokens ${bigint},
      cost_usd ${real},
      cost_basis text,
      input text,
      input_from text,
      output text,
      output_from text,
      attributes text not null,
      events text,
      links text,
      notes text,
      origin text not null,
      is_covered integer not null,
      is_orphan integer not null,
      unique (workspace_id, trace_id, span_id),
      foreign key (workspace_id, trace_id) references traces (workspace_id, id)
    )`,
    'create index spans_orphaned on spans (workspace_id, trace_id, parent_span_id) where is_orphan = 1',

    // The few distinct values of a trace that people filter by. An index on spans would cost a write for each of them.
    `create table trace_facets (
      workspace_id ${uuid} not null,
      facet text not null,
      value text not null,
      trace_id ${uuid} not null,
      primary key (workspace_id, facet, value, trace_id)
    ) ${clustered}`,

    // Sums by the hour in which traces began, kept exact by the write itself, so that a total need not be counted.
    `create table trace_rollups (
      workspace_id ${uuid} not null,
      hour integer not null,
      component_id ${uuid} not null,
      status text not null,
      service text not null,
      environment text not null,
      traces ${bigint} not null,
      tokens ${bigint} not null,
      cost_usd ${real} not null,
      primary key (workspace_id, hour, component_id, status, service, environment)
    ) ${clustered}`,

    // An application's own prices, which go before the ones that come with the program.
    `create table prices (
      workspace_id ${uuid} not null references workspaces (id),
      id ${uuid} not null,
      model_pattern text not null,
      provider text,
      input_per_million ${real} not null,
      output_per_million ${real} not null,
      cache_read_per_million ${real},
      cache_write_per_million ${real},
      valid_from ${timestamp},
      valid_until ${timestamp},
      created_at ${timestamp} not null,
      primary key (workspace_id, id)
    ) ${clustered}`,

    // For how long an application keeps its traces, and how far the last clearing came.
    `create table retention (
      workspace_id ${uuid} not null primary key references workspaces (id),
      days integer,
      state text not null,
      traces_deleted ${bigint} not null,
      traces_left ${bigint} not null,
      started_at ${timestamp},
      finished_at ${timestamp}
    )`,

    // Traces name their component, dataset and run; letter case may differ.
    `create index components_by_name on components (workspace_id, (${foldedName}))`,
    `create index datasets_by_name on datasets (workspace_id, component_id, (${foldedName}))`,
    `create index runs_by_name on runs (workspace_id, component_id, (${foldedName}))`,

    // What an item keeps of its trace, and what people add. An item without a trace has only that.
    'alter table dataset_items add column input text',
    'alter table dataset_items add column input_hash text',
    'alter table dataset_items add column output text',
    'alter table dataset_items add column expected text',
    'alter table dataset_items add column metadata text',
    // 1: the input follows the trace, 2: the output does. By default both, for items that an older server has made or still makes.
    'alter table dataset_items add column provisional integer not null default 3',
    'create index dataset_items_of_trace on dataset_items (workspace_id, trace_ref) where trace_ref is not null',
    'create index dataset_items_by_input on dataset_items (workspace_id, dataset_id, input_hash) where input_hash is not null',
    `alter table run_traces add column item_id ${uuid}`,
    'create index run_traces_of_trace on run_traces (workspace_id, trace_ref)',
    // A trace has two names, ours and its sender's: `trace_ref` is the one that all tables agree on, this is what the caller said.
    'alter table annotations add column given_ref text',
  ]
}
