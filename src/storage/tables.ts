import type { ColumnType, Generated } from 'kysely'

/**
 * Every table, as queries see it. One page for all slices, because SQL may join any of them.
 *
 * Timestamps are strings in the form of `base/clock.ts`; ids are lower-case UUIDs; JSON is kept as text on every engine,
 * because an arbitrary object must come back as it was sent. Tables of a workspace are keyed by it first.
 */
export type Tables = {
  instance_settings: InstanceSettings
  users: Users
  sessions: Sessions
  accounts: Accounts
  verifications: Verifications
  device_codes: DeviceCodes
  login_attempts: LoginAttempts
  workspaces: Workspaces
  members: Members
  invitations: Invitations
  api_keys: ApiKeys
  audit_events: AuditEvents
  idempotency_keys: IdempotencyKeys
  jobs: Jobs
  components: Components
  span_origins: SpanOrigins
  traces: Traces
  spans: Spans
  trace_facets: TraceFacets
  trace_rollups: TraceRollups
  prices: Prices
  retention: Retention
  datasets: Datasets
  dataset_items: DatasetItems
  runs: Runs
  run_traces: RunTraces
  annotations: Annotations
  evaluations: Evaluations
  evaluation_scores: EvaluationScores
}

/** What belongs to the installation and not to a workspace: the cookie secret, the set-up token's hash. */
type InstanceSettings = { name: string; value: string; expires_at: string | null }

type Users = {
  id: string
  email: string
  name: string
  email_verified: number
  image: string | null
  created_at: string
  updated_at: string
}

/** Only the SHA-256 of a session's token is kept: a stolen backup opens no session. */
type Sessions = {
  id: string
  user_id: string
  token_hash: string
  expires_at: string
  ip_address: string | null
  user_agent: string | null
  created_at: string
  updated_at: string
}

type Accounts = {
  id: string
  user_id: string
  account_id: string
  provider_id: string
  password: string | null
  access_token: string | null
  refresh_token: string | null
  id_token: string | null
  access_token_expires_at: string | null
  refresh_token_expires_at: string | null
  scope: string | null
  created_at: string
  updated_at: string
}

type Verifications = {
  id: string
  identifier: string
  value: string
  expires_at: string
  created_at: string
  updated_at: string
}

type DeviceCodes = {
  id: string
  device_code_hash: string
  user_code: string
  user_id: string | null
  client_id: string | null
  scope: string | null
  status: string
  expires_at: string
  last_polled_at: string | null
  polling_interval_ms: number | null
}

/** Failed sign-ins per subject (`account:<e-mail>` or `address:<ip>`), kept here so that a restart forgives nothing. */
type LoginAttempts = { subject: string; failures: number; last_failure_at: string; blocked_until: string | null }

type Workspaces = {
  id: string
  name: string
  description: string | null
  created_at: string
  updated_at: string
  deleted_at: string | null
}

type Members = { workspace_id: string; user_id: string; role: string; created_at: string }

type Invitations = {
  workspace_id: string
  id: string
  email: string
  role: string
  token_hash: string
  invited_by: string
  created_at: string
  expires_at: string
}

type ApiKeys = {
  workspace_id: string
  id: string
  name: string
  prefix: string
  last_four: string
  key_hash: string
  created_by: string
  created_at: string
  last_used_at: string | null
  expires_at: string | null
}

type AuditEvents = {
  workspace_id: string
  id: string
  actor_id: string
  actor_kind: string
  action: string
  resource_id: string | null
  request_id: string
  address: string | null
  created_at: string
}

/** The first answer to a POST with an Idempotency-Key. `scope` names the caller and the route. */
type IdempotencyKeys = {
  workspace_id: string
  scope: string
  key: string
  body_hash: string
  status: number
  body: string
  created_at: string
}

/** `fence` grows with every claim; whoever writes with an older one has lost the job. */
type Jobs = {
  workspace_id: string
  id: string
  kind: string
  payload: string
  state: 'queued' | 'running' | 'failed'
  attempts: number
  fence: number
  run_at: string
  lease_owner: string | null
  lease_until: string | null
  last_error: string | null
  created_at: string
}

type Components = {
  workspace_id: string
  id: string
  name: string
  description: string | null
  created_at: string
  updated_at: string
  deleted_at: string | null
}

type SpanOrigins = { workspace_id: string; hash: string; resource: string; scope: string; used_on: string }

/** Nanoseconds are written as bigint and read only through arithmetic that makes them smaller: a double would lose digits. */
type Nanoseconds = ColumnType<number, bigint, bigint>
type MaybeNanoseconds = ColumnType<number | null, bigint | null, bigint | null>

