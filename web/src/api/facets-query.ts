import { apiQuery } from './api-query.ts'
import type { operations } from './generated/api.ts'

export type FacetField = operations['getTracesFacets']['parameters']['query']['field']

export interface FacetRequest {
  field: FacetField
  prefix: string
  /** Counts only traces that match it. */
  q: string | undefined
}

/** Values of a field of the query language, the most frequent first. */
export function facetsQuery(applicationId: string, { field, prefix, q }: FacetRequest) {
  return {
    ...apiQuery('/traces/facets', {
      applicationId,
      params: { query: { field, ...(prefix && { prefix }), ...(q && { q }) } },
    }),
    staleTime: 60_000,
  }
}
