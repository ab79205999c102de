import { infiniteQueryOptions } from '@tanstack/react-query'
import { api, dataOf, inApplication } from './api-client.ts'
import { apiKey } from './api-query.ts'

const PATH = '/components/{componentId}/dataset-summaries'

export function datasetSummariesQuery(applicationId: string, componentId: string) {
  return infiniteQueryOptions({
    queryKey: [...apiKey(PATH, applicationId), componentId],
    queryFn: ({ pageParam, signal }) => {
      const params = { path: { componentId }, query: pageParam }
      return dataOf(api.GET(PATH, { ...inApplication(applicationId), params, signal }))
    },
    initialPageParam: {},
    getNextPageParam: ({ nextCursor }): { cursor?: string } | undefined =>
      nextCursor === null ? undefined : { cursor: nextCursor },
    select: ({ pages }) => pages.flatMap(({ data }) => data),
  })
}
