import type { Generated } from 'kysely'
import type {
  AnnotationChanges,
  AnnotationDraws,
  AnnotationLeases,
  AnnotationPolicies,
  AnnotationSkips,
  Annotations,
  DisagreementResolutions,
  RatingSchemes,
  TraceAnnotations,
  TraceComments,
} from './annotation-tables.ts'
import type { DatasetImports, DatasetItems, Datasets, TestOpenings } from './dataset-tables.ts'
import type {
  AnchorVerdicts,
  ComparisonLooks,
  ComparisonPreferences,
  Decisions,
  Endpoints,
  EvaluationScores,
  Evaluations,
  ModelAnswers,
  ModelConnections,
  SharedLinks,
  SharingSettings,
  Spending,
  SpendingLimits,
} from './evaluation-tables.ts'
import type {
  ExperimentCalls,
  ExperimentEvaluators,
  ExperimentIterations,
  ExperimentSettings,
  Experiments,
} from './experiment-tables.ts'
import type { PromptLabelChanges, PromptLabels, Prompts, PromptVersions } from './prompt-tables.ts'
import type {
  PendingSpanEvents,
  Prices,
  PromptRollups,
  ResourceScopes,
  Retention,
  Spans,
  TraceFacets,
  TraceHours,
  TraceRollups,
  TraceSettings,
  TraceSourceRollups,
  Traces,
} from './trace-tables.ts'
import type { TrialCalls, Trials, TrialVariants } from './trial-tables.ts'

/**
 * Every table, as queries see it. One page for all slices, because SQL may join any of them.
 *
 * Timestamps are strings in the form of `base/clock.ts`; ids are lower-case UUIDs; JSON is stored as text on every engine,
 * because an arbitrary object must come back as it was sent. Tables of a workspace are keyed by it first.
 */
export type Tables = {
  instance_settings: InstanceSettings
  users: Users
  user_preferences: UserPreferences
  sessions: Sessions
  accounts: Accounts
  password_resets: PasswordResets
  verifications: Verifications
  two_factors: TwoFactors
  used_second_factor_codes: UsedSecondFactorCodes
  device_codes: DeviceCodes
  login_attempts: LoginAttempts
  workspaces: Workspaces
  workspace_usage: WorkspaceUsage
  members: Members
  former_members: FormerMembers
  invitations: Invitations
  api_keys: ApiKeys
  revoked_api_keys: RevokedApiKeys
  audit_events: AuditEvents
  saved_views: SavedViews
  example_data: ExampleData
  example_authors: ExampleAuthors
  idempotency_keys: IdempotencyKeys
  jobs: Jobs
  components: Components
  prompts: Prompts
  prompt_versions: PromptVersions
  prompt_labels: PromptLabels
  prompt_label_changes: PromptLabelChanges
  resource_scopes: ResourceScopes
  traces: Traces
  spans: Spans
  pending_span_events: PendingSpanEvents
  trace_facets: TraceFacets
  trace_rollups: TraceRollups
  trace_source_rollups: TraceSourceRollups
  prompt_rollups: PromptRollups
  trace_hours: TraceHours
  prices: Prices
  retention: Retention
  trace_settings: TraceSettings
  datasets: Datasets
  dataset_items: DatasetItems
  test_openings: TestOpenings
  dataset_imports: DatasetImports
  runs: Runs
  run_traces: RunTraces
  annotations: Annotations
  evaluations: Evaluations
  evaluation_scores: EvaluationScores
  anchor_verdicts: AnchorVerdicts
  comparison_looks: ComparisonLooks
  comparison_preferences: ComparisonPreferences
  decisions: Decisions
  trials: Trials
  trial_variants: TrialVariants
  trial_calls: TrialCalls
  experiments: Experiments
  experiment_iterations: ExperimentIterations
  experiment_calls: ExperimentCalls
  experiment_settings: ExperimentSettings
  experiment_evaluators: ExperimentEvaluators
  shared_links: SharedLinks
  sharing_settings: SharingSettings
  model_connections: ModelConnections
  model_answers: ModelAnswers
  endpoints: Endpoints
  spending: Spending
  spending_limits: SpendingLimits
  rating_schemes: RatingSchemes
  annotation_policies: AnnotationPolicies
  annotation_leases: AnnotationLeases
  annotation_skips: AnnotationSkips
  annotation_changes: AnnotationChanges
  annotation_draws: AnnotationDraws
  trace_annotations: TraceAnnotations
  trace_comments: TraceComments
  disagreement_resolutions: DisagreementResolutions
}

