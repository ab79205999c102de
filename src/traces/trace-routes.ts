import { badRequest, notFound } from '../base/errors.ts'
import { JsonText } from '../base/json.ts'
import { list, noContent, ok, route, streamed } from '../http/route.ts'
import { listOf } from '../http/schemas.ts'
import { bulkDeleteTraces, findTracesToDelete } from './bulk-delete-traces.ts'
import { deleteTrace } from './delete-trace.ts'
import { readMapping } from './read-mapping.ts'
import { readOutline } from './read-outline.ts'
import { readTokens } from './read-tokens.ts'
import { readSmallTrace, readSpan, readSpans, readTrace, readTraceHead } from './read-trace.ts'
import { searchSpans } from './search-spans.ts'
import { findTrace } from './trace-queries.ts'
import {
  BulkDeleteBody,
  BulkDeleted,
  MappingEntry,
  Span,
  SpanList,
  SpanMatches,
  SpanParams,
  SpanSearchQuery,
  STATS_DAYS_MAX,
  StatsQuery,
  Trace,
  TraceOutline,
  TraceParams,
  TraceQuery,
  TraceStats,
  TraceTokens,
} from './trace-schemas.ts'
import { readTraceStats } from './trace-stats-queries.ts'

const tag = 'Traces'
const reading = { auth: 'key-or-session', workspace: 'header', role: 'viewer' } as const
const editing = { auth: 'key-or-session', workspace: 'header', role: 'editor' } as const

const getTraceStats = route({
  method: 'GET',
  path: '/traces/stats',
  access: reading,
  summary: 'Get trace statistics of the last days',
  tag,
  query: StatsQuery,
  responses: { 200: TraceStats },
  handle: async ({ db, clock, principal, query }) =>
    ok(await readTraceStats(db.read, clock, principal.workspaceId, daysBack(query.days_back))),
})

const getTrace = route({
  method: 'GET',
  path: '/traces/:traceId',
  access: reading,
  summary: 'Get a trace with its spans, by id or by the trace id of its sender',
  tag,
  params: TraceParams,
  query: TraceQuery,
  responses: { 200: Trace },
  handle: async ({ db, principal, params, query }) => {
    const { workspaceId } = principal
    const trace = await findTrace(db.read, workspaceId, params.traceId)
    if (!trace) throw notFound('Trace')
    if (query.spans === 'none')
      return streamed('application/json; charset=utf-8', readTraceHead(db.read, workspaceId, trace))
    const small = await readSmallTrace(db.read, workspaceId, trace)
    if (small !== undefined) return ok(new JsonText(small))
    return streamed('application/json; charset=utf-8', readTrace(db.read, workspaceId, trace))
  },
})

const getTraceSpans = route({
  method: 'GET',
  path: '/traces/:traceId/spans',
  access: reading,
  summary: 'List the spans of a trace in chronological order',
  tag,
  params: TraceParams,
  paged: true,
  responses: { 200: SpanList },
  handle: async ({ db, principal, params, page }) => {
    const { workspaceId } = principal
    const trace = await findTrace(db.read, workspaceId, params.traceId)
    if (!trace) throw notFound('Trace')
    return streamed('application/json; charset=utf-8', readSpans(db.read, workspaceId, { trace, page }))
  },
})

const getTraceSpan = route({
  method: 'GET',
  path: '/traces/:traceId/spans/:spanId',
  access: reading,
  summary: 'Get a span of a trace by the span id of its sender',
  tag,
  params: SpanParams,
  responses: { 200: Span },
  handle: async ({ db, principal, params }) => {
    const { workspaceId } = principal
    const { traceId, spanId } = params
    const span = await readSpan(db.read, workspaceId, { traceRef: traceId, spanId })
    if (span !== undefined) return ok(new JsonText(span))
    throw notFound((await findTrace(db.read, workspaceId, traceId)) ? 'Span' : 'Trace')
  },
})

