import { api, dataOf, inApplication } from './api-client.ts'
import { apiQuery } from './api-query.ts'
import type { QueueBatch } from './generated/api.ts'
import type { RunKey } from './run-query.ts'

interface BatchRequest {
  limit: number
  /** A trace to return first, if the user can rate it. */
  first?: string | undefined
  order: ChosenOrder
}

/** Undefined: the random order of the server. */
export type ChosenOrder = 'information' | undefined

/** The next traces for the user to rate, with their texts. They are reserved if the run limits its annotators. */
export async function fetchBatch(run: RunKey, { limit, first, order }: BatchRequest): Promise<QueueBatch> {
  const body = { limit, include: ['texts' as const], ...(first !== undefined && { first }) }
  const { params, headers } = atRun(run)
  const at = { headers, params: { ...params, ...(order && { query: { order } }) } }
  const queue = await dataOf(api.POST('/components/{componentId}/runs/{runId}/queue/next', { ...at, body }))
  if (!('items' in queue)) throw new Error('A request with a body gets a batch')
  return queue
}

/** The traces that the user has annotated, newest first. */
export async function fetchOwnAnnotations(run: RunKey, page: { limit: number; offset: number }) {
  const { params, headers } = atRun(run)
  const query = { mine: true, include: 'trace' as const, ...page }
  const { data } = await dataOf(
    api.GET('/components/{componentId}/runs/{runId}/annotations', { headers, params: { ...params, query } }),
  )
  return data.flatMap((annotation) => ('trace' in annotation ? [annotation] : []))
}

/** Also works while the page is closing. */
export function releaseTraces(run: RunKey, traceIds: string[]): Promise<unknown> {
  const options = { ...atRun(run), body: { traceIds }, keepalive: true }
  return api.POST('/components/{componentId}/runs/{runId}/queue/release', options)
}

/** The corrected output of an annotation of the user. */
export function correctedOutputQuery({ applicationId, ...run }: RunKey, annotationId: string) {
  return apiQuery('/components/{componentId}/runs/{runId}/annotations/{annotationId}/corrected-output', {
    applicationId,
    params: { path: { ...run, annotationId } },
  })
}

/** The options of a request at a path of a run. */
export function atRun({ applicationId, ...path }: RunKey) {
  return { ...inApplication(applicationId), params: { path } }
}
