/** The tables of evaluations, models, comparisons and decisions. `tables.ts` has the others. */
import type { Generated } from 'kysely'

export type Evaluations = {
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
  /** Of scores: one per case, evaluator and repetition. */
  cases_total: number
  cases_done: number
  cases_failed: number
  cases_skipped: number
  results: string | null
  /** The position of the plan: a phase and the last case; null before the first. See `plan-scores.ts`. */
  planned_to: Generated<string | null>
  model_calls: Generated<number>
  spent_usd: Generated<number>
  /** Of its model calls. */
  tokens_used: Generated<number>
  first_error: Generated<string | null>
  /** JSON: see `judged-with.ts`. Null before the start, and for evaluations of older versions. */
  judged_with: Generated<string | null>
  /** How often it was retried. */
  retries: Generated<number>
  /** Since when external scores are awaited: its start, or that of the last retry. */
  external_since: Generated<string | null>
  deleted_at: Generated<string | null>
  started_at: string | null
  completed_at: string | null
  created_at: string
  updated_at: string
}

/** One score per case, evaluator and repetition: because of this key, running a case twice is harmless. */
export type EvaluationScores = {
  workspace_id: string
  evaluation_id: string
  /** The trace of a run, as the client named it; or the id of an item. */
  case_ref: string
  evaluator: string
  repetition: number
  state: 'queued' | 'running' | 'retrying' | 'scored' | 'failed' | 'skipped'
  item_id: Generated<string | null>
  /** What of the item was judged: see `hashOfItem`. Null without an item, and for scores of older versions. */
  item_hash: Generated<string | null>
  trace_ref: Generated<string | null>
  attempts: Generated<number>
  score: number | null
  label: string | null
  passed: number | null
  reason: string | null
  /** JSON: further details of the verdict. */
  details: Generated<string | null>
  cost_usd: Generated<number | null>
  /** The `retries` of the evaluation when a client delivered the score; null if none did. */
  delivered_in: Generated<number | null>
  created_at: string
}

/**
 * The verdicts of a judge on the anchors of an evaluation. `judge` identifies its settings: the same judge rates
 * the anchors in every evaluation. `is_good` is the label of the anchor; null if it has none.
 */
export type AnchorVerdicts = {
  workspace_id: string
  /** The dataset of the anchors, which need not be that of the evaluation. No foreign key: it may be deleted. */
  dataset_id: string
  judge: string
  evaluation_id: string
  item_id: string
  passed: number
  is_good: number | null
  created_at: string
}

/** The connection to a provider of models. `sealed_key` is encrypted and in no response. */
export type ModelConnections = {
  workspace_id: string
  id: string
  name: string
  base_url: string
  sealed_key: string | null
  kind: 'openai' | 'anthropic' | 'gemini'
  /** JSON list of names. */
  models: string
  /** JSON list of models with the day on which their provider ends them; null for none. */
  retirements: string | null
  concurrency: number
  requests_per_minute: number | null
  created_at: string
  updated_at: string
}

export type Endpoints = {
  workspace_id: string
  id: string
  name: string
  base_url: string
  /** JSON list of names in lower case. */
  header_names: string
  /** All headers as one sealed JSON object; null without headers. */
  sealed_headers: string | null
  concurrency: number
  requests_per_minute: number | null
  timeout_seconds: number
  created_at: string
  updated_at: string
}

/** Cached answers of models, by the hash of the request. */
export type ModelAnswers = {
  workspace_id: string
  hash: string
  answer: string
  input_tokens: number | null
  output_tokens: number | null
  cost_usd: number | null
  created_at: string
}

/**
 * One row per pair of runs that was compared. `looks` counts the reads whose data differed from the read before.
 * `planned` is the plan of the first look and the looks that it covers: see `look-rule.ts`.
 */
export type ComparisonLooks = {
  workspace_id: string
  baseline_run_id: string
  candidate_run_id: string
  looks: number
  result_hash: string
  looked_at: string
  planned: string | null
}

/** `better` and `shown_left` are 'first' or 'second', the runs in the order of their ids; `better` can also be 'same'. */
export type ComparisonPreferences = {
  workspace_id: string
  first_run_id: string
  second_run_id: string
  item_id: string
  repetition: number
  user_id: string
  better: 'first' | 'second' | 'same'
  shown_left: 'first' | 'second'
  is_side_drawn: number
  created_at: string
  updated_at: string
}

/** JSON text in the snapshots. The columns `…_without_ratings` are set if the others contain ratings. */
export type Decisions = {
  workspace_id: string
  id: string
  component_id: string
  baseline_run_id: string
  candidate_run_id: string
  baseline_name: string | null
  candidate_name: string | null
  user_id: string
  decision: 'release' | 'hold' | 'undecided'
  note: string
  metric: string | null
  margin: number | null
  split: 'train' | 'validation' | 'test' | null
  verdict: 'improved' | 'regressed' | 'equivalent' | 'noClearDifference' | 'tooFewCases'
  summary: string
  snapshot: string
  verdict_without_ratings: Decisions['verdict'] | null
  summary_without_ratings: string | null
  snapshot_without_ratings: string | null
  created_at: string
}

/** Only the SHA-256 of a link's token is stored: a stolen backup opens no report. */
export type SharedLinks = {
  workspace_id: string
  id: string
  decision_id: string
  token_hash: string
  user_id: string
  created_at: string
  expires_at: string
  revoked_at: string | null
  opened_at: string | null
  opened_count: number
}

export type SharingSettings = { workspace_id: string; are_links_allowed: number }

/** What calls of models have cost on a day (UTC), in billionths of a dollar. `reserved_nano_usd` is the part of calls that have not ended. */
export type Spending = {
  workspace_id: string
  day: string
  kind: 'judges' | 'playground' | 'trials' | 'experiments'
  nano_usd: number
  reserved_nano_usd: number
  calls: number
  unpriced_calls: number
}

/** Null: no limit. A workspace without a row has none. */
export type SpendingLimits = {
  workspace_id: string
  max_usd_per_day: number | null
  max_usd_per_30_days: number | null
  updated_at: string
}
