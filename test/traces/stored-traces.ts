/** Traces written straight into the tables, as ingestion leaves them, and what the sums about them must be. */
import { sql } from 'kysely'
import { createdAtOf, idGenerator, NIL_ID } from '../../src/base/ids.ts'
import type { Queries } from '../../src/storage/db.ts'
import type { Storage } from '../../src/storage/storage.ts'
import { ALL_TIME } from '../../src/traces/storing/rollup-queries.ts'

export type SpanToStore = {
  spanId?: string
  parentSpanId?: string | null
  name?: string
  kind?: string
  model?: string | null
  provider?: string | null
  tokens?: { input: number; output: number } | null
  costUsd?: number | null
  costBasis?: string | null
  covered?: number
  attributes?: Record<string, unknown>
}

export type TraceToStore = {
  workspaceId: string
  /** When it arrived, and when it began. */
  atMs: number
  spans?: SpanToStore[]
  componentId?: string | null
  status?: 'ok' | 'error'
  service?: string | null
  environment?: string | null
  sessionId?: string | null
  userId?: string | null
  tags?: string[]
  isDeleted?: boolean
}

const HOUR_MS = 3_600_000
const COST_COVERED = 2
const TOKENS_COVERED = 1
const SPANS_PER_INSERT = 200

let made = 0

/** Returns our id of the trace. */
export async function storeTrace(storage: Storage, trace: TraceToStore): Promise<string> {
  const spans = (trace.spans ?? [{}]).map(completed)
  const id = idGenerator({ now: () => trace.atMs })()
  await storage.transaction(async (tx) => {
    await insertTrace(tx, id, trace, spans)
    for (let start = 0; start < spans.length; start += SPANS_PER_INSERT) {
      await tx
        .insertInto('spans')
        .values(spans.slice(start, start + SPANS_PER_INSERT).map((span) => spanRow(span, id, trace)))
        .execute()
    }
    await insertFacetRows(tx, id, trace, spans)
    if (!trace.isDeleted) await addToRollup(tx, trace, spans)
  })
  return id
}

type CompleteSpan = Required<SpanToStore>

function completed(span: SpanToStore): CompleteSpan {
  made += 1
  return {
    spanId: made.toString(16).padStart(16, '0'),
    parentSpanId: null,
    name: 'chat',
    kind: 'llm',
    model: null,
    provider: null,
    tokens: null,
    costUsd: null,
    costBasis: null,
    covered: 0,
    attributes: {},
    ...span,
  }
}

function sumsOf(spans: CompleteSpan[]): { tokens: number | null; costUsd: number | null } {
  let tokens: number | null = null
  let costUsd: number | null = null
  for (const span of spans) {
    if (span.tokens && (span.covered & TOKENS_COVERED) === 0)
      tokens = (tokens ?? 0) + span.tokens.input + span.tokens.output
    if (span.costUsd !== null && (span.covered & COST_COVERED) === 0) costUsd = (costUsd ?? 0) + span.costUsd
  }
  return { tokens, costUsd }
}

async function insertTrace(tx: Queries, id: string, trace: TraceToStore, spans: CompleteSpan[]): Promise<void> {
  const { tokens, costUsd } = sumsOf(spans)
  await tx
    .insertInto('traces')
    .values({
      workspace_id: trace.workspaceId,
      id,
      trace_id: id.replaceAll('-', ''),
      name: 'chat',
      named_by: 'root',
      status: trace.status ?? 'ok',
      component_id: trace.componentId ?? null,
      service: trace.service ?? null,
      environment: trace.environment ?? null,
      session_id: trace.sessionId ?? null,
      user_id: trace.userId ?? null,
      tags: JSON.stringify(trace.tags ?? []),
      links: null,
      start_ns: BigInt(trace.atMs) * 1_000_000n,
      end_ns: null,
      span_count: spans.length,
      error_count: 0,
      total_tokens: tokens,
      cost_usd: costUsd,
      root_span_id: null,
      root_status: null,
      root_ns: null,
      first_llm_span_id: null,
      first_llm_ns: null,
      last_llm_span_id: null,
      last_llm_ns: null,
      created_at: createdAtOf(id),
      deleted_at: trace.isDeleted ? createdAtOf(id) : null,
    })
    .execute()
}

function spanRow(span: CompleteSpan, traceDbId: string, { workspaceId, atMs }: TraceToStore) {
  return {
    workspace_id: workspaceId,
    trace_id: traceDbId,
    span_id: span.spanId,
    parent_span_id: span.parentSpanId,
    name: span.name,
    sent_name: null,
    kind: span.kind,
    otel_kind: 3,
    start_ns: BigInt(atMs) * 1_000_000n,
    end_ns: null,
    status: 'ok',
    status_message: null,
    model: span.model,
    provider: span.provider,
    input_tokens: span.tokens?.input ?? null,
    output_tokens: span.tokens?.output ?? null,
    total_tokens: span.tokens ? span.tokens.input + span.tokens.output : null,
    cost_usd: span.costUsd,
    cost_basis: span.costBasis,
    input: null,
    input_from: null,
    output: null,
    output_from: null,
    attributes: JSON.stringify(span.attributes),
    events: null,
    links: null,
    notes: null,
    resource_scope: 'origin',
    covered_usage: span.covered,
    is_orphan: 0,
  }
}

