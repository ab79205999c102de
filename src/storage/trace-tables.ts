/** The tables of traces. `tables.ts` has the others. */
import type { ColumnType, Generated } from 'kysely'

/** The resources and instrumentation scopes that sent spans. */
export type ResourceScopes = { workspace_id: string; hash: string; resource: string; scope: string; used_on: string }

/** Nanoseconds are written as bigint and read only through arithmetic that makes them smaller: a double would lose digits. */
type Nanoseconds = ColumnType<number, bigint, bigint>
type MaybeNanoseconds = ColumnType<number | null, bigint | null, bigint | null>

export type Traces = {
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
  /** The spans from which values were taken that several spans may report, as JSON; null for traces stored before this column. */
  field_sources: string | null
  /** When a model or an agent last failed, and when a model last answered. */
  last_failure_ns: MaybeNanoseconds
  last_answer_ns: MaybeNanoseconds
  usage_scope: string | null
  /** The hash of the JSON with which the trace was sent; null if it was sent in another format. */
  native_hash: string | null
  created_at: string
  deleted_at: string | null
  /** The version of the mapping of its spans: `mapping-version.ts` of traces. */
  mapping_version: Generated<number>
  /** The models and the basis of the costs as JSON; null if unknown. See `list-fields.ts` of traces. */
  model_summary: Generated<string | null>
  /** The first characters of the question and of the answer, as JSON; null if unknown. */
  preview: Generated<string | null>
  /** How many spans both were computed from. If `span_count` differs, they are outdated. */
  listed_spans: Generated<number | null>
  /** What the trace was recorded for; null for production. */
  source: Generated<string | null>
  /** The prompts that it used, as JSON; null if there are none. See `trace-prompts.ts`. */
  prompts: Generated<string | null>
}

export type Spans = {
  position: Generated<number>
  workspace_id: string
  trace_id: string
  span_id: string
  parent_span_id: string | null
  name: string
  /** The name that was sent, if the attributes have a better one. */
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
  /** The attribute whose unchanged value is the input; `attributes` then excludes it. */
  input_from: string | null
  output: string | null
  output_from: string | null
  attributes: string
  events: string | null
  links: string | null
  notes: string | null
  /** The hash of the resource scope, in `resource_scopes`. */
  resource_scope: string
  /** The usage of this span that is counted with other spans, as bits: see `usage-coverage.ts` of traces. */
  covered_usage: number
  /** 1 while the parent has not arrived. */
  is_orphan: number
  /** The status and message that were sent, if the mapping determined others. */
  sent_status: Generated<string | null>
  sent_status_message: Generated<string | null>
}

/** Events of spans that have not arrived yet, in the order in which they came. */
export type PendingSpanEvents = {
  position: Generated<number>
  workspace_id: string
  /** The trace id of the sender. */
  trace_id: string
  span_id: string
  hash: string
  event: string
  bytes: number
  received_at: string
}

export type TraceFacets = { workspace_id: string; facet: string; value: string; trace_id: string }

export type TraceRollups = {
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

/** Of traces that are not of production. */
export type TraceSourceRollups = TraceRollups & { source: string }

/** Empty texts: no version, no label, and a source that was not reported. */
export type PromptRollups = {
  workspace_id: string
  component_id: string
  hour: number
  prompt: string
  version: string
  label: string
  source: string
  traces: number
  uses: number
  priced: number
  cost_usd: number
}

export type TraceHours = {
  workspace_id: string
  hour: number
  newest_id: string
}

export type Prices = {
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

export type Retention = {
  workspace_id: string
  days: number | null
  state: 'idle' | 'clearing'
  traces_deleted: number
  traces_left: number
  started_at: string | null
  finished_at: string | null
}

export type TraceSettings = { workspace_id: string; creates_components: number }
