import { badRequest } from '../base/errors.ts'
import { JsonText } from '../base/json.ts'
import { JSONL } from '../datasets/files/import-items.ts'
import { CSV } from '../datasets/imports/read-import-file.ts'
import { readNames } from '../http/query-parameters.ts'
import { ok, route, streamed } from '../http/route.ts'
import { ErrorBody, Timestamp } from '../http/schemas.ts'
import type { Queries } from '../storage/db.ts'
import { readTraceFilter } from '../traces/trace-filter.ts'
import { countTraces, listTraces, planSearch, searchedSinceOf } from '../traces/trace-list-queries.ts'
import { TraceParams } from '../traces/trace-schemas.ts'
import { toTraceSummary } from '../traces/trace-summary.ts'
import { exportedTraces, planExport } from './export-traces.ts'
import {
  DEFAULT_FIELDS,
  FacetGroups,
  FacetGroupsQuery,
  FacetsQuery,
  FacetValues,
  SUGGESTED_FIELDS,
} from './facet-value-schemas.ts'
import { readFacetGroups, readFacetValues } from './read-facet-values.ts'
import { readSeries } from './read-series.ts'
import { readTraceLinks } from './read-trace-links.ts'
import { readTraceRows } from './read-trace-rows.ts'
import { SERIES_GROUPS, SeriesQuery, TraceSeries } from './series-schemas.ts'
import { TraceLinks } from './trace-link-schemas.ts'
import { TraceExportQuery, TraceListOrRows, TraceRowsQuery } from './trace-row-schemas.ts'

const tag = 'Traces'
const reading = { auth: 'key-or-session', workspace: 'header', role: 'viewer' } as const

const SEARCHED_SINCE = {
  description: 'Of a list without rows: the `searchedSince` of rows; absent if all traces were searched',
  schema: Timestamp,
}

export const getTraces = route({
  method: 'GET',
  path: '/traces',
  access: reading,
  summary:
    'List traces, newest first, with filters and search; as rows with more fields if include, sort or cursor is given',
  tag,
  query: TraceRowsQuery,
  paged: true,
  headers: { 'X-Searched-Since': SEARCHED_SINCE },
  responses: { 200: TraceListOrRows },
  isCancellable: true,
  handle: async ({ db, clock, principal, query, page, signal }) => {
    const { workspaceId } = principal
    const { include, sort, cursor, ...parameters } = query
    const filter = readTraceFilter(parameters, clock.now())
    if (include !== undefined || sort !== undefined || cursor !== undefined) {
      if (page.offset > 0)
        throw badRequest('The query parameter offset cannot be combined with include, sort or cursor')
      return ok(await readTraceRows({ db, signal }, principal, { filter, limit: page.limit, include, sort, cursor }))
    }
    const find = async (q: Queries) => {
      const search = await planSearch(q, workspaceId, filter)
      const rows = await listTraces(q, { workspaceId, filter: search.filter, ...page }, search.plan)
      const isAll = page.offset === 0 && rows.length < page.limit
      const { total } = await countTraces(q, workspaceId, search, isAll ? rows.length : undefined)
      const data = JSON.stringify(rows.map(toTraceSummary))
      const body = new JsonText(`{"data":${data},"total":${total},"traces":${data}}`)
      const since = searchedSinceOf(search)
      const headers = since === null ? {} : { 'x-searched-since': since }
      return { ...ok(body), headers, extent: { count: rows.length, total } }
    }
    // A search may read many rows, while plain filters use an index and are fast.
    return find(filter.condition ? db.search({ application: workspaceId, signal, from: 'request' }) : db.read)
  },
})

const getTraceSeries = route({
  method: 'GET',
  path: '/traces/series',
  access: reading,
  summary: 'Get numbers, errors, durations, tokens and costs of traces over time',
  tag,
  query: SeriesQuery,
  responses: { 200: TraceSeries },
  isCancellable: true,
  handle: async ({ db, clock, principal, query, signal }) => {
    const { from, to, bucket, group_by, ...parameters } = query
    const filter = readTraceFilter(parameters, clock.now())
    const groupBy = readGroup(group_by)
    return ok(await readSeries({ db, clock, signal }, principal.workspaceId, { filter, from, to, bucket, groupBy }))
  },
})

const getTraceFacets = route({
  method: 'GET',
  path: '/traces/facets',
  access: reading,
  summary: 'List values of a field of the query language, with numbers of traces',
  tag,
  query: FacetsQuery,
  responses: { 200: FacetValues },
  isCancellable: true,
  handle: async ({ db, clock, principal, query, signal }) => {
    const { field, prefix = '', ...parameters } = query
    if (!isStorable(prefix))
      throw badRequest(
        'The query parameter prefix has characters that cannot be stored (U+0000 or half of a surrogate pair)',
      )
    const filter = readTraceFilter(parameters, clock.now())
    return ok(await readFacetValues({ db, signal }, principal.workspaceId, { field, prefix, filter }))
  },
})

const getTraceFacetGroups = route({
  method: 'GET',
  path: '/traces/facet-groups',
  access: reading,
  summary: 'List the most frequent values of several fields of the query language, with numbers of traces',
  tag,
  query: FacetGroupsQuery,
  responses: { 200: FacetGroups },
  isCancellable: true,
  handle: async ({ db, clock, principal, query, signal }) => {
    const { fields = DEFAULT_FIELDS.join(','), ...parameters } = query
    const filter = readTraceFilter(parameters, clock.now())
    const names = readNames('fields', fields, SUGGESTED_FIELDS)
    return ok(await readFacetGroups({ db, signal }, principal.workspaceId, { fields: names, filter }))
  },
})

export const getTracesExport = route({
  method: 'GET',
  path: '/traces/export',
  access: reading,
  summary: 'Export all traces that match, newest first, as a file with one row per trace',
  tag,
  query: TraceExportQuery,
  responses: { 200: null, 409: ErrorBody },
  streams: [JSONL, CSV],
  handle: async ({ db, clock, principal, query }) => {
    const { format = 'jsonl', ...parameters } = query
    const filter = readTraceFilter(parameters, clock.now())
    const bulk = db.bulk({ application: principal.workspaceId, from: 'request' })
    const plan = await planExport(bulk, principal, filter)
    const mediaType = format === 'csv' ? `${CSV}; charset=utf-8; header=present` : `${JSONL}; charset=utf-8`
    return streamed(mediaType, exportedTraces(bulk, principal, { filter, plan, format }), {
      'content-disposition': `attachment; filename="traces.${format}"`,
    })
  },
})

export const traceChartRoutes = [getTraceFacets, getTraceFacetGroups, getTraceSeries]

export const getTraceLinks = route({
  method: 'GET',
  path: '/traces/:traceId/links',
  access: reading,
  summary: 'List the runs, the dataset items and the scores of a trace, newest first',
  tag,
  params: TraceParams,
  responses: { 200: TraceLinks },
  handle: async ({ db, principal, params }) => ok(await readTraceLinks(db.read, principal, params.traceId)),
})

function isStorable(text: string): boolean {
  return text.isWellFormed() && !text.includes('\0')
}

function readGroup(text: string | undefined): (typeof SERIES_GROUPS)[number] | undefined {
  const group = SERIES_GROUPS.find((name) => name === text)
  if (text !== undefined && group === undefined)
    throw badRequest(`The query parameter group_by must be one of ${SERIES_GROUPS.join(', ')}`)
  return group
}
