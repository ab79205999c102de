import {
  type InfiniteData,
  infiniteQueryOptions,
  queryOptions,
  useMutation,
  useQueryClient,
} from '@tanstack/react-query'
import { api, dataOf, inApplication } from './api-client.ts'
import { apiKey, apiQuery } from './api-query.ts'
import type { CountedAgreement, Disagreements, Resolution, TraceRow, TraceRowList } from './generated/api.ts'
import type { DatasetKey, RunKey } from './run-query.ts'

const RUN_AGREEMENT = '/components/{componentId}/runs/{runId}/agreement'
const DISAGREEMENTS = '/components/{componentId}/runs/{runId}/disagreements'
const RESOLUTION = '/components/{componentId}/runs/{runId}/disagreements/{traceId}/resolution'
const PAGE_SIZE = 50
/** The query language allows so many terms. */
const IDS_PER_QUERY = 50

const include = 'pair_summaries,rating_counts'

// `include` makes the responses counted agreements.
const select = (agreement: unknown) => agreement as CountedAgreement

export function runAgreementQuery({ applicationId, componentId, runId }: RunKey) {
  const read = { applicationId, params: { path: { componentId, runId }, query: { include } } }
  return { ...apiQuery(RUN_AGREEMENT, read), select }
}

export function datasetAgreementQuery({ applicationId, componentId, datasetId }: DatasetKey) {
  const read = { applicationId, params: { path: { componentId, datasetId }, query: { include } } }
  return { ...apiQuery('/components/{componentId}/datasets/{datasetId}/agreement', read), select }
}

/** Selects what two raters disagree on. `ratings` selects exactly these two. */
export interface RaterFilter {
  raters: readonly [string, string] | undefined
  ratings: readonly [string, string] | undefined
}

export type DisagreementState = 'open' | 'resolved' | 'all'

/** The disagreements of a run page by page, the widest first. The counts are those of the whole run. */
export function disagreementsQuery(key: RunKey, filter: RaterFilter, state: DisagreementState) {
  const { applicationId, componentId, runId } = key
  const path = { componentId, runId }
  const query = {
    limit: PAGE_SIZE,
    ...(state !== 'all' && { resolved: state === 'resolved' }),
    ...(filter.raters && { rater_a: filter.raters[0], rater_b: filter.raters[1] }),
    ...(filter.raters && filter.ratings && { rating_a: filter.ratings[0], rating_b: filter.ratings[1] }),
  }
  return infiniteQueryOptions({
    queryKey: [...disagreementsKey(key), filter, state],
    queryFn: ({ pageParam, signal }) => {
      const params = { path, query: { ...query, ...pageParam } }
      return dataOf(api.GET(DISAGREEMENTS, { ...inApplication(applicationId), params, signal }))
    },
    initialPageParam: {},
    getNextPageParam: ({ nextCursor }): { cursor?: string } | undefined =>
      nextCursor === null ? undefined : { cursor: nextCursor },
    select: ({ pages }) => ({
      rows: pages.flatMap(({ data }) => data),
      total: pages[0]?.total ?? 0,
      open: pages[0]?.open ?? 0,
      resolved: pages[0]?.resolved ?? 0,
      steps: pages[0]?.steps ?? [],
    }),
  })
}

interface ResolutionChange {
  traceId: string
  /** Null opens the disagreement again. */
  change: { rating: string; note: string | null } | null
}

/** Not a submission: the key of the next disagreement may be pressed while the last one is being saved. */
export function useResolve(key: RunKey) {
  const queryClient = useQueryClient()
  const { applicationId, componentId, runId } = key
  return useMutation({
    mutationFn: async ({ traceId, change }: ResolutionChange): Promise<Resolution | null> => {
      const request = { ...inApplication(applicationId), params: { path: { componentId, runId, traceId } } }
      if (change) return dataOf(api.PUT(RESOLUTION, { ...request, body: change }))
      await dataOf(api.DELETE(RESOLUTION, request))
      return null
    },
    onSuccess: (resolution, { traceId }) => {
      // The rows stay where they are, also if the list shows only open disagreements: nothing moves while it is read.
      queryClient.setQueriesData<InfiniteData<Disagreements>>(
        { queryKey: disagreementsKey(key) },
        (list) => list && { ...list, pages: withResolution(list.pages, traceId, resolution) },
      )
      // Judges are compared with resolutions.
      void queryClient.invalidateQueries({ queryKey: apiKey(RUN_AGREEMENT, applicationId) })
    },
  })
}

/** Traces with the beginnings of their texts by id. Those that have not arrived, or were deleted, are missing. */
export function tracePreviewsQuery(applicationId: string, ids: string[]) {
  return queryOptions({
    queryKey: [...apiKey('/traces', applicationId), 'previews', ids],
    queryFn: async ({ signal }) => {
      const found = new Map<string, TraceRow>()
      for (let at = 0; at < ids.length; at += IDS_PER_QUERY) {
        const terms = ids.slice(at, at + IDS_PER_QUERY).map((id) => `id:"${id}"`)
        const query = { q: terms.join(' OR '), include: 'previews', limit: IDS_PER_QUERY }
        const list = await dataOf(api.GET('/traces', { ...inApplication(applicationId), params: { query }, signal }))
        // `include` makes the response a list of rows.
        for (const row of (list as TraceRowList).data) {
          found.set(row.id, row)
        }
      }
      return found
    },
  })
}

function disagreementsKey({ applicationId, runId }: RunKey) {
  return [...apiKey(DISAGREEMENTS, applicationId), runId]
}

function withResolution(pages: Disagreements[], traceId: string, resolution: Resolution | null): Disagreements[] {
  const former = pages.flatMap(({ data }) => data).find(({ traceDbId }) => traceDbId === traceId)?.resolution ?? null
  const change = Number(resolution !== null) - Number(former !== null)
  return pages.map((page) => ({
    ...page,
    open: page.open - change,
    resolved: page.resolved + change,
    data: page.data.map((row) => (row.traceDbId === traceId ? { ...row, resolution } : row)),
  }))
}
