import type { ColumnTypes } from '../dialect.ts'

/**
 * Trials, their variants, and one row for each call. Adds tables only: a running older server ignores them, and does not run the jobs of
 * trials.
 */
export function trials({ uuid, timestamp, bigint, clustered }: ColumnTypes): string[] {
  return [
    // The large texts are the last columns: an embedded database reads through a large value to reach those after it.
    `create table trials (
      workspace_id ${uuid} not null,
      id ${uuid} not null,
      component_id ${uuid} not null,
      dataset_id ${uuid} not null,
      name text,
      status text not null,
      phase text not null,
      ended_by text,
      error text,
      calls_total integer not null,
      calls_planned integer not null,
      max_nano_usd ${bigint},
      user_id ${uuid} not null,
      ends_at ${timestamp},
      started_at ${timestamp},
      completed_at ${timestamp},
      created_at ${timestamp} not null,
      updated_at ${timestamp} not null,
      deleted_at ${timestamp},
      plan text not null,
      results text,
      item_ids text,
      primary key (workspace_id, id),
      foreign key (workspace_id, component_id) references components (workspace_id, id),
      foreign key (workspace_id, dataset_id) references datasets (workspace_id, id)
    )`,
    'create index trials_by_component on trials (workspace_id, component_id, id)',
    'create index trials_of_dataset on trials (workspace_id, dataset_id)',
    `create index trials_open on trials (workspace_id, id) where status in ('pending', 'running')`,

    `create table trial_variants (
      workspace_id ${uuid} not null,
      trial_id ${uuid} not null,
      number integer not null,
      name text not null,
      target_type text not null,
      queue text,
      target text not null,
      run_id ${uuid} not null,
      evaluation_id ${uuid},
      broken_reason text,
      calls_total integer not null,
      calls_done integer not null,
      calls_failed integer not null,
      calls_skipped integer not null,
      spent_nano_usd ${bigint} not null,
      primary key (workspace_id, trial_id, number),
      foreign key (workspace_id, trial_id) references trials (workspace_id, id)
    ) ${clustered}`,
    'create index trial_variants_by_queue on trial_variants (workspace_id, queue, trial_id) where queue is not null',

    `create table trial_calls (
      workspace_id ${uuid} not null,
      trial_id ${uuid} not null,
      number integer not null,
      variant integer not null,
      item_id ${uuid} not null,
      repetition integer not null,
      state text not null,
      attempt integer not null default 0,
      errors integer not null default 0,
      due_at ${timestamp},
      lease ${uuid},
      lease_until ${timestamp},
      started_at ${timestamp},
      nano_usd ${bigint} not null default 0,
      reserved_nano_usd ${bigint} not null default 0,
      duration_ms integer,
      reason text,
      is_retryable integer,
      primary key (workspace_id, trial_id, number),
      foreign key (workspace_id, trial_id) references trials (workspace_id, id)
    ) ${clustered}`,
    // Rows leave these indexes as calls end, so that looking for work does not depend on how much is done.
    `create index trial_calls_open on trial_calls (workspace_id, trial_id, variant, number)
      where state in ('queued', 'retrying')`,
    `create index trial_calls_running on trial_calls (workspace_id, trial_id, lease_until) where state = 'running'`,
    `create index trial_calls_failed on trial_calls (workspace_id, trial_id, variant, number) where state = 'failed'`,
  ]
}
