/** Imports from the server of Arize Phoenix: datasets, experiments with their traces and scores, traces of projects, annotations. */
import { CliError } from '../../cli-error.ts'
import { EXIT } from '../../exit-code-values.ts'
import { distinctNames } from '../distinct-names.ts'
import type { ImportedScore, ImportRecord, RunCase } from '../import-record.ts'
import type { ImportFlags, ImportSource } from '../run-import.ts'
import { runMetadata } from '../run-metadata.ts'
import { openSourceServer } from '../source-server.ts'
import { type Fields, fieldsOf, isFields, listOf, textOf } from '../source-values.ts'
import {
  PHOENIX,
  phoenixComment,
  phoenixItem,
  phoenixScore,
  phoenixTrace,
  traceIdOfRun,
  traceOfRun,
} from './map-phoenix.ts'
import { type PhoenixApi, phoenixApi } from './phoenix-api.ts'

export interface PhoenixFlags extends ImportFlags {
  /** With one of these, only what they name is imported. */
  project?: string
  dataset?: string
  since?: string
}

export const phoenixSource: ImportSource<PhoenixFlags> = {
  name: 'phoenix',
  async *read({ context, flags, args: [url] }) {
    const key = context.env['PHOENIX_API_KEY']
    if (key) context.terminal.hide(key)
    const authorization = key ? `Bearer ${key}` : undefined
    const server = openSourceServer(context, { name: PHOENIX, url, authorization, keyHint: 'Set PHOENIX_API_KEY.' })
    const api = phoenixApi(server)
    const isLimited = flags.project !== undefined || flags.dataset !== undefined
    const projects = await choose(api, { path: '/v1/projects', what: 'project', wanted: flags.project, isLimited })
    const datasets = await choose(api, { path: '/v1/datasets', what: 'dataset', wanted: flags.dataset, isLimited })
    for (const dataset of datasets) yield* readDataset(api, dataset)
    for (const { name } of projects) {
      yield* readProject(api, String(name), { since: flags.since, withEvaluators: flags.project !== undefined })
    }
    if (isLimited) return
    for await (const { name } of api.list('/v1/prompts')) {
      yield {
        kind: 'notTaken',
        of: 'other',
        what: `prompt ${name}`,
        reason: 'prompts are not imported; save them with `touchstone prompts push`',
      }
    }
  },
}

interface Choice {
  path: string
  what: string
  wanted: string | undefined
  /** Whether only what the user has named is imported. */
  isLimited: boolean
}

async function choose(api: PhoenixApi, { path, what, wanted, isLimited }: Choice): Promise<Fields[]> {
  if (isLimited && wanted === undefined) return []
  const found: Fields[] = []
  for await (const entry of api.list(path, { limit: 100 })) found.push(entry)
  const chosen = isLimited ? found.filter(({ name }) => name === wanted) : found
  if (isLimited && chosen.length === 0) {
    const names = found.map(({ name }) => name).join(', ')
    throw new CliError(`Phoenix has no ${what} "${wanted}". It has ${names}.`, EXIT.notFound)
  }
  return chosen
}

async function* readDataset(api: PhoenixApi, { id, name, description }: Fields): AsyncGenerator<ImportRecord> {
  const dataset = String(name)
  const about = textOf(description)
  yield { kind: 'dataset', name: dataset, ...(about !== undefined && { description: about }) }
  for (const example of await api.examples(String(id))) yield phoenixItem(dataset, example)
  const experiments: Fields[] = []
  for await (const experiment of api.list(`/v1/datasets/${encodeURIComponent(String(id))}/experiments`)) {
    experiments.push(experiment)
  }
  const names = distinctNames(
    experiments.map(({ id, name, created_at }) => ({
      id: String(id),
      name: textOf(name) ?? 'experiment',
      createdAt: String(created_at),
    })),
  )
  // Oldest first: the newest run of the source is then the newest one here.
  for (const [experimentId, run] of names) {
    const experiment = experiments.find(({ id }) => String(id) === experimentId)
    if (experiment) yield* readExperiment(api, experiment, { dataset, run })
  }
}

