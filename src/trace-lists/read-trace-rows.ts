/**
 * Rows of traces for tables: a page of ids in the requested order first, then what each row shows. The parts that cost more than the rows
 * are read only on request.
 */

import { listBlindRuns, listBlindTraces } from '../annotations/blind-annotation-queries.ts'
import { listRatingsForReader } from '../annotations/trace-rating-queries.ts'
import { JsonText } from '../base/json.ts'
import type { Principal } from '../base/principal.ts'
import { readNames } from '../http/query-parameters.ts'
import type { Context } from '../http/route.ts'
import { meanOf } from '../statistics/sums.ts'
import type { Queries } from '../storage/db.ts'
import { type ModelSummary, summarizeModels } from '../traces/list-fields.ts'
import { plainFilter } from '../traces/query/plain-filter.ts'
import { tracesByStart } from '../traces/start-order-queries.ts'
import { readPrompts } from '../traces/storing/trace-prompts.ts'
import type { TraceFilter } from '../traces/trace-filter.ts'
import {
  countTraces,
  listTraceIds,
  planSearch,
  type SearchPlan,
  searchedSinceOf,
  tracesReadMax,
  walkOf,
} from '../traces/trace-list-queries.ts'
import { toTraceSummary } from '../traces/trace-summary.ts'
import { readSort, startPositionOf, type TraceOrder, type TracePosition, traceCursor } from './trace-cursor.ts'
import { readPreviewsJson } from './trace-previews.ts'
import {
  findNewestTraceId,
  listKeySpans,
  listModels,
  listNewestScores,
  listSortedTraces,
  listStartPositions,
  listTraceDetails,
  type StoredScore,
  type TraceDetails,
} from './trace-row-queries.ts'
import { ROW_PARTS } from './trace-row-schemas.ts'

type RowPart = (typeof ROW_PARTS)[number]

export type RowsRequest = {
  filter: TraceFilter
  limit: number
  include?: string | undefined
  sort?: string | undefined
  cursor?: string | undefined
}

/** Returns the response as JSON. */
export async function readTraceRows(
  { db, signal }: Pick<Context, 'db' | 'signal'>,
  by: Principal,
  { filter, limit, include, sort, cursor }: RowsRequest,
): Promise<JsonText> {
  const { workspaceId } = by
  const parts = new Set(include ? readNames('include', include, ROW_PARTS) : [])
  const order = readSort(sort)
  const after = traceCursor.read(cursor, order.name)
  // A search, or a list sorted by a value, may read many rows, while plain filters use an index and are fast.
  const isSlow = filter.condition !== undefined || !(order.field === 'time' || order.field === 'arrival')
  const q = isSlow ? db.search({ application: workspaceId, signal, from: 'request' }) : db.read
  const search = await planSearch(q, workspaceId, filter)
  const { plan } = search
  const found = await listPositions(q, { workspaceId, filter: search.filter, order, after, limit: limit + 1 }, plan)
  // Counting again could compare as many spans as the search did.
  const isAll = after === undefined && found.length <= limit
  const { total, isExact } = await countTraces(q, workspaceId, search, isAll ? found.length : undefined)
  const shown = found.slice(0, limit)
  const last = shown.at(-1)
  const ids = shown.map(({ id }) => id)
  const rows = await writeRows(db.read, by, ids, parts)
  const rest = {
    nextCursor: last && found.length > limit ? traceCursor.write(last, order.name) : null,
    total,
    totalIsExact: isExact,
    sortIsComplete: order.field === 'time' || order.field === 'arrival' || (isExact && total <= tracesReadMax(plan)),
    searchedSince: searchedSinceOf(search),
  }
  return new JsonText(`{"data":[${rows.join(',')}],${JSON.stringify(rest).slice(1)}`)
}

type PositionsRequest = {
  workspaceId: string
  filter: TraceFilter
  order: TraceOrder
  after: TracePosition | undefined
  limit: number
}

async function listPositions(q: Queries, request: PositionsRequest, plan: SearchPlan): Promise<TracePosition[]> {
  const { workspaceId, filter, order, after, limit } = request
  const { direction, field } = order
  if (field === 'time') {
    const start = { common: plan.common, direction, after: after && startPositionOf(after) }
    const traces = await tracesByStart(q, workspaceId, plainFilter(filter), start)
    return listStartPositions(traces, limit)
  }
  if (field !== 'arrival') {
    const newestId = after?.newestId ?? (await findNewestTraceId(q, workspaceId))
    // Without traces there is no newest one, and nothing to list.
    if (newestId === undefined) return []
    const walk = await walkOf(q, workspaceId, filter)
    const sorted = await listSortedTraces(q, { ...request, order: { ...order, field }, newestId }, { ...plan, walk })
    return sorted.map(({ id, value }) => ({ id, value: value === null ? null : Number(value), newestId }))
  }
  const ids = { direction, ...(after && (direction === 'asc' ? { after: after.id } : { before: after.id })) }
  const rows = await listTraceIds(q, { workspaceId, filter, limit, offset: 0 }, { ...plan, ids })
  // In order of arrival, traces that arrive later never move the others.
  return rows.map(({ id }) => ({ id, value: null, newestId: id }))
}