/** One row per workspace: what it used on that day, and what it stores. An empty day is before all others. */
type WorkspaceUsage = {
  workspace_id: string
  day: string
  spans: number
  evaluations: number
  stored_bytes: number
}

/** Values of the installation and not of a workspace: the cookie secret, the set-up token's hash. */
type InstanceSettings = { name: string; value: string; expires_at: string | null }

type Users = {
  id: string
  email: string
  name: string
  email_verified: number
  image: string | null
  created_at: string
  updated_at: string
  /** Since when the account may not sign in and its keys do not work; null for accounts in use. */
  disabled_at: string | null
  two_factor_enabled: Generated<number>
}

/** JSON text of the client's choice, such as the theme. */
type UserPreferences = { user_id: string; preferences: string; updated_at: string }

/** Only the SHA-256 of a session's token is stored: a stolen backup opens no session. */
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

/** Only the SHA-256 of the link's token is stored. */
type PasswordResets = {
  user_id: string
  token_hash: string
  created_at: string
  expires_at: string
  revokes_grants: Generated<number>
}

type Verifications = {
  id: string
  identifier: string
  value: string
  expires_at: string
  created_at: string
  updated_at: string
}

/** The secret and the recovery codes are sealed. `verified` is 0 until the user has entered a first code. */
type TwoFactors = {
  id: string
  user_id: string
  secret: string
  backup_codes: string
  verified: number
}

type UsedSecondFactorCodes = { user_id: string; code_hash: string; used_at: string }

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
  /** What the device calls itself, and where its request came from. */
  device_name: string | null
  address: string | null
  /** Of the key that the device gets, once a user has approved it. */
  workspace_id: string | null
  role: string | null
}

/** Failed sign-ins per subject (`account:<e-mail>` or `address:<ip>`), stored so that a restart does not reset the limits. */
type LoginAttempts = { subject: string; failures: number; last_failure_at: string; blocked_until: string | null }

type Workspaces = {
  id: string
  name: string
  description: string | null
  requires_second_factor: Generated<number>
  created_at: string
  updated_at: string
  deleted_at: string | null
}

type Members = { workspace_id: string; user_id: string; role: string; created_at: string }

/** Users who were members once, so that their names stay known. A user who joins again is not in it. */
type FormerMembers = { workspace_id: string; user_id: string; left_at: string }

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
  /** What the key may do at most; its creator's own role limits it further. */
  role: Generated<string>
  /** 1 if the operator of the server created it, on the command line or by a setting, in the name of an owner. */
  is_of_operator: Generated<number>
}

/** Hashes of keys that must not be created again: a revoked TOUCHSTONE_API_KEY stays revoked. */
type RevokedApiKeys = {
  workspace_id: string
  key_hash: string
  /** Null for keys that were revoked before these columns existed. */
  name: string | null
  created_by: string | null
  revoked_by: string | null
  revoked_at: string | null
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
  /** More than one for events that are recorded once a minute. */
  count: Generated<number>
  detail: string | null
}

/** A saved search of traces. `columns` is a JSON list of names. */
type SavedViews = {
  workspace_id: string
  id: string
  user_id: string
  name: string
  query: string
  sort: string | null
  columns: string
  is_shared: number
  created_at: string
  updated_at: string
}

/** `contents` is JSON: the ids of everything that was created as example data. */
type ExampleData = {
  workspace_id: string
  component_id: string
  contents: string
  created_by: string
  created_at: string
}

/** Users who exist only as authors of example ratings. They have no password and are members of nothing. */
type ExampleAuthors = { workspace_id: string; user_id: string }

/** The first response to a POST with an Idempotency-Key. `scope` names the caller and the route. */
type IdempotencyKeys = {
  workspace_id: string
  scope: string
  key: string
  body_hash: string
  status: number
  body: string
  created_at: string
}

/** `fence` grows with every claim; a worker that writes with an older one has lost the job. */
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

type Runs = {
  workspace_id: string
  id: string
  component_id: string
  dataset_id: string
  name: string | null
  metadata: Generated<string | null>
  trace_count: number
  created_at: string
  deleted_at: string | null
}

type RunTraces = {
  workspace_id: string
  run_id: string
  trace_ref: string
  item_id: string | null
  /** 1 if the link exists only because a span named the run. */
  from_spans: Generated<number>
  created_at: string
}
