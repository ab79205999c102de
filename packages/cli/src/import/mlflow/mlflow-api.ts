/** Reads the REST API of an MLflow tracking server, version 3 or newer: https://mlflow.org/docs/latest/rest-api.html */

import type { SourceServer } from '../source-server.ts'
import { type Fields, fieldsOf, isFields, listOf, textOf } from '../source-values.ts'

const PER_PAGE = 100
const RECORDS_PER_PAGE = 500

export interface MlflowApi {
  experiments(): AsyncGenerator<Fields>
  runs(experimentId: string): AsyncGenerator<Fields>
  /** Pages of traces without their spans, the oldest first. */
  traces(experimentId: string, since: string | undefined): AsyncGenerator<Fields[]>
  /** Undefined if the server has lost them. */
  spans(traceId: string): Promise<Fields[] | undefined>
  /** All, or those that belong to experiments. */
  datasets(experimentIds: string[] | undefined): AsyncGenerator<Fields>
  records(datasetId: string): AsyncGenerator<Fields>
}

export function mlflowApi(server: SourceServer): MlflowApi {
  async function* search(path: string, list: string, body: Fields): AsyncGenerator<Fields[]> {
    let token: string | undefined
    do {
      const page = fieldsOf(await server.post(path, { ...body, ...(token !== undefined && { page_token: token }) }))
      yield listOf(page[list]).filter(isFields)
      token = textOf(page['next_page_token'])
    } while (token !== undefined)
  }

  return {
    experiments: () => entries(search('/api/2.0/mlflow/experiments/search', 'experiments', { max_results: PER_PAGE })),
    runs(experimentId) {
      const body = { experiment_ids: [experimentId], max_results: PER_PAGE }
      return entries(search('/api/2.0/mlflow/runs/search', 'runs', body))
    },
    traces(experimentId, since) {
      return search('/api/3.0/mlflow/traces/search', 'traces', {
        locations: [{ type: 'MLFLOW_EXPERIMENT', mlflow_experiment: { experiment_id: experimentId } }],
        max_results: PER_PAGE,
        order_by: ['timestamp_ms ASC'],
        ...(since !== undefined && { filter: `attributes.timestamp_ms >= ${Date.parse(since)}` }),
      })
    },
    // The request of MLflow's own interface: in all versions it has the spans as they were logged, wherever they are stored.
    async spans(traceId) {
      const found = await server.find('/ajax-api/2.0/mlflow/get-trace-artifact', { request_id: traceId })
      const { spans } = fieldsOf(found)
      return Array.isArray(spans) ? spans.filter(isFields) : undefined
    },
    datasets(experimentIds) {
      const body = { max_results: PER_PAGE, ...(experimentIds && { experiment_ids: experimentIds }) }
      return entries(search('/api/3.0/mlflow/datasets/search', 'datasets', body))
    },
    async *records(datasetId) {
      let token: string | undefined
      do {
        const path = `/api/3.0/mlflow/datasets/${encodeURIComponent(datasetId)}/records`
        const page = fieldsOf(await server.get(path, { max_results: RECORDS_PER_PAGE, page_token: token }))
        // The records are JSON in a text.
        yield* listOf(JSON.parse(textOf(page['records']) ?? '[]')).filter(isFields)
        token = textOf(page['next_page_token'])
      } while (token !== undefined)
    },
  }
}

async function* entries(pages: AsyncGenerator<Fields[]>): AsyncGenerator<Fields> {
  for await (const page of pages) yield* page
}
