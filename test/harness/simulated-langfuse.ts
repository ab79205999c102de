/**
 * Langfuse, which cannot be run in a test, as its API descriptions define the responses: version 3 with traces and numbered pages,
 * version 4 with observations and cursors. Both have the same project. Pages have two entries.
 */

import { type JsonRequest, type JsonServer, pageAt, startJsonServer } from './json-server.ts'
import * as project from './langfuse-project.ts'
import { findPromptVersion, promptList } from './langfuse-prompts.ts'

type Keys = { publicKey: string; secretKey: string }

/** `between` has the paths of both versions, as servers of version 3 have while version 4 is introduced. */
export function startLangfuse(version: 3 | 4 | 'between', keys: Keys): Promise<JsonServer> {
  const credentials = Buffer.from(`${keys.publicKey}:${keys.secretKey}`).toString('base64')
  const respondBetween = (request: JsonRequest) => respondV3(request) ?? respondV4(request)
  const respond = version === 3 ? respondV3 : version === 4 ? respondV4 : respondBetween
  return startJsonServer(`Basic ${credentials}`, (request) => respond(request) ?? respondEither(request))
}

function respondEither({ path, query }: JsonRequest): unknown {
  switch (path) {
    case '/api/public/v2/datasets':
      return numbered(project.datasets, query)
    case '/api/public/dataset-items':
      return numbered(
        project.items.filter(({ datasetName }) => datasetName === query.get('datasetName')),
        query,
      )
    case '/api/public/comments':
      return numbered(project.comments, query)
    case '/api/public/v2/prompts':
      return numbered(promptList(), query)
  }
  const [, name] = /^\/api\/public\/v2\/prompts\/(.+)$/.exec(path) ?? []
  if (name !== undefined) return findPromptVersion(name, Number(query.get('version')))
  return undefined
}

function respondV3({ path, query }: JsonRequest): unknown {
  if (path === '/api/public/traces') return numbered(project.traces, query)
  if (path === '/api/public/v2/scores') return numbered(project.scores.map(scoreV3), query)
  if (path === '/api/public/datasets/Empty/runs') return numbered([], query)
  if (path === '/api/public/datasets/Capitals/runs') return numbered([project.run], query)
  if (path === '/api/public/datasets/Capitals/runs/first prompt') {
    return { ...project.run, datasetRunItems: project.runItems }
  }
  const [, traceId] = /^\/api\/public\/traces\/(.+)$/.exec(path) ?? []
  const trace = project.traces.find(({ id }) => id === traceId)
  if (trace) return { ...trace, observations: observationsOf(trace.id).map(observationV3), scores: [] }
  const [, observationId] = /^\/api\/public\/observations\/(.+)$/.exec(path) ?? []
  return project.observations.find(({ id }) => id === observationId)
}

function respondV4({ path, query }: JsonRequest): unknown {
  if (path === '/api/public/v2/observations') return byCursor(askedObservations(query), query)
  if (path === '/api/public/v3/scores') return byCursor(project.scores.map(scoreV4), query)
  if (path === '/api/public/experiments') return byCursor(project.experiments, query)
  if (path !== '/api/public/experiment-items') return undefined
  const id = query.get('experimentId')
  return byCursor(
    project.experimentItems.filter(({ experimentId }) => experimentId === id),
    query,
  )
}

function askedObservations(query: URLSearchParams): unknown[] {
  const traceId = query.get('traceId')
  const [{ value = undefined } = {}] = JSON.parse(query.get('filter') ?? '[]')
  const found = project.observations.filter(
    (one) => (!traceId || one.traceId === traceId) && (!value || one.id === value),
  )
  const expanded = query.get('expandMetadata')?.split(',') ?? []
  return found.map((observation) => observationV4(observation, expanded))
}

function observationsOf(traceId: string) {
  return project.observations.filter((observation) => observation.traceId === traceId)
}

/** Servers also have the older forms of usage and cost, which are zero where nothing was reported. */
function observationV3({ model, totalCost = 0, usageDetails = {}, ...observation }: project.Observation) {
  const { input = 0, output = 0, total = 0 } = usageDetails
  return {
    ...observation,
    model: model ?? null,
    usageDetails,
    usage: { input, output, total, unit: 'TOKENS' },
    promptTokens: input,
    completionTokens: output,
    totalTokens: total,
    calculatedTotalCost: totalCost,
    costDetails: {},
  }
}

/**
 * Inputs and outputs are texts, values of metadata are cut, and the fields of the trace are on every observation. What is missing is an
 * empty text.
 */
function observationV4({ model = '', statusMessage = '', ...observation }: project.Observation, expanded: string[]) {
  const {
    id: _,
    timestamp: __,
    input: ___,
    output: ____,
    ...trace
  } = Object(project.traces.find(({ id }) => id === observation.traceId))
  const metadata = Object.entries(observation.metadata ?? {}).map(([key, value]) => [
    key,
    expanded.includes(key) ? value : value.slice(0, 200),
  ])
  return {
    ...observation,
    statusMessage,
    version: '',
    usageDetails: observation.usageDetails ?? {},
    costDetails: {},
    totalCost: observation.totalCost ?? 0,
    inputPrice: model === '' ? null : '1.5e-7',
    input: asText(observation.input),
    output: asText(observation.output),
    providedModelName: model,
    metadata: Object.fromEntries(metadata),
    traceName: trace.name,
    userId: trace.userId ?? '',
    sessionId: trace.sessionId ?? '',
    tags: trace.tags,
    isRootObservation: observation.parentObservationId === null,
  }
}

function asText(value: unknown): unknown {
  return value === null || typeof value === 'string' ? value : JSON.stringify(value)
}

function scoreV3({ subject, value, dataType, ...score }: project.Score) {
  const { kind, id, traceId } = { traceId: undefined, ...subject }
  const ids = {
    trace: { traceId: id },
    observation: { traceId, observationId: id },
    session: { sessionId: id },
    experiment: { datasetRunId: id },
  }
  const isText = typeof value === 'string'
  const number = typeof value === 'boolean' ? Number(value) : isText ? undefined : value
  return { ...score, dataType, ...ids[kind], value: number, ...(isText && { stringValue: value }) }
}

function scoreV4(score: project.Score) {
  return score
}

function numbered(list: readonly unknown[], query: URLSearchParams) {
  const page = Number(query.get('page'))
  const { entries } = pageAt(list, String((page - 1) * 2))
  return { data: entries, meta: { page, limit: 2, totalItems: list.length, totalPages: Math.ceil(list.length / 2) } }
}

function byCursor(list: readonly unknown[], query: URLSearchParams) {
  const { entries, next } = pageAt(list, query.get('cursor'))
  return { data: entries, meta: { ...(next !== null && { cursor: next }) } }
}
