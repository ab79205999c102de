import { infiniteQueryOptions, keepPreviousData } from '@tanstack/react-query'
import { api, dataOf, inApplication } from './api-client.ts'
import { apiKey, apiQuery } from './api-query.ts'
import type { TraceRow, TraceRowList } from './generated/api.ts'

export const TRACES_PER_PAGE = 50

const FIRST_PAGE: { cursor?: string } = {}

export interface TraceFilter {
  q: string | undefined
  from: string | undefined
  to: string | undefined
}

export type TraceListSort =
  | 'time'
  | '-time'
  | 'arrival'
  | '-arrival'
  | 'duration'
  | '-duration'
  | 'cost'
  | '-cost'
  | 'tokens'
  | '-tokens'

/** Rows for a table, page by page. */
export function traceRowsQuery(applicationId: string, filter: TraceFilter, sort: TraceListSort) {
  return infiniteQueryOptions({
    queryKey: [...apiKey('/traces', applicationId), 'rows', filter, sort],
    queryFn: async ({ pageParam, signal }) => {
      const newestId = pageParam.cursor === undefined ? readNewestId(applicationId, signal) : undefined
      const query = { ...listFilter(filter), sort, limit: TRACES_PER_PAGE, ...pageParam }
      const [list, newest] = await Promise.all([readRows(applicationId, query, signal), newestId])
      return { ...list, newestId: newest }
    },
    initialPageParam: FIRST_PAGE,
    getNextPageParam: ({ nextCursor }): { cursor?: string } | undefined =>
      nextCursor === null ? undefined : { cursor: nextCursor },
    // The former rows stay while a query is typed.
    placeholderData: keepPreviousData,
    // New traces would move the row under the pointer; the user asks for them.
    refetchOnWindowFocus: false,
    refetchOnReconnect: false,
    select: ({ pages }) => ({
      rows: pages.flatMap(({ data }) => data),
      /** Of the application, when the list was loaded: traces with a larger id have arrived since. */
      newestId: pages[0]?.newestId ?? '',
      total: pages[0]?.total ?? 0,
      isTotalExact: pages[0]?.totalIsExact ?? true,
      searchedSince: pages[0]?.searchedSince ?? null,
      isSortComplete: pages.every(({ sortIsComplete }) => sortIsComplete),
    }),
  })
}

/** The newest traces of the filter, to see whether others have arrived. */
export function newestTracesQuery(applicationId: string, filter: TraceFilter) {
  return {
    queryKey: [...apiKey('/traces', applicationId), 'newest', filter],
    queryFn: async ({ signal }: { signal: AbortSignal }): Promise<TraceRow[]> => {
      const query = { ...listFilter(filter), sort: '-arrival', limit: TRACES_PER_PAGE }
      const page = await readRows(applicationId, query, signal, '')
      return page.data
    },
  }
}

/** Ids increase with the time of arrival. A list by another order need not contain the trace that arrived last. */
async function readNewestId(applicationId: string, signal: AbortSignal): Promise<string> {
  const { data } = await readRows(applicationId, { sort: '-arrival', limit: 1 }, signal, '')
  return data[0]?.id ?? ''
}

/** How many traces match a query. */
export function matchCountQuery(applicationId: string, q: string) {
  return {
    queryKey: [...apiKey('/traces', applicationId), 'count', q],
    queryFn: async ({ signal }: { signal: AbortSignal }) => {
      const { total, totalIsExact } = await readRows(applicationId, { q, limit: 1 }, signal, '')
      return { total, isExact: totalIsExact }
    },
  }
}

/** Of the same time range as the list: without a start, from the first trace on. */
export function traceSeriesQuery(applicationId: string, { q, from, to }: TraceFilter) {
  return {
    ...apiQuery('/traces/series', {
      applicationId,
      params: { query: { ...(q && { q }), from: from ?? 'first', ...(to && { to }) } },
    }),
    placeholderData: keepPreviousData,
  }
}

/** The file as a whole, with all traces that match. */
export async function exportTraces(applicationId: string, filter: TraceFilter, format: 'csv' | 'jsonl') {
  const params = { query: { format, ...listFilter(filter) } }
  const { data } = await api.GET('/traces/export', { ...inApplication(applicationId), params, parseAs: 'blob' })
  return data
}

export async function deleteTraces(applicationId: string, ids: string[]) {
  return dataOf(api.POST('/traces/bulk-delete', { ...inApplication(applicationId), body: { ids } }))
}

/** As the parameters of the list and of what is counted for it. */
export function listFilter({ q, from, to }: Partial<TraceFilter>) {
  return { ...(q && { q }), ...(from && { start_after: from }), ...(to && { start_before: to }) }
}

async function readRows(
  applicationId: string,
  query: object,
  signal: AbortSignal,
  include = 'previews,ratings,scores',
): Promise<TraceRowList> {
  const params = { query: { ...query, include } }
  const list = await dataOf(api.GET('/traces', { ...inApplication(applicationId), params, signal }))
  // `include` makes the response a list of rows.
  return list as TraceRowList
}
