import { type RawBuilder, sql } from 'kysely'
import type { Queries } from '../storage/db.ts'
import { inIds, jsonArrayOf, textRows } from '../storage/dialect.ts'
import { prepared, selectScoped } from '../storage/query-building.ts'
import type { TraceSelect } from '../traces/query/matching-trace-queries.ts'
import { scoredTrace, visibleScores } from '../traces/query/visible-score-queries.ts'
import { MAPPING_VERSION, PREVIEW_VERSION } from '../traces/storing/mapping-version.ts'
import type { TraceFilter } from '../traces/trace-filter.ts'
import { newestTraces, type SearchPlan, tracesReadMax } from '../traces/trace-list-queries.ts'
import { activeTraces, bytesOf, TRACE_SUMMARY_COLUMNS } from '../traces/trace-queries.ts'
import type { TraceOrder, TracePosition } from './trace-cursor.ts'

/** Undefined if the application has no traces. Includes deleted traces, which is harmless for a bound. */
export async function findNewestTraceId(q: Queries, workspaceId: string): Promise<string | undefined> {
  const newest = await selectScoped(q, 'traces', { workspace_id: workspaceId })
    .select('id')
    .orderBy('id', 'desc')
    .limit(1)
    .executeTakeFirst()
  return newest?.id
}

/** Start times as text, because no number has all digits of nanoseconds. */
export async function listStartPositions(traces: TraceSelect, limit: number): Promise<TracePosition[]> {
  const startNs = sql<string>`cast(t.start_ns as text)`
  const rows = await traces
    .select(['t.id', startNs.as('value')])
    .limit(limit)
    .execute()
  return rows.map(({ id, value }) => ({ id, value, newestId: id }))
}

type ValueOrder = TraceOrder & { field: 'duration' | 'cost' | 'tokens' }

const SORT_VALUES: Record<ValueOrder['field'], RawBuilder<number | null>> = {
  // Whole milliseconds, which a cursor can contain exactly.
  duration: sql`((t.end_ns - t.start_ns) / 1000000)`,
  cost: sql`t.cost_usd`,
  tokens: sql`t.total_tokens`,
}

type SortedPage = {
  workspaceId: string
  filter: TraceFilter
  order: ValueOrder
  newestId: string
  /** The last trace of the page before. */
  after: TracePosition | undefined
  limit: number
}

/**
 * A page of traces sorted by a value; traces with the same value are in order of their ids. There are no indexes on values, because each of
 * them would slow down the storing of spans: so only the newest matches are read and sorted.
 */
export async function listSortedTraces(
  q: Queries,
  { workspaceId, filter, order, newestId, after, limit }: SortedPage,
  plan: SearchPlan,
): Promise<{ id: string; value: number | null }[]> {
  const ids = { direction: 'desc', upTo: newestId } as const
  const newest = newestTraces(q, workspaceId, filter, { ...plan, ids })
    .select(['t.id as id', SORT_VALUES[order.field].as('value')])
    .limit(tracesReadMax(plan))
  return q
    .selectFrom(newest.as('s'))
    .selectAll()
    .$if(after !== undefined, (rows) => rows.where(({ eb }) => eb.and([comesAfter(order, after)])))
    .orderBy(sql`s.value is null`)
    .orderBy('s.value', order.direction)
    .orderBy('s.id', order.direction)
    .limit(limit)
    .execute()
}

function comesAfter({ direction }: TraceOrder, after: TracePosition | undefined): RawBuilder<boolean> {
  if (!after) return sql<boolean>`1 = 1`
  const { id, value } = after
  const beyond = sql.raw(direction === 'asc' ? '>' : '<')
  if (value === null) return sql<boolean>`(s.value is null and s.id ${beyond} ${id})`
  const number = sql`cast(${value} as double precision)`
  return sql<boolean>`(s.value ${beyond} ${number} or (s.value = ${number} and s.id ${beyond} ${id}) or s.value is null)`
}

/** Null if unknown: see `list-fields.ts`. A preview is a result of the mapping, so one of another version is ignored. */
export const LISTED_MODELS = sql<string | null>`case when t.listed_spans = t.span_count then t.model_summary end`
const LISTED_PREVIEW = sql<string | null>`case when t.listed_spans = t.span_count
  and t.mapping_version between ${sql.lit(PREVIEW_VERSION)} and ${sql.lit(MAPPING_VERSION)} then t.preview end`

/** Unordered. A trace that was deleted in the meantime is missing. */
export async function listTraceDetails(q: Queries, workspaceId: string, ids: readonly string[]) {
  return ids.length === 0 ? [] : selectDetails(q, { workspaceId, ids })
}

