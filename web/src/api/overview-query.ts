import { infiniteQueryOptions, keepPreviousData, useQueryClient } from '@tanstack/react-query'
import { api, dataOf, inApplication } from './api-client.ts'
import { apiKey, apiQuery } from './api-query.ts'
import { useSubmission } from './use-submission.ts'

/** How far back the numbers of traces go. */
export const periods = ['24h', '7d', '30d'] as const

export type Period = (typeof periods)[number]

export function componentSummariesQuery(applicationId: string, period: Period) {
  return infiniteQueryOptions({
    queryKey: [...apiKey('/component-summaries', applicationId), period],
    queryFn: ({ pageParam, signal }) => {
      const params = { query: { from: `-${period}`, ...pageParam } }
      return dataOf(api.GET('/component-summaries', { ...inApplication(applicationId), params, signal }))
    },
    initialPageParam: {},
    getNextPageParam: ({ nextCursor }): { cursor?: string } | undefined =>
      nextCursor === null ? undefined : { cursor: nextCursor },
    placeholderData: keepPreviousData,
    select: ({ pages }) => pages.flatMap(({ data }) => data),
  })
}

export function componentOverviewQuery(applicationId: string, componentId: string, period: Period) {
  return {
    ...apiQuery('/components/{componentId}/overview', {
      applicationId,
      params: { path: { componentId }, query: { from: `-${period}` } },
    }),
    placeholderData: keepPreviousData,
  }
}

/** Without the items: a verdict needs the metrics only. */
export function verdictQuery(
  applicationId: string,
  componentId: string,
  { baseline, candidate }: { baseline: string; candidate: string },
) {
  return apiQuery('/components/{componentId}/comparisons', {
    applicationId,
    params: { path: { componentId }, query: { baseline, candidate, limit: 1 } },
  })
}

export interface NewEvaluation {
  datasetId: string
  runId: string
  config?: Record<string, unknown>
}

/** What an evaluation would do and cost. Nothing is stored. */
export function estimateQuery(applicationId: string, componentId: string, body: NewEvaluation) {
  return {
    queryKey: [...apiKey('/components/{componentId}/evaluations', applicationId), 'estimate', componentId, body],
    queryFn: async ({ signal }: { signal: AbortSignal }) => {
      const params = { path: { componentId }, query: { dry_run: true } }
      const estimate = await dataOf(
        api.POST('/components/{componentId}/evaluations', { ...inApplication(applicationId), params, body, signal }),
      )
      // With dry_run, the response is an estimate.
      return 'summary' in estimate ? estimate : undefined
    },
  }
}

export function useStartEvaluation(applicationId: string, componentId: string) {
  const queryClient = useQueryClient()
  return useSubmission({
    mutationFn: (body: NewEvaluation) => {
      const params = { path: { componentId } }
      return dataOf(
        api.POST('/components/{componentId}/evaluations', { ...inApplication(applicationId), params, body }),
      )
    },
    onSuccess: () =>
      Promise.all([
        queryClient.invalidateQueries({ queryKey: apiKey('/components/{componentId}/overview', applicationId) }),
        queryClient.invalidateQueries({ queryKey: apiKey('/components/{componentId}/evaluations', applicationId) }),
      ]),
  })
}
