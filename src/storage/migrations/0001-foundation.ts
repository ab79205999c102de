import type { ColumnTypes } from '../dialect.ts'

/** The first schema. Nothing older exists, so no running server sees it half applied. */
export function foundation({ uuid, timestamp, real, clustered }: ColumnTypes): string[] {
  return [
    `create table instance_settings (
      name text not null primary key,
      value text not null,
      expires_at ${timestamp}
    )`,

    // Accounts and sessions: not of a workspace, because a person may be in several.
    `create table users (
      id ${uuid} not null primary key,
      email text not null unique,
      name text not null,
      email_verified integer not null default 0,
      image text,
      created_at ${timestamp} not null,
      updated_at ${timestamp} not null
    )`,
    `create table sessions (
      id ${uuid} not null primary key,
      user_id ${uuid} not null references users (id) on delete cascade,
      token_hash text not null unique,
      expires_at ${timestamp} not null,
      ip_address text,
      user_agent text,
      created_at ${timestamp} not null,
      updated_at ${timestamp} not null
    )`,
    'create index sessions_by_user on sessions (user_id)',
    `create table accounts (
      id ${uuid} not null primary key,
      user_id ${uuid} not null references users (id) on delete cascade,
      account_id text not null,
      provider_id text not null,
      password text,
      access_token text,
      refresh_token text,
      id_token text,
      access_token_expires_at ${timestamp},
      refresh_token_expires_at ${timestamp},
      scope text,
      created_at ${timestamp} not null,
      updated_at ${timestamp} not null,
      unique (user_id, provider_id)
    )`,
    `create table verifications (
      id ${uuid} not null primary key,
      identifier text not null,
      value text not null,
      expires_at ${timestamp} not null,
      created_at ${timestamp} not null,
      updated_at ${timestamp} not null
    )`,
    `create table device_codes (
      id ${uuid} not null primary key,
      device_code_hash text not null unique,
      user_code text not null unique,
      user_id ${uuid} references users (id) on delete cascade,
      client_id text,
      scope text,
      status text not null,
      expires_at ${timestamp} not null,
      last_polled_at ${timestamp},
      polling_interval_ms integer
    )`,
    `create table login_attempts (
      subject text not null primary key,
      failures integer not null,
      last_failure_at ${timestamp} not null,
      blocked_until ${timestamp}
    )`,

    // Workspaces, and who may do what in them.
    `create table workspaces (
      id ${uuid} not null primary key,
      name text not null,
      description text,
      created_at ${timestamp} not null,
      updated_at ${timestamp} not null,
      deleted_at ${timestamp}
    ) ${clustered}`,
    `create table members (
      workspace_id ${uuid} not null references workspaces (id),
      user_id ${uuid} not null references users (id) on delete cascade,
      role text not null,
      created_at ${timestamp} not null,
      primary key (workspace_id, user_id)
    ) ${clustered}`,
    'create index members_by_user on members (user_id, workspace_id)',
    `create table invitations (
      workspace_id ${uuid} not null references workspaces (id),
      id ${uuid} not null,
      email text not null,
      role text not null,
      token_hash text not null unique,
      invited_by ${uuid} not null,
      created_at ${timestamp} not null,
      expires_at ${timestamp} not null,
      primary key (workspace_id, id),
      unique (workspace_id, email)
    ) ${clustered}`,
    `create table api_keys (
      workspace_id ${uuid} not null references workspaces (id),
      id ${uuid} not null,
      name text not null,
      prefix text not null,
      last_four text not null,
      key_hash text not null unique,
      created_by ${uuid} not null,
      created_at ${timestamp} not null,
      last_used_at ${timestamp},
      expires_at ${timestamp},
      primary key (workspace_id, id)
    ) ${clustered}`,
    // No reference to the workspace: what was done in it stays known after it is gone.
    `create table audit_events (
      workspace_id ${uuid} not null,
      id ${uuid} not null,
      actor_id ${uuid} not null,
      actor_kind text not null,
      action text not null,
      resource_id text,
      request_id text not null,
      address text,
      created_at ${timestamp} not null,
      primary key (workspace_id, id)
    ) ${clustered}`,
    `create table idempotency_keys (
      workspace_id ${uuid} not null,
      scope text not null,
      key text not null,
      body_hash text not null,
      status integer not null,
      body text not null,
      created_at ${timestamp} not null,
      primary key (workspace_id, scope, key)
    )`,
    'create index idempotency_keys_oldest on idempotency_keys (created_at)',
    `create table jobs (
      workspace_id ${uuid} not null,
      id ${uuid} not null,
      kind text not null,
      payload text not null,
      state text not null,
      attempts integer not null,
      fence integer not null,
      run_at ${timestamp} not null,
      lease_owner text,
      lease_until ${timestamp},
      last_error text,
      created_at ${timestamp} not null,
      primary key (workspace_id, id)
    )`,
    "create index jobs_due on jobs (run_at) where state = 'queued'",
    "create index jobs_leased on jobs (lease_until) where state = 'running'",

    // The resources. An id holds the time of its creation, so lists are keys read backwards. Foreign keys carry the workspace, so that a reference across workspaces cannot even be inserted.
    `create table components (
      workspace_id ${uuid} not null references workspaces (id),
      id ${uuid} not null,
      name text not null,
      description text,
      created_at ${timestamp} not null,
      updated_at ${timestamp} not null,
      deleted_at ${timestamp},
      primary key (workspace_id, id)
    ) ${clustered}`,
    `create table datasets (
      workspace_id ${uuid} not null,
      id ${uuid} not null,
      component_id ${uuid} not null,
      name text not null,
      description text,
      item_count integer not null,
      created_at ${timestamp} not null,
      deleted_at ${timestamp},
      primary key (workspace_id, id),
      unique (workspace_id, component_id, id),
      foreign key (workspace_id, component_id) references components (workspace_id, id)
    ) ${clustered}`,
    `create table dataset_items (
      workspace_id ${uuid} not null,
      dataset_id ${uuid} not null,
      id ${uuid} not null,
      trace_ref text,
      created_at ${timestamp} not null,
      primary key (workspace_id, dataset_id, id),
      unique (workspace_id, dataset_id, trace_ref),
      foreign key (workspace_id, dataset_id) references datasets (workspace_id, id)
    ) ${clustered}`,
    `create table runs (
      workspace_id ${uuid} not null,
      id ${uuid} not null,
      component_id ${uuid} not null,
      dataset_id ${uuid} not null,
      name text,
      trace_count integer not null,
      created_at ${timestamp} not null,
      deleted_at ${timestamp},
      primary key (workspace_id, id),
      foreign key (workspace_id, component_id, dataset_id) references datasets (workspace_id, component_id, id)
    ) ${clustered}`,
    'create index runs_of_component on runs (workspace_id, component_id, id)',
    'create index runs_of_dataset on runs (workspace_id, dataset_id, id)',
    `create table run_traces (
      workspace_id ${uuid} not null,
      run_id ${uuid} not null,
      trace_ref text not null,
      created_at ${timestamp} not null,
      primary key (workspace_id, run_id, trace_ref),
      foreign key (workspace_id, run_id) references runs (workspace_id, id)
    ) ${clustered}`,
    `create table annotations (
      workspace_id ${uuid} not null,
      id ${uuid} not null,
      run_id ${uuid} not null,
      trace_ref text not null,
      user_id ${uuid} not null,
      rating text,
      comment text,
      created_at ${timestamp} not null,
      updated_at ${timestamp} not null,
      primary key (workspace_id, id),
      unique (workspace_id, run_id, trace_ref, user_id),
      foreign key (workspace_id, run_id) references runs (workspace_id, id)
    )`,
    'create index annotations_of_run on annotations (workspace_id, run_id, id)',
    'create index annotations_of_trace on annotations (workspace_id, trace_ref, run_id)',
    `create table evaluations (
      workspace_id ${uuid} not null,
      id ${uuid} not null,
      component_id ${uuid} not null,
      dataset_id ${uuid} not null,
      run_id ${uuid},
      name text,
      status text not null,
      error text,
      config text not null,
      cases_total integer not null,
      cases_done integer not null,
      cases_failed integer not null,
      cases_skipped integer not null,
      results text,
      started_at ${timestamp},
      completed_at ${timestamp},
      created_at ${timestamp} not null,
      updated_at ${timestamp} not null,
      primary key (workspace_id, id),
      foreign key (workspace_id, component_id, dataset_id) references datasets (workspace_id, component_id, id)
    )`,
    'create index evaluations_of_component on evaluations (workspace_id, component_id, id)',
    `create index evaluations_open on evaluations (workspace_id) where status in ('pending', 'running')`,
    'create index evaluations_of_dataset on evaluations (workspace_id, dataset_id, id)',
    `create table evaluation_scores (
      workspace_id ${uuid} not null,
      evaluation_id ${uuid} not null,
      case_ref text not null,
      evaluator text not null,
      repetition integer not null,
      state text not null,
      score ${real},
      label text,
      passed integer,
      reason text,
      created_at ${timestamp} not null,
      primary key (workspace_id, evaluation_id, case_ref, evaluator, repetition),
      foreign key (workspace_id, evaluation_id) references evaluations (workspace_id, id)
    )`,
  ]
}
