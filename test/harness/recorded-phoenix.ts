/** Phoenix as it responded when it was recorded, version 20.26, with pages of two entries. */
import recorded from '../cli-client/recorded/phoenix.json' with { type: 'json' }
import { type JsonRequest, type JsonServer, pageAt, startJsonServer } from './json-server.ts'

export function startRecordedPhoenix(key: string): Promise<JsonServer> {
  return startJsonServer(`Bearer ${key}`, respond)
}

type Entries = Record<string, readonly Record<string, unknown>[]>

const examples: Entries = recorded.examples
const experiments: Entries = recorded.experiments
const experimentRuns: Entries = recorded.experimentRuns
const traces: Entries = recorded.traces
const spans: Entries = recorded.spans
const annotations: Record<string, Entries> = {
  span: recorded.spanAnnotations,
  trace: recorded.traceAnnotations,
  session: recorded.sessionAnnotations,
}
const sessions: Entries = recorded.sessions

function respond({ path, query }: JsonRequest): unknown {
  const list = (entries: readonly unknown[] = []) => {
    const { entries: data, next } = pageAt(entries, query.get('cursor'))
    return { data, next_cursor: next }
  }
  if (path === '/v1/projects') return list(recorded.projects)
  if (path === '/v1/datasets') return list(recorded.datasets)
  if (path === '/v1/prompts') return list(recorded.prompts)
  const [, project = ''] = /^\/v1\/projects\/([^/]+)$/.exec(path) ?? []
  if (project) return traces[project] && { data: { name: project } }
  const [, kind, id = '', what = ''] = /^\/v1\/(datasets|experiments|projects)\/([^/]+)\/(\w+)$/.exec(path) ?? []
  if (kind === 'datasets' && what === 'examples') return examples[id] && { data: { examples: examples[id] } }
  if (kind === 'datasets' && what === 'experiments') return experiments[id] && list(experiments[id])
  if (kind === 'experiments' && what === 'json') return experimentRuns[id]
  if (kind !== 'projects') return undefined
  if (what === 'traces') return traces[id] && list(traces[id])
  if (what === 'spans')
    return spans[id] && list(spans[id].filter((span) => isRequested(query, 'trace_id', traceOf(span))))
  if (what === 'sessions') return list(sessions[id])
  const [, subject = ''] = /^(span|trace|session)_annotations$/.exec(what) ?? []
  const found = annotations[subject]?.[id] ?? []
  return subject && list(found.filter((entry) => isRequested(query, `${subject}_ids`, entry[`${subject}_id`])))
}

function traceOf({ context }: Record<string, unknown>): unknown {
  return Object(context).trace_id
}

function isRequested(query: URLSearchParams, name: string, id: unknown): boolean {
  return query.getAll(name).includes(String(id))
}
