import { apiQuery } from './api-query.ts'

export interface RunKey {
  applicationId: string
  componentId: string
  runId: string
}

export interface DatasetKey {
  applicationId: string
  componentId: string
  datasetId: string
}

// The ids are named one by one: others, such as all parameters of a page, would make another key of the cache.

export function runQuery({ applicationId, componentId, runId }: RunKey) {
  const params = { path: { componentId, runId } }
  return apiQuery('/components/{componentId}/runs/{runId}', { applicationId, params })
}

export function annotationPolicyQuery({ applicationId, componentId, runId }: RunKey) {
  const params = { path: { componentId, runId } }
  return apiQuery('/components/{componentId}/runs/{runId}/annotation-policy', { applicationId, params })
}

export function datasetQuery({ applicationId, componentId, datasetId }: DatasetKey) {
  const params = { path: { componentId, datasetId } }
  return apiQuery('/components/{componentId}/datasets/{datasetId}', { applicationId, params })
}