const selectDetails = prepared<{ workspaceId: string; ids: readonly string[] }>()((q, value) =>
  activeTraces(q)
    .select(TRACE_SUMMARY_COLUMNS)
    .select([
      't.session_id as sessionId',
      't.user_id as userId',
      't.service',
      't.environment',
      't.tags',
      't.source',
      't.prompts',
      't.span_count as spanCount',
      't.error_count as errorCount',
      't.root_span_id as rootSpanId',
      't.first_llm_span_id as firstLlmSpanId',
      't.last_llm_span_id as lastLlmSpanId',
      't.created_at as createdAt',
      LISTED_MODELS.as('modelSummary'),
      LISTED_PREVIEW.as('preview'),
    ])
    .where('t.workspace_id', '=', value('workspaceId'))
    .where(inIds(q, 't.id', value('ids'))),
)

export type TraceDetails = Awaited<ReturnType<typeof listTraceDetails>>[number]

/** The models and the bases of costs of traces, each combination once. */
export async function listModels(q: Queries, workspaceId: string, traceDbIds: readonly string[]) {
  if (traceDbIds.length === 0) return []
  return selectScoped(q, 'spans', { workspace_id: workspaceId })
    .select(['trace_id as traceDbId', 'model', 'cost_basis as costBasis'])
    .where(inIds(q, 'trace_id', traceDbIds))
    .where(({ eb, or }) => or([eb('model', 'is not', null), eb('cost_basis', 'is not', null)]))
    .groupBy(['trace_id', 'model', 'cost_basis'])
    .execute()
}

/** The root and the first and the last model call of traces, with the size of their content in bytes. */
export async function listKeySpans(q: Queries, workspaceId: string, traceDbIds: readonly string[]) {
  if (traceDbIds.length === 0) return []
  return q
    .selectFrom('traces as t')
    .crossJoin('spans as s')
    .select(['s.trace_id as traceDbId', 's.span_id as spanId', 's.model', 's.cost_basis as costBasis'])
    .select(bytesOf('s.input', 's.output').as('bytes'))
    .where('t.workspace_id', '=', workspaceId)
    .where(inIds(q, 't.id', traceDbIds))
    .where('s.workspace_id', '=', workspaceId)
    .whereRef('s.trace_id', '=', 't.id')
    .where(({ eb, ref }) =>
      eb('s.span_id', 'in', [ref('t.root_span_id'), ref('t.first_llm_span_id'), ref('t.last_llm_span_id')]),
    )
    .execute()
}

export type KeySpan = Awaited<ReturnType<typeof listKeySpans>>[number]

/** A trace may be evaluated every night; only its newest scores are read. */
const SCORES_PER_TRACE_MAX = 60

export type StoredScore = {
  traceId: string
  evaluationId: string
  evaluator: string
  score: number | null
  label: string | null
  passed: number | null
}

/** The newest visible scores of traces, by the sender's id: newest evaluation first, then in order of evaluators and repetitions. */
export async function listNewestScores(
  q: Queries,
  workspaceId: string,
  traceIds: readonly string[],
): Promise<StoredScore[]> {
  const rows = await selectScores(q, { workspaceId, traces: JSON.stringify(traceIds.map((id) => [id])) })
  return rows.flatMap(({ traceId, scores }) => (scores === null ? [] : toScores(traceId, JSON.parse(scores))))
}

/** One limit per trace: a trace with very many scores must not hide those of the others. */
const selectScores = prepared<{ workspaceId: string; traces: string }>()((q, value) => {
  const columns = COLUMNS.map((column) => sql.ref(`s.${column}`))
  const wanted = textRows(q, ['trace_id'], value('traces'))
  const query = sql<{ traceId: string; scores: string | null }>`
    select w.trace_id as "traceId", (select ${jsonArrayOf(q, columns)} from (${scoresOfWanted(value('workspaceId'))}) as s) as scores
    from ${wanted} as w`
  return { compile: () => query.compile(q) }
})

const COLUMNS = ['evaluation_id', 'evaluator', 'score', 'label', 'passed'] as const

function scoresOfWanted(workspaceId: string) {
  return visibleScores(workspaceId)
    .select(COLUMNS.map((column) => `x.${column}` as const))
    .where(scoredTrace, '=', sql.ref<string>('w.trace_id'))
    .orderBy('x.evaluation_id', 'desc')
    .orderBy('x.evaluator')
    .orderBy('x.repetition')
    .limit(SCORES_PER_TRACE_MAX)
}

type ScoreValues = [string, string, number | null, string | null, number | null]

function toScores(traceId: string, stored: ScoreValues[]): StoredScore[] {
  return stored.map(([evaluationId, evaluator, score, label, passed]) => ({
    traceId,
    evaluationId,
    evaluator,
    score,
    label,
    passed,
  }))
}
