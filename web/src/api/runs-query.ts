import { apiQuery } from './api-query.ts'
import type { RunKey } from './queue-query.ts'

export function runQuery({ applicationId, ...path }: RunKey) {
  return apiQuery('/components/{componentId}/runs/{runId}', { applicationId, params: { path } })
}

export function datasetQuery({
  applicationId,
  ...path
}: {
  applicationId: string
  componentId: string
  datasetId: string
}) {
  return apiQuery('/components/{componentId}/datasets/{datasetId}', { applicationId, params: { path } })
}
