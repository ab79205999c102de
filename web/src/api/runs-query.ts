import { infiniteQueryOptions, keepPreviousData, useQueryClient } from '@tanstack/react-query'
import { api, dataOf, inApplication } from './api-client.ts'
import { apiKey, apiQuery } from './api-query.ts'
import type { operations, RunSummary } from './generated/api.ts'
import { type RunKey, runQuery } from './run-query.ts'
import { useSubmission } from './use-submission.ts'

const PAGE_SIZE = 50
const RUN = '/components/{componentId}/runs/{runId}'
const SUMMARIES = '/components/{componentId}/run-summaries'

interface RunsOf {
  applicationId: string
  componentId: string
  datasetId?: string | undefined
}

/** The runs of a component, newest first, page by page. */
export function runSummariesQuery({ applicationId, componentId, datasetId }: RunsOf) {
  return infiniteQueryOptions({
    queryKey: [...apiKey(SUMMARIES, applicationId), componentId, { datasetId }, 'pages'],
    queryFn: ({ pageParam, signal }) => {
      const query = { limit: PAGE_SIZE, ...(datasetId && { dataset_id: datasetId }), ...pageParam }
      const params = { path: { componentId }, query }
      return dataOf(api.GET(SUMMARIES, { ...inApplication(applicationId), params, signal }))
    },
    initialPageParam: {},
    getNextPageParam: ({ nextCursor }): { cursor?: string } | undefined =>
      nextCursor === null ? undefined : { cursor: nextCursor },
    select: ({ pages }) => pages.flatMap(({ data }) => data),
  })
}

/** The numbers of one run. */
export function runSummaryQuery({ applicationId, componentId, runId }: RunKey) {
  return {
    ...apiQuery(SUMMARIES, { applicationId, params: { path: { componentId }, query: { run_id: runId } } }),
    select: ({ data }: { data: RunSummary[] }) => data[0] ?? null,
  }
}

type CasesQuery = NonNullable<operations['getComponentsByComponentIdRunsByRunIdCases']['parameters']['query']>
export type CaseFilter = NonNullable<CasesQuery['filter']>
export type CaseSort = NonNullable<CasesQuery['sort']>

export interface CaseView {
  q: string | undefined
  filter: CaseFilter | undefined
  metric: string | undefined
  sort: CaseSort | undefined
}

/** The cases of a run, page by page. */
export function runCasesQuery({ applicationId, componentId, runId }: RunKey, { q, filter, metric, sort }: CaseView) {
  const view = { ...(q && { q }), ...(filter && { filter }), ...(metric && { metric }), ...(sort && { sort }) }
  return infiniteQueryOptions({
    queryKey: [...apiKey(`${RUN}/cases`, applicationId), runId, view],
    queryFn: ({ pageParam, signal }) => {
      const params = { path: { componentId, runId }, query: { limit: PAGE_SIZE, ...view, ...pageParam } }
      return dataOf(api.GET(`${RUN}/cases`, { ...inApplication(applicationId), params, signal }))
    },
    initialPageParam: {},
    getNextPageParam: ({ nextCursor }): { cursor?: string } | undefined =>
      nextCursor === null ? undefined : { cursor: nextCursor },
    placeholderData: keepPreviousData,
    select: ({ pages }) => ({ rows: pages.flatMap(({ data }) => data), first: pages[0] }),
  })
}

type Metadata = Record<string, string | number | boolean | null>

interface NewRun {
  name: string
  datasetId: string
}

export async function createRun(applicationId: string, componentId: string, body: NewRun) {
  const params = { path: { componentId } }
  return dataOf(api.POST('/components/{componentId}/runs', { ...inApplication(applicationId), params, body }))
}

/** Null removes a field; fields that are not named stay. */
export function useChangeMetadata(key: RunKey) {
  return useRunChange(key, (metadata: Metadata) =>
    dataOf(api.PATCH(`${RUN}/metadata`, { ...inRun(key), body: { metadata } })),
  )
}

export function useRenameRun(key: RunKey) {
  return useRunChange(key, (name: string | null) => dataOf(api.PATCH(RUN, { ...inRun(key), body: { name } })))
}

/** The newest traces that match, at most `limit`. */
export function useLinkTraces(key: RunKey) {
  return useRunChange(key, (body: { q: string; limit: number }) =>
    dataOf(api.POST(`${RUN}/traces/from-query`, { ...inRun(key), body })),
  )
}

export function useRateInRun(key: RunKey) {
  const queryClient = useQueryClient()
  return useSubmission({
    mutationFn: (body: { traceDbId: string; rating: string }) =>
      dataOf(api.POST(`${RUN}/annotations`, { ...inRun(key), body })),
    onSuccess: () =>
      Promise.all([
        queryClient.invalidateQueries({ queryKey: apiKey(`${RUN}/cases`, key.applicationId) }),
        queryClient.invalidateQueries({ queryKey: apiKey(`${RUN}/agreement`, key.applicationId) }),
        queryClient.invalidateQueries({ queryKey: apiKey(SUMMARIES, key.applicationId) }),
      ]),
  })
}

export function useDeleteRun(key: RunKey) {
  const queryClient = useQueryClient()
  return useSubmission({
    mutationFn: () => dataOf(api.DELETE(RUN, inRun(key))),
    onSuccess: () => queryClient.invalidateQueries({ queryKey: apiKey(SUMMARIES, key.applicationId) }),
  })
}

function useRunChange<Input, Result>(key: RunKey, change: (input: Input) => Promise<Result>) {
  const queryClient = useQueryClient()
  return useSubmission({
    mutationFn: change,
    onSuccess: () =>
      Promise.all([
        queryClient.invalidateQueries({ queryKey: runQuery(key).queryKey }),
        queryClient.invalidateQueries({ queryKey: apiKey(SUMMARIES, key.applicationId) }),
        queryClient.invalidateQueries({ queryKey: apiKey(`${RUN}/cases`, key.applicationId) }),
      ]),
  })
}

function inRun({ applicationId, componentId, runId }: RunKey) {
  return { ...inApplication(applicationId), params: { path: { componentId, runId } } }
}
