import { sql } from 'kysely'
import { chunksOf } from '../../base/event-loop.ts'
import type { Queries } from '../../storage/db.ts'
import { inList, lockForUpdate } from '../../storage/dialect.ts'
import { insertNewRows } from '../../storage/insert-rows.ts'
import { prepared } from '../../storage/prepared.ts'
import {
  type FieldSources,
  readFieldSources,
  SOURCED_FIELDS,
  type SourcedField,
  UNKNOWN_SOURCE,
  writeFieldSources,
} from './field-sources.ts'
import { MAPPING_VERSION } from './mapping-version.ts'
import type { TraceState } from './trace-state.ts'

const IDS_PER_STATEMENT = 500

export type KnownTrace = { id: string; traceId: string; state: TraceState }

/**
 * Finds the existing traces by the ids of their senders and locks them until the transaction ends, so that two batches of one trace do
 * not both add to the same state. Locks in order of the ids, so that transactions never deadlock.
 */
export async function findTraceStates(tx: Queries, workspaceId: string, traceIds: string[]): Promise<KnownTrace[]> {
  const found: KnownTrace[] = []
  for (const chunk of chunksOf(traceIds.toSorted(), IDS_PER_STATEMENT)) {
    for (const row of await lockTraceStates(tx, { workspaceId, traceIds: chunk })) {
      found.push({ id: row.id, traceId: row.trace_id, state: stateOf(row) })
    }
  }
  return found
}

const lockTraceStates = prepared<{ workspaceId: string; traceIds: readonly string[] }>()((q, value) =>
  lockForUpdate(
    q,
    q
      .selectFrom('traces')
      .select([
        'id',
        'trace_id',
        'name',
        'named_by',
        'status',
        'component_id',
        'service',
        'environment',
        'session_id',
        'user_id',
        'tags',
        'links',
        digits('start_ns').as('start_ns'),
        digits('end_ns').as('end_ns'),
        'span_count',
        'error_count',
        'total_tokens',
        'cost_usd',
        'root_span_id',
        'root_status',
        digits('root_ns').as('root_ns'),
        'first_llm_span_id',
        digits('first_llm_ns').as('first_llm_ns'),
        'last_llm_span_id',
        digits('last_llm_ns').as('last_llm_ns'),
        'field_sources',
        digits('last_failure_ns').as('last_failure_ns'),
        digits('last_answer_ns').as('last_answer_ns'),
        'usage_scope',
        'model_summary',
        'preview',
        'listed_spans',
      ])
      .where('workspace_id', '=', value('workspaceId'))
      .where(inList(q, 'trace_id', value('traceIds')))
      .where('deleted_at', 'is', null)
      .orderBy('trace_id'),
  ),
)

/** As text: drivers convert a large integer to a double, which has fewer digits than a time in nanoseconds. */
function digits(column: string) {
  return sql<string | null>`cast(${sql.ref(column)} as text)`
}

type StateRow = {
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
  start_ns: string | null
  end_ns: string | null
  span_count: number
  error_count: number
  total_tokens: number | null
  cost_usd: number | null
  root_span_id: string | null
  root_status: string | null
  root_ns: string | null
  first_llm_span_id: string | null
  first_llm_ns: string | null
  last_llm_span_id: string | null
  last_llm_ns: string | null
  field_sources: string | null
  last_failure_ns: string | null
  last_answer_ns: string | null
  usage_scope: string | null
  model_summary: string | null
  preview: string | null
  listed_spans: number | null
}

function stateOf(row: StateRow): TraceState {
  const isListed = row.listed_spans === row.span_count
  return {
    name: row.name,
    namedBy: namedBy(row.named_by),
    status: row.status === 'error' ? 'error' : 'ok',
    componentId: row.component_id,
    service: row.service,
    environment: row.environment,
    sessionId: row.session_id,
    userId: row.user_id,
    tags: JSON.parse(row.tags),
    links: row.links === null ? {} : JSON.parse(row.links),
    startNs: nanoseconds(row.start_ns) ?? 0n,
    endNs: nanoseconds(row.end_ns),
    spanCount: row.span_count,
    errorCount: row.error_count,
    totalTokens: row.total_tokens,
    costUsd: row.cost_usd,
    rootSpanId: row.root_span_id,
    rootStatus: row.root_status,
    rootNs: nanoseconds(row.root_ns),
    firstLlmSpanId: row.first_llm_span_id,
    firstLlmNs: nanoseconds(row.first_llm_ns),
    lastLlmSpanId: row.last_llm_span_id,
    lastLlmNs: nanoseconds(row.last_llm_ns),
    sources: fieldSourcesOf(row),
    lastFailureNs: nanoseconds(row.last_failure_ns),
    lastAnswerNs: nanoseconds(row.last_answer_ns),
    usageScope: row.usage_scope,
    modelSummary: isListed ? row.model_summary : null,
    preview: isListed ? row.preview : null,
  }
}

