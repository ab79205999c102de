import { apiQuery } from './api-query.ts'
import type { OpenApi } from './openapi-document.ts'

export const openapiQuery = {
  ...apiQuery('/openapi.json', {}),
  meta: { expects401: true },
  staleTime: Number.POSITIVE_INFINITY,
  // The description says of itself only that it is an object.
  select: (document: unknown) => document as OpenApi,
}
