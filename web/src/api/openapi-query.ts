import { queryOptions } from '@tanstack/react-query'
import { apiPaths } from '../path-builder.ts'
import { requestJson } from './api-client.ts'
import type { OpenApi } from './openapi-document.ts'

export const openapiQuery = queryOptions({
  queryKey: ['openapi'],
  queryFn: ({ signal }) => requestJson<OpenApi>({ path: apiPaths.openapi(), signal }),
  staleTime: Number.POSITIVE_INFINITY,
})
