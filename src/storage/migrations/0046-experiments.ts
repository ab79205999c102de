import type { ColumnTypes } from '../dialect.ts'

/**
 * Experiments, the prompts that they propose, and one row for each call. Adds tables only: a running older server ignores them, and does not
 * run the jobs of experiments. Versions of prompts that experiments have saved are shown by it with their source.
 */
export function experiments({ uuid, timestamp, bigint, real }: ColumnTypes): string[] {
  return [
    // The large texts are the last columns: an embedded database reads through a large value to reach those after it.
    `create table experiments (
      workspace_id ${uuid} not null,
      id ${uuid} not null,
      component_id ${uuid} not null,
      dataset_id ${uuid} not null,
      prompt_id ${uuid} not null,
      name text,
      status text not null,
      phase text not null,
      ended_by text,
      reason text,
      error text,
      max_nano_usd ${bigint},
      spent_nano_usd ${bigint} not null default 0,
      call_max_nano_usd ${bigint} not null default 0,
      user_id ${uuid} not null,
      trial_id ${uuid},
      ends_at ${timestamp},
      started_at ${timestamp},
      completed_at ${timestamp},
      created_at ${timestamp} not null,
      updated_at ${timestamp} not null,
      deleted_at ${timestamp},
      plan text not null,
      validation text,
      results text,
      items text not null,
      primary key (workspace_id, id),
      foreign key (workspace_id, component_id) references components (workspace_id, id),
      foreign key (workspace_id, dataset_id) references datasets (workspace_id, id)
    )`,
    'create index experiments_by_component on experiments (workspace_id, component_id, id)',
    'create index experiments_of_dataset on experiments (workspace_id, dataset_id)',
    "create index experiments_open on experiments (workspace_id, id) where status = 'running'",

    `create table experiment_iterations (
      workspace_id ${uuid} not null,
      experiment_id ${uuid} not null,
      number integer not null,
      parents text not null,
      round integer not null,
      step text not null,
      state text not null,
      fate text,
      reason text,
      content_hash text,
      version integer,
      created_at ${timestamp} not null,
      sample text not null,
      diagnosis text,
      content text,
      primary key (workspace_id, experiment_id, number),
      foreign key (workspace_id, experiment_id) references experiments (workspace_id, id)
    )`,

    `create table experiment_calls (
      workspace_id ${uuid} not null,
      experiment_id ${uuid} not null,
      number integer not null,
      kind text not null,
      iteration integer not null,
      item_id ${uuid},
      state text not null,
      errors integer not null default 0,
      due_at ${timestamp},
      nano_usd ${bigint} not null default 0,
      reserved_nano_usd ${bigint} not null default 0,
      value ${real},
      reason text,
      scores text,
      output text,
      primary key (workspace_id, experiment_id, number),
      foreign key (workspace_id, experiment_id) references experiments (workspace_id, id)
    )`,
    // Rows leave this index as calls end, so that looking for work does not depend on how much is done.
    `create index experiment_calls_open on experiment_calls (workspace_id, experiment_id, number)
      where state in ('queued', 'running', 'retrying')`,
    'create index experiment_calls_by_iteration on experiment_calls (workspace_id, experiment_id, iteration, number)',
  ]
}
