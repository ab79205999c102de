import { keepPreviousData } from '@tanstack/react-query'
import { apiQuery, listQuery } from './api-query.ts'

export interface TraceKey {
  applicationId: string
  traceId: string
}

/** A trace without its spans: they are read by the outline and one by one. */
export function traceQuery({ applicationId, traceId }: TraceKey) {
  return apiQuery('/traces/{traceId}', { applicationId, params: { path: { traceId }, query: { spans: 'none' } } })
}

export function outlineQuery({ applicationId, traceId }: TraceKey) {
  return apiQuery('/traces/{traceId}/outline', { applicationId, params: { path: { traceId } } })
}

/** How the tokens of a trace divide. */
export function tokensQuery({ applicationId, traceId }: TraceKey) {
  return apiQuery('/traces/{traceId}/tokens', { applicationId, params: { path: { traceId } } })
}

/** Content that was stored does not change, but spans of a running program may still arrive. */
export function spanQuery({ applicationId, traceId }: TraceKey, spanId: string) {
  return {
    ...apiQuery('/traces/{traceId}/spans/{spanId}', { applicationId, params: { path: { traceId, spanId } } }),
    // The former span stays until the next one is there, so that moving through the tree does not flicker.
    placeholderData: keepPreviousData,
  }
}

export function spanSearchQuery({ applicationId, traceId }: TraceKey, text: string) {
  return {
    ...apiQuery('/traces/{traceId}/search', { applicationId, params: { path: { traceId }, query: { q: text } } }),
    enabled: text !== '',
  }
}

/** Runs, dataset items and scores of a trace. */
export const TRACE_LINKS = '/traces/{traceId}/links'

export function traceLinksQuery({ applicationId, traceId }: TraceKey) {
  return apiQuery(TRACE_LINKS, { applicationId, params: { path: { traceId } } })
}

export function mappingQuery({ applicationId, traceId }: TraceKey) {
  return listQuery('/traces/{traceId}/mapping', { applicationId, params: { path: { traceId } } })
}