async function* readExperiment(api: PhoenixApi, experiment: Fields, of: RunCase): AsyncGenerator<ImportRecord> {
  const id = String(experiment['id'])
  const named = textOf(experiment['project_name'])
  const project = named !== undefined && (await api.hasProject(named)) ? named : undefined
  yield { kind: 'run', dataset: of.dataset, name: of.run, metadata: runMetadata(experiment['metadata']) }
  const runs = await api.experimentRuns(id)
  const traceIds = runs.flatMap(({ trace_id }) => textOf(trace_id) ?? [])
  const traces = project === undefined ? new Map<string, Fields[]>() : await api.spansOf(project, traceIds)
  const scores = new Map<string, ImportedScore>()
  for (const run of runs) {
    const traceId = traceIdOfRun(id, run)
    const answers = { ...of, itemKey: String(run['example_id']) }
    const spans = traces.get(traceId)
    yield spans && project ? phoenixTrace(project, traceId, spans, answers) : traceOfRun(id, run, answers)
    for (const annotation of listOf(run['annotations']).filter(isFields)) {
      const what = `score ${annotation['name']} in ${of.run}`
      const score = phoenixScore(traceId, annotation)
      const key = JSON.stringify([traceId, annotation['name']])
      if (!('evaluator' in score)) yield { kind: 'notTaken', of: 'scores', what, reason: score.reason }
      else if (scores.has(key))
        yield { kind: 'notTaken', of: 'scores', what, reason: 'the run has another of this name' }
      else scores.set(key, score)
    }
  }
  if (scores.size > 0) {
    const evaluators = [...new Set([...scores.values()].map(({ evaluator }) => evaluator))].map((name) => ({ name }))
    yield { kind: 'evaluation', ...of, name: `Scores of ${PHOENIX}`, evaluators, scores: [...scores.values()] }
  }
  // Attempts that failed and were repeated are traces of no run. They stay what they are: traces.
  if (project) yield* readProject(api, project, { except: new Set(traces.keys()) })
}

interface ProjectOptions {
  since?: string | undefined
  /** Traces that were yielded before. Their annotations were not. */
  except?: Set<string>
  /** Whether calls of evaluators are taken. They are no traces of the component. */
  withEvaluators?: boolean
}

async function* readProject(
  api: PhoenixApi,
  project: string,
  { since, except = new Set(), withEvaluators = false }: ProjectOptions,
): AsyncGenerator<ImportRecord> {
  for await (const { traces, spanAnnotations, traceAnnotations } of api.traces(project, since)) {
    const traceOfSpan = new Map<string, string>()
    for (const [traceId, spans] of traces) {
      for (const { context } of spans) traceOfSpan.set(String(fieldsOf(context)['span_id']), traceId)
      if (except.has(traceId)) continue
      const evaluator = withEvaluators ? undefined : spans.find(isEvaluatorRoot)
      if (evaluator) yield { ...EVALUATOR, what: String(evaluator['name']) }
      else if (spans.length > 0) yield phoenixTrace(project, traceId, spans)
      else yield { kind: 'notTaken', of: 'traces', what: traceId, reason: 'Phoenix has no spans of it' }
    }
    for (const annotation of spanAnnotations) {
      const spanId = String(annotation['span_id'])
      // Only annotations of the spans above were asked for.
      const traceId = traceOfSpan.get(spanId) ?? ''
      yield { kind: 'comment', traceId, spanId, text: phoenixComment(annotation) }
    }
    for (const annotation of traceAnnotations) {
      yield { kind: 'comment', traceId: String(annotation['trace_id']), text: phoenixComment(annotation) }
    }
  }
  for await (const { name, session_id } of api.sessionAnnotations(project)) {
    const what = `annotation ${name} of the session ${session_id}`
    yield { kind: 'notTaken', of: 'annotations', what, reason: 'Touchstone has no annotations of sessions' }
  }
}

const EVALUATOR = {
  kind: 'notTaken',
  of: 'traces',
  reason: 'it is a call of an evaluator; `--project` with the name of its project imports it',
} as const

function isEvaluatorRoot({ parent_id, span_kind }: Fields): boolean {
  return textOf(parent_id) === undefined && span_kind === 'EVALUATOR'
}
