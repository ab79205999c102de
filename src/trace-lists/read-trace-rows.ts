/**
 * Rows of traces for tables: a page of ids in the requested order first, then what each row shows. The parts that cost more than the rows
 * are read only on request.
 */

import { listBlindRuns, listBlindTraces } from '../annotations/blind-annotation-queries.ts'
import { listRatingsForReader } from '../annotations/trace-rating-queries.ts'
import { JsonText } from '../base/json.ts'
import type { Principal } from '../base/principal.ts'
import { readNames } from '../http/query-values.ts'
import type { Context } from '../http/route.ts'
import type { Queries } from '../storage/db.ts'
import type { TraceFilter } from '../traces/trace-filter.ts'
import {
  countTraces,
  listTraceIds,
  planSearch,
  type SearchPlan,
  tracesReadMax,
  walkOf,
} from '../traces/trace-list-queries.ts'
import { newestScores } from './newest-scores.ts'
import { readSort, type TraceOrder, type TracePosition, traceCursor } from './trace-cursor.ts'
import { readModels } from './trace-models.ts'
import { readPreviewsJson } from './trace-previews.ts'
import { findNewestTraceId, listSortedTraces, listTraceDetails, type TraceDetails } from './trace-row-queries.ts'
import { ROW_PARTS } from './trace-row-schemas.ts'
import { listNewestScores } from './trace-score-queries.ts'
import { writeTraceRow } from './write-trace-row.ts'

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
  const isSlow = filter.condition !== undefined || order.field !== 'time'
  const q = isSlow ? db.search({ application: workspaceId, signal, from: 'request' }) : db.read
  const plan = await planSearch(q, workspaceId, filter)
  const found = await listPositions(q, { workspaceId, filter, order, after, limit: limit + 1 }, plan)
  const { total, isExact } = await countTraces(q, workspaceId, filter, plan)
  const shown = found.slice(0, limit)
  const last = shown.at(-1)
  const ids = shown.map(({ id }) => id)
  const rows = await writeRows(db.read, by, ids, parts)
  const rest = {
    nextCursor: last && found.length > limit ? traceCursor.write(last, order.name) : null,
    total,
    totalIsExact: isExact,
    sortIsComplete: order.field === 'time' || (isExact && total <= tracesReadMax(plan)),
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
  if (order.field !== 'time') {
    const newestId = after?.newestId ?? (await findNewestTraceId(q, workspaceId))
    // Without traces there is no newest one, and nothing to list.
    if (newestId === undefined) return []
    const walk = await walkOf(q, workspaceId, filter)
    const sorted = await listSortedTraces(q, { ...request, newestId }, { ...plan, walk })
    return sorted.map(({ id, value }) => ({ id, value: value === null ? null : Number(value), newestId }))
  }
  const { direction } = order
  const ids = { direction, ...(after && (direction === 'asc' ? { after: after.id } : { before: after.id })) }
  const rows = await listTraceIds(q, { workspaceId, filter, limit, offset: 0 }, { ...plan, ids })
  // In order of arrival, traces that arrive later never move the others.
  return rows.map(({ id }) => ({ id, value: null, newestId: id }))
}

async function writeRows(q: Queries, by: Principal, ids: readonly string[], parts: Set<RowPart>) {
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
