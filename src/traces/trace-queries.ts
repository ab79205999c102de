import { type JoinBuilder, sql } from 'kysely'
import { isUuid } from '../base/ids.ts'
import type { Page } from '../base/page.ts'
import type { Queries } from '../storage/db.ts'
import { inList, lockForShare } from '../storage/dialect.ts'
import { type Placeholder, prepared, selectScoped } from '../storage/query-building.ts'
import type { Tables } from '../storage/tables.ts'

/** Queries join the component explicitly: a deleted component is not shown, though the trace may still name it. */
export const TRACE_SUMMARY_COLUMNS = [
  't.id',
  't.trace_id as traceId',
  't.name',
  't.status',
  'c.id as aiComponentId',
  'c.name as componentName',
  't.total_tokens as totalTokens',
  't.cost_usd as costUsd',
  sql<number>`t.start_ns / 1000000`.as('startMs'),
  sql<number | null>`t.end_ns / 1000000`.as('endMs'),
  sql<number | null>`t.end_ns - t.start_ns`.as('durationNs'),
] as const

const DETAIL_COLUMNS = [
  ...TRACE_SUMMARY_COLUMNS,
  't.session_id as sessionId',
  't.user_id as userId',
  't.tags',
  't.span_count as spanCount',
  't.root_span_id as rootSpanId',
  't.first_llm_span_id as firstLlmSpanId',
  't.last_llm_span_id as lastLlmSpanId',
  't.created_at as createdAt',
] as const

/** Traces that have not been deleted, joined with their active component. */
export function activeTraces(q: Queries) {
  return q.selectFrom('traces as t').leftJoin('components as c', onActiveComponent).where('t.deleted_at', 'is', null)
}

type WithComponents = { t: Tables['traces']; c: Tables['components'] }

/** Joins the component `c` of a trace `t`, unless it was deleted. */
export function onActiveComponent<Joined extends WithComponents>(join: JoinBuilder<Joined, 't' | 'c'>) {
  return join
    .onRef('c.workspace_id', '=', 't.workspace_id')
    .onRef('c.id', '=', 't.component_id')
    .on('c.deleted_at', 'is', null)
}

/** Finds a trace by our id or by that of the sender. 32 hex digits are compared case-insensitively, other names exactly. */
export async function findTrace(q: Queries, workspaceId: string, ref: string) {
  // No stored name has this character, and not every database accepts it in a query.
  if (ref.includes('\0')) return undefined
  const [own] = isUuid(ref) ? await selectById(q, { workspaceId, id: ref.toLowerCase() }) : []
  if (own) return own
  const [found] = await selectByTraceId(q, { workspaceId, traceId: canonicalTraceId(ref) })
  return found
}

function canonicalTraceId(ref: string): string {
  return /^[0-9a-f]{32}$/i.test(ref) ? ref.toLowerCase() : ref
}

const selectById = prepared<{ workspaceId: string; id: string }>()((q, value) =>
  activeTraces(q)
    .select(DETAIL_COLUMNS)
    .where('t.workspace_id', '=', value('workspaceId'))
    .where('t.id', '=', value('id')),
)

const selectByTraceId = prepared<{ workspaceId: string; traceId: string }>()((q, value) =>
  activeTraces(q)
    .select(DETAIL_COLUMNS)
    .where('t.workspace_id', '=', value('workspaceId'))
    .where('t.trace_id', '=', value('traceId')),
)

/** The same, locked until the transaction ends, for callers that add rows to the trace. */
export async function lockTrace(tx: Queries, workspaceId: string, ref: string) {
  const trace = await findTrace(tx, workspaceId, ref)
  if (!trace) return undefined
  const query = selectScoped(tx, 'traces', { workspace_id: workspaceId, id: trace.id, deleted_at: null }).select('id')
  return (await lockForShare(tx, query).executeTakeFirst()) ? trace : undefined
}

export type TraceRow = NonNullable<Awaited<ReturnType<typeof findTrace>>>

type OfTrace = { workspaceId: string; traceDbId: string }

/**
 * The ids of the spans of a trace in order of time. The spans are read in small portions, so that a large trace does not block other
 * requests.
 */
export async function listSpanIds(q: Queries, ofTrace: OfTrace): Promise<string[]> {
  const rows = await inOrderOfTime(q, ofTrace).select('span_id').execute()
  return rows.map(({ span_id }) => span_id)
}

const CONTENT_COLUMNS = ['input', 'output', 'attributes', 'events', 'links'] as const

/** As `listSpanIds`, with the size of each span in bytes, which the database knows without reading the content. */
export async function listSpanSizes(
  q: Queries,
  ofTrace: OfTrace,
  { limit, offset }: Page,
): Promise<{ id: string; bytes: number }[]> {
  return inOrderOfTime(q, ofTrace)
    .select(['span_id as id', bytesOf(...CONTENT_COLUMNS).as('bytes')])
    .limit(limit)
    .offset(offset)
    .execute()
}

/**
 * The spans of a trace in order of time, without their content. `offsetNs` is relative to the whole millisecond in which the trace started,
 * because a number cannot contain nanoseconds since 1970.
 */