/** Values that were stored before their source was recorded are not changed by later spans. */
function fieldSourcesOf(row: StateRow): FieldSources {
  if (row.field_sources !== null) return readFieldSources(row.field_sources)
  const values: Partial<Record<SourcedField, unknown>> = {
    ...(row.links === null ? {} : JSON.parse(row.links)),
    name: row.named_by === 'trace' ? row.name : null,
    service: row.service,
    environment: row.environment,
    sessionId: row.session_id,
    userId: row.user_id,
  }
  const sources: FieldSources = {}
  for (const field of SOURCED_FIELDS) if (values[field] ?? null) sources[field] = UNKNOWN_SOURCE
  return sources
}

function namedBy(text: string): TraceState['namedBy'] {
  return text === 'trace' || text === 'root' || text === 'first' ? text : 'nothing'
}

function nanoseconds(text: string | null): bigint | null {
  return text === null ? null : BigInt(text)
}

const STATE_COLUMNS = [
  'name',
  'named_by',
  'status',
  'component_id',
  'service',
  'environment',
  'session_id',
  'user_id',
  'tags',
  'links',
  'start_ns',
  'end_ns',
  'span_count',
  'error_count',
  'total_tokens',
  'cost_usd',
  'root_span_id',
  'root_status',
  'root_ns',
  'first_llm_span_id',
  'first_llm_ns',
  'last_llm_span_id',
  'last_llm_ns',
  'field_sources',
  'last_failure_ns',
  'last_answer_ns',
  'usage_scope',
  'model_summary',
  'preview',
  'listed_spans',
] as const

function valuesOf(state: TraceState) {
  return {
    name: state.name,
    named_by: state.namedBy,
    status: state.status,
    component_id: state.componentId,
    service: state.service,
    environment: state.environment,
    session_id: state.sessionId,
    user_id: state.userId,
    tags: JSON.stringify(state.tags),
    links: Object.keys(state.links).length === 0 ? null : JSON.stringify(state.links),
    start_ns: state.startNs,
    end_ns: state.endNs,
    span_count: state.spanCount,
    error_count: state.errorCount,
    total_tokens: state.totalTokens,
    cost_usd: state.costUsd,
    root_span_id: state.rootSpanId,
    root_status: state.rootStatus,
    root_ns: state.rootNs,
    first_llm_span_id: state.firstLlmSpanId,
    first_llm_ns: state.firstLlmNs,
    last_llm_span_id: state.lastLlmSpanId,
    last_llm_ns: state.lastLlmNs,
    field_sources: writeFieldSources(state.sources),
    last_failure_ns: state.lastFailureNs,
    last_answer_ns: state.lastAnswerNs,
    usage_scope: state.usageScope,
    model_summary: state.modelSummary,
    preview: state.preview,
    listed_spans: state.spanCount,
  }
}

export type NewTrace = { id: string; traceId: string; createdAt: string; state: TraceState }

/** Returns, for each trace, whether it was inserted: another process may have inserted it first. */
export async function insertTraces(tx: Queries, workspaceId: string, traces: NewTrace[]): Promise<boolean[]> {
  return insertNewRows(
    tx,
    {
      table: 'traces',
      columns: ['workspace_id', 'id', 'trace_id', 'created_at', 'mapping_version', ...STATE_COLUMNS],
      rows: traces.map(({ id, traceId, createdAt, state }) => {
        const values = valuesOf(state)
        return [workspaceId, id, traceId, createdAt, MAPPING_VERSION, ...STATE_COLUMNS.map((column) => values[column])]
      }),
    },
    ['id'],
  )
}

export async function updateTrace(tx: Queries, workspaceId: string, { id, state }: KnownTrace): Promise<void> {
  await tx
    .updateTable('traces')
    .set(valuesOf(state))
    .where('workspace_id', '=', workspaceId)
    .where('id', '=', id)
    .execute()
}
