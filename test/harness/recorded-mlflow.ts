/** An MLflow tracking server as it responded when it was recorded, version 3.17, with pages of two entries. */
import recorded from '../cli-client/recorded/mlflow.json' with { type: 'json' }
import { type JsonRequest, type JsonServer, pageAt, startJsonServer } from './json-server.ts'

export function startRecordedMlflow(authorization: string): Promise<JsonServer> {
  return startJsonServer(authorization, respond)
}

type Entries = Record<string, readonly Record<string, unknown>[]>

const runs: Entries = recorded.runs
const traces: Entries = recorded.traces
const spans: Entries = recorded.spans
const records: Entries = recorded.records

function respond({ path, query, body }: JsonRequest): unknown {
  const list = (name: string, all: readonly unknown[] = []) => {
    const { entries, next } = pageAt(all, textOf(body['page_token']))
    return { [name]: entries, ...(next !== null && { next_page_token: next }) }
  }
  switch (path) {
    case '/api/2.0/mlflow/experiments/search':
      return list('experiments', recorded.experiments)
    case '/api/2.0/mlflow/runs/search':
      return list('runs', runs[String(Object(body['experiment_ids'])[0])])
    case '/api/3.0/mlflow/traces/search':
      return list('traces', traces[experimentOf(body)])
    case '/api/3.0/mlflow/datasets/search':
      return list('datasets', recorded.datasets)
    case '/ajax-api/2.0/mlflow/get-trace-artifact':
      return spans[query.get('request_id') ?? ''] && { spans: spans[query.get('request_id') ?? ''] }
  }
  const [, dataset = ''] = /^\/api\/3\.0\/mlflow\/datasets\/([^/]+)\/records$/.exec(path) ?? []
  const found = records[dataset]
  if (!found) return undefined
  const { entries, next } = pageAt(found, query.get('page_token'))
  return { records: JSON.stringify(entries), ...(next !== null && { next_page_token: next }) }
}

function experimentOf({ locations }: Record<string, unknown>): string {
  return String(Object(locations)[0]?.mlflow_experiment?.experiment_id)
}

function textOf(value: unknown): string | undefined {
  return typeof value === 'string' ? value : undefined
}