/** As JSON, in the order of the ids. A trace that was deleted meanwhile is missing. */
export async function writeRows(q: Queries, by: Principal, ids: readonly string[], parts: Set<RowPart>) {
  const { workspaceId } = by
  const found = new Map((await listTraceDetails(q, workspaceId, ids)).map((trace) => [trace.id, trace]))
  const traces = ids.flatMap((id) => found.get(id) ?? [])
  const traceIds = traces.map(({ traceId }) => traceId)
  const models = await readModels(q, workspaceId, traces)
  const previews = parts.has('previews') ? await readPreviewsJson(q, workspaceId, traces) : undefined
  const ratings = parts.has('ratings') ? await readRatings(q, by, traces) : undefined
  const scores = parts.has('scores') ? newestScores(await listNewestScores(q, workspaceId, traceIds)) : undefined
  return traces.map((trace) =>
    writeTraceRow(trace, {
      models: models.get(trace.id),
      preview: previews && (previews.get(trace.id) ?? 'null'),
      ratings: ratings && ratingsOf(ratings.get(trace.traceId)),
      scores: scores && (scores.get(trace.traceId) ?? []),
    }),
  )
}

async function readRatings(q: Queries, { workspaceId, userId }: Principal, traces: readonly TraceDetails[]) {
  const reader = { workspaceId, readerId: userId }
  const blindRuns = await listBlindRuns(q, reader)
  const traceIds = traces.map(({ traceId }) => traceId)
  const blindTraces = await listBlindTraces(q, { ...reader, blindRuns }, traceIds)
  return listRatingsForReader(q, { ...reader, blindRuns, blindTraces }, traces)
}

function ratingsOf(byUser: ReadonlyMap<string, string> = new Map()) {
  return [...byUser].map(([userId, rating]) => ({ userId, rating }))
}

/** For each trace and evaluator, the newest evaluation with the mean of its repetitions. Expects the newest evaluation first. */
function newestScores(stored: readonly StoredScore[]) {
  const byTrace = Map.groupBy(stored, ({ traceId }) => traceId)
  return new Map([...byTrace].map(([traceId, ofTrace]) => [traceId, newestOfEvaluators(ofTrace)]))
}

function newestOfEvaluators(stored: readonly StoredScore[]) {
  const byEvaluator = Map.groupBy(stored, ({ evaluator }) => evaluator)
  return [...byEvaluator.entries()]
    .toSorted(([a], [b]) => (a < b ? -1 : 1))
    .map(([evaluator, scores]) => {
      const evaluationId = scores[0]?.evaluationId ?? ''
      const newest = scores.filter((score) => score.evaluationId === evaluationId)
      return {
        evaluationId,
        evaluator,
        score: meanOf(newest.flatMap(({ score }) => score ?? [])),
        label: commonValue(newest.map(({ label }) => label)),
        passed: toBoolean(commonValue(newest.map(({ passed }) => passed))),
        repetitions: newest.length,
      }
    })
}

/** Null if the repetitions differ. */
function commonValue<Value>(values: readonly (Value | null)[]): Value | null {
  const [first = null, ...others] = new Set(values)
  return others.length > 0 ? null : first
}

function toBoolean(passed: number | null): boolean | null {
  return passed === null ? null : passed === 1
}

/** The number of spans that are read for one page. Few pages have more, but a single trace may. */
const SPANS_READ_MAX = 20_000

type TraceModels = ModelSummary & { hasAllModels: boolean }

/**
 * The models of traces and the basis of their costs, for traces that are not stored with them. Beyond the limit of spans, only the first
 * and the last model call are read.
 */
async function readModels(
  q: Queries,
  workspaceId: string,
  traces: readonly TraceDetails[],
): Promise<Map<string, TraceModels>> {
  let spansLeft = SPANS_READ_MAX
  const unknown = traces.filter(({ modelSummary }) => modelSummary === null)
  const { whole = [], large = [] } = Object.groupBy(unknown, ({ spanCount }) => {
    spansLeft -= spanCount
    return spansLeft >= 0 ? 'whole' : 'large'
  })
  const all = Map.groupBy(await listModels(q, workspaceId, idsOf(whole)), ({ traceDbId }) => traceDbId)
  const some = Map.groupBy(await listKeySpans(q, workspaceId, idsOf(large)), ({ traceDbId }) => traceDbId)
  const models = new Map<string, TraceModels>()
  for (const id of idsOf(whole)) models.set(id, { ...summarizeModels(all.get(id) ?? []), hasAllModels: true })
  for (const id of idsOf(large)) models.set(id, { ...summarizeModels(some.get(id) ?? []), hasAllModels: false })
  return models
}

function idsOf(traces: readonly TraceDetails[]): string[] {
  return traces.map(({ id }) => id)
}

type RowParts = {
  /** For a trace that is stored without its models. */
  models: (ModelSummary & { hasAllModels: boolean }) | undefined
  /** As JSON. Undefined parts were not requested. */
  preview: string | undefined
  ratings: readonly unknown[] | undefined
  scores: readonly unknown[] | undefined
}

/** Writes a row as JSON. Tags, models and previews are stored as JSON, and parsing them only to write them again costs more than the rest. */
function writeTraceRow(trace: TraceDetails, { models, preview, ratings, scores }: RowParts): string {
  const { createdAt, sessionId, userId, service, environment, tags, spanCount, errorCount, modelSummary } = trace
  const columns = JSON.stringify({
    ...toTraceSummary(trace),
    createdAt,
    sessionId,
    userId,
    service,
    environment,
    source: trace.source ?? 'production',
    prompts: readPrompts(trace.prompts),
  })
  const ofModels = models ? membersOf(JSON.stringify(models)) : `${membersOf(modelSummary ?? '{}')},"hasAllModels":true`
  return (
    `${columns.slice(0, -1)},"tags":${tags},"spanCount":${spanCount},"errorCount":${errorCount},${ofModels}` +
    (preview === undefined ? '' : `,"preview":${preview}`) +
    (ratings === undefined ? '' : `,"ratings":${JSON.stringify(ratings)}`) +
    (scores === undefined ? '}' : `,"scores":${JSON.stringify(scores)}}`)
  )
}

/** The members of a JSON object, without its braces. */
function membersOf(json: string): string {
  return json.slice(1, -1)
}
