import { keepPreviousData } from '@tanstack/react-query'
import { apiQuery } from './api-query.ts'
import type { operations } from './generated/api.ts'
import { listFilter, type TraceFilter } from './trace-list-query.ts'

export type FacetField = operations['getTracesFacets']['parameters']['query']['field']

export interface FacetRequest {
  field: FacetField
  prefix: string
  /** Counts only traces that match it. */
  q: string | undefined
  /** Counts only traces that started between these times. */
  from?: string | undefined
  to?: string | undefined
}

/** Values of a field of the query language, the most frequent first. */
export function facetsQuery(applicationId: string, { field, prefix, ...filter }: FacetRequest) {
  return {
    ...apiQuery('/traces/facets', {
      applicationId,
      params: { query: { field, ...(prefix && { prefix }), ...listFilter(filter) } },
    }),
    staleTime: 60_000,
  }
}

/** The most frequent values of the fields that a list is filtered by, or of one of them. */
export function facetGroupsQuery(applicationId: string, filter: TraceFilter, field?: FacetField) {
  const query = { ...(field && { fields: field }), ...listFilter(filter) }
  return {
    ...apiQuery('/traces/facet-groups', { applicationId, params: { query } }),
    placeholderData: keepPreviousData,
    staleTime: 60_000,
  }
}