export async function listOutline(q: Queries, ofTrace: OfTrace & { startMs: number; limit: number }) {
  return inOrderOfTime(q, ofTrace)
    .select([
      'span_id as spanId',
      'parent_span_id as parentSpanId',
      'kind',
      'name',
      'status',
      'total_tokens as totalTokens',
      'cost_usd as costUsd',
      sql<number>`start_ns - ${BigInt(ofTrace.startMs) * 1_000_000n}`.as('offsetNs'),
      sql<number | null>`end_ns - start_ns`.as('durationNs'),
    ])
    .limit(ofTrace.limit)
    .execute()
}

/** The top span while no root has arrived: the earliest whose parent is not stored. */
export async function findTopmostSpanId(q: Queries, ofTrace: OfTrace): Promise<string | null> {
  const row = await spansOf(q, ofTrace)
    .select('span_id')
    .where('is_orphan', '=', 1)
    .orderBy('start_ns')
    .orderBy('span_id')
    .limit(1)
    .executeTakeFirst()
  return row?.span_id ?? null
}

/** The total size of text columns in bytes. Null counts as 0. */
export function bytesOf(...columns: string[]) {
  const lengths = columns.map((column) => sql`coalesce(octet_length(${sql.ref(column)}), 0)`)
  return sql<number>`${sql.join(lengths, sql` + `)}`
}

function inOrderOfTime(q: Queries, ofTrace: OfTrace) {
  return spansOf(q, ofTrace).orderBy('start_ns').orderBy('position')
}

function spansOf(q: Queries, { workspaceId, traceDbId }: OfTrace) {
  return q.selectFrom('spans').where('workspace_id', '=', workspaceId).where('trace_id', '=', traceDbId)
}

/** The span that started first; of several, the one with the smallest id, regardless of the order of arrival. */
export async function findFirstSpan(q: Queries, ofTrace: OfTrace): Promise<SpanRow | undefined> {
  const first = await selectScoped(q, 'spans', { workspace_id: ofTrace.workspaceId, trace_id: ofTrace.traceDbId })
    .select('span_id')
    .orderBy('start_ns')
    .orderBy('span_id')
    .limit(1)
    .executeTakeFirst()
  return first && findSpan(q, ofTrace, first.span_id)
}

/** All columns of a span as it was sent, under our names; without times, because callers need different units. */
export const SPAN_SELECTION = [
  'span_id as spanId',
  'parent_span_id as parentSpanId',
  'name',
  'sent_name as sentName',
  'kind',
  'status',
  'status_message as statusMessage',
  'sent_status as sentStatus',
  'sent_status_message as sentStatusMessage',
  'model',
  'provider',
  'input_tokens as inputTokens',
  'output_tokens as outputTokens',
  'total_tokens as totalTokens',
  'cost_usd as costUsd',
  'cost_basis as costBasis',
  'input',
  'input_from as inputFrom',
  'output',
  'output_from as outputFrom',
  'attributes',
  'events',
  'links',
  'notes',
  'resource_scope',
] as const

/** Complete spans, unordered. */
export async function listSpans(q: Queries, { workspaceId, traceDbId }: OfTrace, spanIds: readonly string[]) {
  return completeSpans(q)
    .where('workspace_id', '=', workspaceId)
    .where('trace_id', '=', traceDbId)
    .where(inList(q, 'span_id', spanIds))
    .execute()
}

function completeSpans(q: Queries) {
  return q.selectFrom('spans as s').select(SPAN_SELECTION).select(SPAN_TIMES)
}

const SPAN_TIMES = [
  sql<number>`s.start_ns / 1000000`.as('startMs'),
  sql<number | null>`s.end_ns / 1000000`.as('endMs'),
  sql<number | null>`s.end_ns - s.start_ns`.as('durationNs'),
] as const

/** All spans of a trace in order of time, complete; none if they have more than `bytesMax` bytes. */
export function listSmallTrace(q: Queries, wanted: OfTrace & { bytesMax: number }): Promise<SpanRow[]> {
  return selectSmallTrace(q, wanted)
}

const selectSmallTrace = prepared<OfTrace & { bytesMax: number }>()((q, value) => {
  const ofTrace = { workspaceId: value('workspaceId'), traceDbId: value('traceDbId') }
  const size = spansOf(q, ofTrace).select(sql<number>`sum(${bytesOf(...CONTENT_COLUMNS)})`.as('bytes'))
  return completeSpans(q)
    .where('workspace_id', '=', ofTrace.workspaceId)
    .where('trace_id', '=', ofTrace.traceDbId)
    .where(size, '<=', value('bytesMax'))
    .orderBy('start_ns')
    .orderBy('position')
})

