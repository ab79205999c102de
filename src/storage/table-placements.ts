import type { Tables } from './tables.ts'

/**
 * Where the rows of a table are when the database is spread over several nodes (`distribute-database.ts`): on the coordinator alone, as a
 * copy on every node, or together with the other rows of their workspace on one node.
 */
export type Placement = 'coordinator' | 'every node' | 'by workspace'

/**
 * Every table, in exactly one group. A table by workspace has the workspace in each of its keys. The coordinator has what sign-in, keys
 * and the job runner write, so that none of them depends on another node; no query joins these tables with one by workspace. On every node
 * is what such queries join, and `workspaces`, to which tables by workspace refer: a write to these tables needs all nodes.
 */
export const TABLE_PLACEMENTS: Record<keyof Tables, Placement> = {
  instance_settings: 'coordinator',
  user_preferences: 'coordinator',
  sessions: 'coordinator',
  accounts: 'coordinator',
  password_resets: 'coordinator',
  verifications: 'coordinator',
  two_factors: 'coordinator',
  used_second_factor_codes: 'coordinator',
  device_codes: 'coordinator',
  login_attempts: 'coordinator',
  members: 'coordinator',
  former_members: 'coordinator',
  invitations: 'coordinator',
  api_keys: 'coordinator',
  revoked_api_keys: 'coordinator',
  jobs: 'coordinator',

  users: 'every node',
  workspaces: 'every node',
  example_authors: 'every node',

  components: 'by workspace',
  prompts: 'by workspace',
  prompt_versions: 'by workspace',
  prompt_labels: 'by workspace',
  prompt_label_changes: 'by workspace',
  workspace_usage: 'by workspace',
  audit_events: 'by workspace',
  saved_views: 'by workspace',
  example_data: 'by workspace',
  idempotency_keys: 'by workspace',
  resource_scopes: 'by workspace',
  traces: 'by workspace',
  spans: 'by workspace',
  pending_span_events: 'by workspace',
  trace_facets: 'by workspace',
  trace_rollups: 'by workspace',
  trace_source_rollups: 'by workspace',
  prompt_rollups: 'by workspace',
  trace_hours: 'by workspace',
  prices: 'by workspace',
  retention: 'by workspace',
  trace_settings: 'by workspace',
  datasets: 'by workspace',
  dataset_items: 'by workspace',
  test_openings: 'by workspace',
  dataset_imports: 'by workspace',
  runs: 'by workspace',
  run_traces: 'by workspace',
  annotations: 'by workspace',
  evaluations: 'by workspace',
  evaluation_scores: 'by workspace',
  anchor_verdicts: 'by workspace',
  comparison_looks: 'by workspace',
  comparison_preferences: 'by workspace',
  decisions: 'by workspace',
  trials: 'by workspace',
  trial_variants: 'by workspace',
  trial_calls: 'by workspace',
  experiments: 'by workspace',
  experiment_iterations: 'by workspace',
  experiment_calls: 'by workspace',
  experiment_settings: 'by workspace',
  experiment_evaluators: 'by workspace',
  shared_links: 'by workspace',
  sharing_settings: 'by workspace',
  model_connections: 'by workspace',
  model_answers: 'by workspace',
  endpoints: 'by workspace',
  spending: 'by workspace',
  spending_limits: 'by workspace',
  rating_schemes: 'by workspace',
  annotation_policies: 'by workspace',
  annotation_leases: 'by workspace',
  annotation_skips: 'by workspace',
  annotation_changes: 'by workspace',
  annotation_draws: 'by workspace',
  trace_annotations: 'by workspace',
  trace_comments: 'by workspace',
  disagreement_resolutions: 'by workspace',
}

/** All tables with data of the installation: all but the list of applied migrations. */
export const TABLE_NAMES: readonly string[] = Object.keys(TABLE_PLACEMENTS)

export function tablesPlaced(placement: Placement): string[] {
  return Object.entries(TABLE_PLACEMENTS).flatMap(([table, placed]) => (placed === placement ? [table] : []))
}
