import { infiniteQueryOptions, keepPreviousData } from '@tanstack/react-query'
import { api, dataOf, inApplication } from './api-client.ts'
import { apiKey, apiQuery } from './api-query.ts'
import type { SplitName } from './comparison-query.ts'

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
  runs: { baseline: string; candidate: string; split?: SplitName },
) {
  return apiQuery('/components/{componentId}/comparisons', {
    applicationId,
    params: { path: { componentId }, query: { ...runs, limit: 1 } },
  })
}