async function insertFacetRows(
  tx: Queries,
  traceDbId: string,
  trace: TraceToStore,
  spans: CompleteSpan[],
): Promise<void> {
  const pairs: [string, string | null | undefined][] = [
    ...spans.flatMap(({ kind, name, model, provider }): [string, string | null][] => [
      ['kind', kind],
      ['name', name],
      ['model', model],
      ['provider', provider],
    ]),
    ['service', trace.service],
    ['environment', trace.environment],
    ['session', trace.sessionId],
    ['user', trace.userId],
    ...(trace.tags ?? []).map((tag): [string, string] => ['tag', tag]),
  ]
  for (const [facet, value] of pairs) {
    if (value === null || value === undefined) continue
    await tx
      .insertInto('trace_facets')
      .values({ workspace_id: trace.workspaceId, facet, value: value.slice(0, 300), trace_id: traceDbId })
      .onConflict((own) => own.doNothing())
      .execute()
  }
}

async function addToRollup(tx: Queries, trace: TraceToStore, spans: CompleteSpan[]): Promise<void> {
  const { tokens, costUsd } = sumsOf(spans)
  const row = {
    workspace_id: trace.workspaceId,
    component_id: trace.componentId ?? NIL_ID,
    status: trace.status ?? 'ok',
    service: trace.service ?? '',
    environment: trace.environment ?? '',
    traces: 1,
    tokens: tokens ?? 0,
    cost_usd: costUsd ?? 0,
  }
  await tx
    .insertInto('trace_rollups')
    .values([
      { ...row, hour: Math.floor(trace.atMs / HOUR_MS) },
      { ...row, hour: ALL_TIME },
    ])
    .onConflict((own) =>
      own.columns(['workspace_id', 'hour', 'component_id', 'status', 'service', 'environment']).doUpdateSet({
        traces: sql<number>`trace_rollups.traces + excluded.traces`,
        tokens: sql<number>`trace_rollups.tokens + excluded.tokens`,
        cost_usd: sql<number>`trace_rollups.cost_usd + excluded.cost_usd`,
      }),
    )
    .execute()
}

export type Rollup = { key: string; traces: number; tokens: number; costUsd: number }

/** The sums that are kept, without those of nothing. */
export async function readRollups(storage: Storage, workspaceId: string): Promise<Rollup[]> {
  const rows = await storage.read
    .selectFrom('trace_rollups')
    .selectAll()
    .where('workspace_id', '=', workspaceId)
    .where('traces', '<>', 0)
    .execute()
  return rows
    .map(({ hour, component_id, status, service, environment, traces, tokens, cost_usd }) => ({
      key: JSON.stringify([hour, component_id, status, service, environment]),
      traces,
      tokens,
      costUsd: rounded(cost_usd),
    }))
    .sort(byKey)
}

/** The same sums, counted from the traces that are there. */
export async function countRollups(storage: Storage, workspaceId: string): Promise<Rollup[]> {
  const rows = await storage.read
    .selectFrom('traces')
    .selectAll()
    .where('workspace_id', '=', workspaceId)
    .where('deleted_at', 'is', null)
    .execute()
  const sums = new Map<string, Rollup>()
  for (const row of rows) {
    const { component_id, status, service, environment } = row
    for (const hour of [Math.floor(Number(row.start_ns) / 3.6e12), ALL_TIME]) {
      const key = JSON.stringify([hour, component_id ?? NIL_ID, status, service ?? '', environment ?? ''])
      const sum = sums.get(key) ?? { key, traces: 0, tokens: 0, costUsd: 0 }
      sum.traces += 1
      sum.tokens += row.total_tokens ?? 0
      sum.costUsd += row.cost_usd ?? 0
      sums.set(key, sum)
    }
  }
  return [...sums.values()].map((sum) => ({ ...sum, costUsd: rounded(sum.costUsd) })).sort(byKey)
}

/** Each trace is in two sums; this leaves the one that does not go by the hour. */
export function ofAllTime(rollups: readonly Rollup[]): Rollup[] {
  return rollups.filter(({ key }) => key.startsWith(`[${ALL_TIME},`))
}

function byKey(a: Rollup, b: Rollup): number {
  return a.key < b.key ? -1 : 1
}

/** Sums of fractions depend on the order in which they are added, in insignificant digits. */
function rounded(costUsd: number): number {
  return Number(costUsd.toFixed(9))
}