type Traces = {
  workspace_id: string
  id: string
  trace_id: string
  name: string | null
  named_by: string
  status: string
  component_id: string | null
  service: string | null
  environment: string | null
  session_id: string | null
  user_id: string | null
  tags: string
  links: string | null
  start_ns: Nanoseconds
  end_ns: MaybeNanoseconds
  span_count: number
  error_count: number
  total_tokens: number | null
  cost_usd: number | null
  root_span_id: string | null
  root_status: string | null
  root_ns: MaybeNanoseconds
  first_llm_span_id: string | null
  first_llm_ns: MaybeNanoseconds
  last_llm_span_id: string | null
  last_llm_ns: MaybeNanoseconds
  created_at: string
  deleted_at: string | null
}

type Spans = {
  position: Generated<number>
  workspace_id: string
  trace_id: string
  span_id: string
  parent_span_id: string | null
  name: string
  /** The name that the sender gave, where a better one was found in the attributes. */
  sent_name: string | null
  kind: string
  otel_kind: number
  start_ns: Nanoseconds
  end_ns: MaybeNanoseconds
  status: string
  status_message: string | null
  model: string | null
  provider: string | null
  input_tokens: number | null
  output_tokens: number | null
  total_tokens: number | null
  cost_usd: number | null
  cost_basis: string | null
  input: string | null
  /** The attribute whose value the input is, unchanged; it is then left out of `attributes`. */
  input_from: string | null
  output: string | null
  output_from: string | null
  attributes: string
  events: string | null
  links: string | null
  notes: string | null
  origin: string
  /** 1 if a span below tells its own usage: then this one's is a sum of what is counted already. */
  is_covered: number
  /** 1 while the parent has not arrived. */
  is_orphan: number
}

type TraceFacets = { workspace_id: string; facet: string; value: string; trace_id: string }

type TraceRollups = {
  workspace_id: string
  hour: number
  component_id: string
  status: string
  service: string
  environment: string
  traces: number
  tokens: number
  cost_usd: number
}

type Prices = {
  workspace_id: string
  id: string
  model_pattern: string
  provider: string | null
  input_per_million: number
  output_per_million: number
  cache_read_per_million: number | null
  cache_write_per_million: number | null
  valid_from: string | null
  valid_until: string | null
  created_at: string
}

type Retention = {
  workspace_id: string
  days: number | null
  state: 'idle' | 'clearing'
  traces_deleted: number
  traces_left: number
  started_at: string | null
  finished_at: string | null
}

type Datasets = {
  workspace_id: string
  id: string
  component_id: string
  name: string
  description: string | null
  item_count: number
  created_at: string
  deleted_at: string | null
}

/** `trace_ref` is an id as the client gave it, of a trace that may not have arrived yet. */
type DatasetItems = {
  workspace_id: string
  dataset_id: string
  id: string
  trace_ref: string | null
  /** JSON text where structured, like a trace's own; null until the trace has arrived. */
  input: string | null
  input_hash: string | null
  output: string | null
  expected: string | null
  metadata: string | null
  /** What was taken before the trace's root had arrived, which knows it better: 1 for the input, 2 for the output. */
  provisional: Generated<number>
  created_at: string
}

type Runs = {
  workspace_id: string
  id: string
  component_id: string
  dataset_id: string
  name: string | null
  trace_count: number
  created_at: string
  deleted_at: string | null
}

type RunTraces = {
  workspace_id: string
  run_id: string
  trace_ref: string
  item_id: string | null
  created_at: string
}

type Annotations = {
  workspace_id: string
  id: string
  run_id: string
  trace_ref: string
  given_ref: string | null
  user_id: string
  rating: string | null
  comment: string | null
  created_at: string
  updated_at: string
}

type Evaluations = {
  workspace_id: string
  id: string
  component_id: string
  dataset_id: string
  /** No foreign key: an evaluation keeps its results when the run it named is deleted. */
  run_id: string | null
  name: string | null
  status: 'pending' | 'running' | 'completed' | 'failed'
  error: string | null
  config: string
  cases_total: number
  cases_done: number
  cases_failed: number
  cases_skipped: number
  results: string | null
  started_at: string | null
  completed_at: string | null
  created_at: string
  updated_at: string
}

/** One score per case, evaluator and repetition: the key is what makes running a case twice harmless. */
type EvaluationScores = {
  workspace_id: string
  evaluation_id: string
  case_ref: string
  evaluator: string
  repetition: number
  state: 'scored' | 'failed' | 'skipped'
  score: number | null
  label: string | null
  passed: number | null
  reason: string | null
  created_at: string
}