const getTraceOutline = route({
  method: 'GET',
  path: '/traces/:traceId/outline',
  access: reading,
  summary: 'Get all spans of a trace without their content, in chronological order',
  tag,
  params: TraceParams,
  responses: { 200: TraceOutline },
  handle: async ({ db, principal, params }) => {
    const { workspaceId } = principal
    const trace = await findTrace(db.read, workspaceId, params.traceId)
    if (!trace) throw notFound('Trace')
    const isLarge = trace.spanCount > LARGE_TRACE_SPANS
    const q = isLarge ? db.bulk({ application: workspaceId, from: 'request' }) : db.read
    return streamed('application/json; charset=utf-8', await readOutline(q, workspaceId, trace))
  },
})

/** The spans of larger traces are read in a worker, because reading them blocks for tens of milliseconds. */
const LARGE_TRACE_SPANS = 2_000

const getTraceTokens = route({
  method: 'GET',
  path: '/traces/:traceId/tokens',
  access: reading,
  summary: 'Get the tokens of a trace as input, cached input, output and reasoning',
  tag,
  params: TraceParams,
  responses: { 200: TraceTokens },
  handle: async ({ db, principal, params }) => {
    const { workspaceId } = principal
    const trace = await findTrace(db.read, workspaceId, params.traceId)
    if (!trace) throw notFound('Trace')
    const isLarge = trace.spanCount > LARGE_TRACE_SPANS
    const q = isLarge ? db.bulk({ application: workspaceId, from: 'request' }) : db.read
    return ok(await readTokens(q, workspaceId, trace))
  },
})

const getTraceSearch = route({
  method: 'GET',
  path: '/traces/:traceId/search',
  access: reading,
  summary: 'Find the spans of a trace that contain a text in their name, status message, input or output',
  tag,
  params: TraceParams,
  query: SpanSearchQuery,
  responses: { 200: SpanMatches },
  isCancellable: true,
  handle: async ({ db, principal, params, query, signal }) => {
    const { workspaceId } = principal
    const trace = await findTrace(db.read, workspaceId, params.traceId)
    if (!trace) throw notFound('Trace')
    const q = db.search({ application: workspaceId, signal, from: 'request' })
    return ok(await searchSpans(q, { workspaceId, traceDbId: trace.id, text: query.q }))
  },
})

const getTraceMapping = route({
  method: 'GET',
  path: '/traces/:traceId/mapping',
  access: reading,
  summary: 'Get the mapping of a trace: which attribute became which field, and which are unmapped',
  tag,
  params: TraceParams,
  paged: true,
  responses: { 200: listOf(MappingEntry) },
  handle: async ({ db, principal, params, page }) => {
    const trace = await findTrace(db.read, principal.workspaceId, params.traceId)
    if (!trace) throw notFound('Trace')
    return list(await readMapping(db.read, principal.workspaceId, trace, page))
  },
})

const removeTrace = route({
  method: 'DELETE',
  path: '/traces/:traceId',
  access: editing,
  summary: 'Delete a trace with its spans',
  tag,
  params: TraceParams,
  responses: { 204: null },
  handle: async ({ principal, params, ...context }) => {
    await deleteTrace(context, principal, params.traceId)
    return noContent()
  },
})

export const postTraceBulkDelete = route({
  method: 'POST',
  path: '/traces/bulk-delete',
  access: editing,
  summary: 'Delete the traces with these ids, or those that match a query',
  tag,
  body: BulkDeleteBody,
  responses: { 200: BulkDeleted },
  prepare: async ({ principal, body, ...context }) => findTracesToDelete(context, principal, body),
  handle: async ({ principal, prepared: traceIds, ...context }) =>
    ok(await bulkDeleteTraces(context, principal, traceIds)),
})

export const traceRoutes = [getTraceStats, getTrace, removeTrace]

export const traceContentRoutes = [
  getTraceMapping,
  getTraceOutline,
  getTraceTokens,
  getTraceSearch,
  getTraceSpans,
  getTraceSpan,
]

const DAYS_DEFAULT = '30'

function daysBack(text = DAYS_DEFAULT): number {
  const days = /^[1-9]\d{0,3}$/.test(text) ? Number(text) : Number.NaN
  if (!(days <= STATS_DAYS_MAX))
    throw badRequest(`The query parameter days_back must be a whole number from 1 to ${STATS_DAYS_MAX}`)
  return days
}