/** A span by the references of its trace and by its own id, complete, with the ids of its trace. */
export async function findSpanOfTrace(
  q: Queries,
  workspaceId: string,
  { traceRef, spanId }: { traceRef: string; spanId: string },
) {
  // No stored name has this character, and not every database accepts it in a query.
  if (traceRef.includes('\0') || spanId.includes('\0')) return undefined
  // A UUID may be our id of one trace and the sender's id of another, so only `findTrace` decides which trace it names.
  const trace = isUuid(traceRef) ? await findTrace(q, workspaceId, traceRef) : undefined
  const [span] = trace
    ? await selectSpanById(q, { workspaceId, id: trace.id, spanId })
    : await selectSpanByTraceId(q, { workspaceId, traceId: canonicalTraceId(traceRef), spanId })
  return span
}

type SpanOfTrace = { workspaceId: string; spanId: string }

const selectSpanById = prepared<SpanOfTrace & { id: string }>()((q, value) =>
  spansWithTraces(q, value).where('t.id', '=', value('id')),
)

const selectSpanByTraceId = prepared<SpanOfTrace & { traceId: string }>()((q, value) =>
  spansWithTraces(q, value).where('t.trace_id', '=', value('traceId')),
)

function spansWithTraces(q: Queries, value: Placeholder<SpanOfTrace>) {
  return q
    .selectFrom('traces as t')
    .innerJoin('spans as s', (join) =>
      join.onRef('s.workspace_id', '=', 't.workspace_id').onRef('s.trace_id', '=', 't.id'),
    )
    .select(['t.id as traceDbId', 't.trace_id as traceId', 't.created_at as traceCreatedAt'])
    .select(SPAN_SELECTION.map((column) => `s.${column}` as const))
    .select(SPAN_TIMES)
    .where('t.workspace_id', '=', value('workspaceId'))
    .where('t.deleted_at', 'is', null)
    .where('s.span_id', '=', value('spanId'))
}

async function findSpan(q: Queries, ofTrace: OfTrace, spanId: string): Promise<SpanRow | undefined> {
  const [span] = await selectSpan(q, { ...ofTrace, spanId })
  return span
}

const selectSpan = prepared<OfTrace & { spanId: string }>()((q, value) =>
  completeSpans(q)
    .where('workspace_id', '=', value('workspaceId'))
    .where('trace_id', '=', value('traceDbId'))
    .where('span_id', '=', value('spanId')),
)

export type SpanRow = Awaited<ReturnType<typeof listSpans>>[number]

/** The content of a span; undefined if it is larger than `bytesMax`. */
export async function findSpanTexts(q: Queries, wanted: OfTrace & { spanId: string; bytesMax: number }) {
  const [texts] = await selectSpanTexts(q, wanted)
  return texts
}

const selectSpanTexts = prepared<OfTrace & { spanId: string; bytesMax: number }>()((q, value) =>
  selectScoped(q, 'spans', {
    workspace_id: value('workspaceId'),
    trace_id: value('traceDbId'),
    span_id: value('spanId'),
  })
    .select(['kind', 'input', 'output'])
    .where(bytesOf('input', 'output'), '<=', value('bytesMax')),
)

export async function listResourceScopes(q: Queries, workspaceId: string, hashes: readonly string[]) {
  return selectScoped(q, 'resource_scopes', { workspace_id: workspaceId })
    .select(['hash', 'resource', 'scope'])
    .where(inList(q, 'hash', hashes))
    .execute()
}

/** Maps the trace ids of senders to ours. */
export async function findTraceIds(
  q: Queries,
  workspaceId: string,
  traceIds: readonly string[],
): Promise<Map<string, string>> {
  const rows = await selectScoped(q, 'traces', { workspace_id: workspaceId })
    .select(['id', 'trace_id'])
    .where(inList(q, 'trace_id', [...new Set(traceIds)]))
    .where('deleted_at', 'is', null)
    .execute()
  return new Map(rows.map(({ id, trace_id }) => [trace_id, id]))
}

/** The traces with these sender ids, each with the content of its root, which is null until the root has arrived. */
export async function listRoots(q: Queries, workspaceId: string, traceIds: string[]) {
  return tracesWithRoots(q, workspaceId, traceIds)
    .select([
      't.id',
      't.trace_id as traceId',
      't.root_span_id as rootSpanId',
      't.first_llm_span_id as firstLlmSpanId',
      't.last_llm_span_id as lastLlmSpanId',
      'root.kind',
      'root.input',
      'root.output',
    ])
    .execute()
}

/** The traces with these sender ids, as `t`, each joined with its root if that has arrived. */
export function tracesWithRoots(q: Queries, workspaceId: string, traceIds: readonly string[]) {
  return q
    .selectFrom('traces as t')
    .leftJoin('spans as root', (join) =>
      join
        .onRef('root.workspace_id', '=', 't.workspace_id')
        .onRef('root.trace_id', '=', 't.id')
        .onRef('root.span_id', '=', 't.root_span_id'),
    )
    .where('t.workspace_id', '=', workspaceId)
    .where(inList(q, 't.trace_id', traceIds))
    .where('t.deleted_at', 'is', null)
}

export async function hasSpan(q: Queries, ofTrace: OfTrace, spanId: string): Promise<boolean> {
  return (await spansOf(q, ofTrace).select('span_id').where('span_id', '=', spanId).executeTakeFirst()) !== undefined
}
