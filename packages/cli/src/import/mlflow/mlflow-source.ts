/** Imports from an MLflow tracking server: evaluation datasets, evaluation runs with traces and scores, other traces, assessments. */
import { CliError } from '../../cli-error.ts'
import { EXIT } from '../../exit-code-values.ts'
import { distinctNames } from '../distinct-names.ts'
import type { ImportedScore, ImportRecord, RunCase } from '../import-record.ts'
import type { ImportFlags, ImportSource } from '../run-import.ts'
import { openSourceServer } from '../source-server.ts'
import { type Fields, fieldsOf, isFields, listOf, textOf } from '../source-values.ts'
import { inputsKey, inputsOf, itemOfTrace, MLFLOW, mlflowItem, mlflowTrace } from './map-mlflow.ts'
import { type MlflowApi, mlflowApi } from './mlflow-api.ts'
import { type EvaluationRun, evaluationRuns } from './mlflow-runs.ts'
import { readAssessment } from './read-assessment.ts'

const SPANS_AT_ONCE = 8

export interface MlflowFlags extends ImportFlags {
  experiment?: string
  since?: string
}

/** A dataset that was yielded: its name, and the keys of its items by `inputsKey`. */
interface KnownDataset {
  name: string
  keys: Map<string, string>
  /** Its items come from traces. */
  isUnstored?: boolean
}

export const mlflowSource: ImportSource<MlflowFlags> = {
  name: 'mlflow',
  async *read({ context, flags, args: [url] }) {
    const authorization = authorizationOf(context.env, (secret) => context.terminal.hide(secret))
    const keyHint = 'Set MLFLOW_TRACKING_TOKEN, or MLFLOW_TRACKING_USERNAME and MLFLOW_TRACKING_PASSWORD.'
    const api = mlflowApi(openSourceServer(context, { name: MLFLOW, url, authorization, keyHint }))
    const experiments = await readExperiments(api, flags.experiment)
    const datasets = new Map<string, KnownDataset>()
    const only = flags.experiment === undefined ? undefined : experiments.map(({ id }) => id)
    yield* readDatasets(api.datasets(only), api, datasets)
    for (const { id, name } of experiments) yield* readExperiment(api, { id, name, since: flags.since, datasets })
  },
}

/** The variables of MLflow's own clients. */
function authorizationOf(env: Record<string, string | undefined>, hide: (secret: string) => void): string | undefined {
  const { MLFLOW_TRACKING_TOKEN: token, MLFLOW_TRACKING_USERNAME: user = '', MLFLOW_TRACKING_PASSWORD: password } = env
  for (const secret of [token, password]) if (secret) hide(secret)
  if (token) return `Bearer ${token}`
  return password ? `Basic ${Buffer.from(`${user}:${password}`).toString('base64')}` : undefined
}

async function readExperiments(api: MlflowApi, wanted: string | undefined): Promise<{ id: string; name: string }[]> {
  const found: { id: string; name: string }[] = []
  for await (const { experiment_id, name } of api.experiments())
    found.push({ id: String(experiment_id), name: String(name) })
  if (wanted === undefined) return found
  const chosen = found.filter(({ id, name }) => name === wanted || id === wanted)
  if (chosen.length > 0) return chosen
  const names = found.map(({ name }) => name).join(', ')
  throw new CliError(`MLflow has no experiment "${wanted}". It has ${names}.`, EXIT.notFound)
}

async function* readDatasets(
  found: AsyncGenerator<Fields>,
  api: MlflowApi,
  known: Map<string, KnownDataset>,
): AsyncGenerator<ImportRecord> {
  const datasets: { id: string; name: string; createdAt: number }[] = []
  for await (const { dataset_id, name, created_time } of found) {
    datasets.push({ id: String(dataset_id), name: String(name), createdAt: Number(created_time ?? 0) })
  }
  for (const [id, name] of distinctNames(datasets)) {
    const keys = new Map<string, string>()
    yield { kind: 'dataset', name }
    for await (const record of api.records(id)) {
      const item = mlflowItem(name, record)
      keys.set(inputsKey(record['inputs']), item.key)
      yield item
    }
    known.set(id, { name, keys })
  }
}

interface ExperimentInput {
  id: string
  name: string
  since: string | undefined
  datasets: Map<string, KnownDataset>
}

interface RunState {
  run: EvaluationRun
  dataset: KnownDataset
  scores: Map<string, ImportedScore>
}

async function* readExperiment(api: MlflowApi, input: ExperimentInput): AsyncGenerator<ImportRecord> {
  const all: Fields[] = []
  for await (const run of api.runs(input.id)) all.push(run)
  const runs = evaluationRuns(all)
  const states = new Map<string, RunState>()
  const unstored: KnownDataset = { name: `${input.name} evaluation data`, keys: new Map(), isUnstored: true }
  for await (const page of api.traces(input.id, input.since)) {
    const traces = await withSpans(api, page)
    for (const { info } of traces) yield* openRun(info, { datasets: input.datasets, unstored, runs, states })
    yield* itemsOfTraces(traces, states)
    const records = traces.flatMap((trace) => [...readTrace(input.name, trace, states.get(sourceRun(trace.info)))])
    // Traces first: they are sent together, and everything else needs them.
    yield* records.filter(({ kind }) => kind === 'otlpTrace')
    yield* records.filter(({ kind }) => kind !== 'otlpTrace')
  }
  for (const { run, dataset, scores } of states.values()) {
    const evaluators = [...new Set([...scores.values()].map(({ evaluator }) => evaluator))].map((name) => ({ name }))
    const name = `Scores of ${MLFLOW}`
    if (scores.size > 0)
      yield { kind: 'evaluation', dataset: dataset.name, run: run.name, name, evaluators, scores: [...scores.values()] }
  }
  const others = all.length - states.size
  if (others > 0) {
    const what = `runs of the experiment ${input.name}`
    yield { kind: 'notTaken', of: 'runs', what, reason: 'they have no traces of an evaluation', count: others }
  }
}

interface TraceWithSpans {
  info: Fields
  spans: Fields[]
}

async function withSpans(api: MlflowApi, page: Fields[]): Promise<TraceWithSpans[]> {
  const traces: TraceWithSpans[] = []
  for (let at = 0; at < page.length; at += SPANS_AT_ONCE) {
    const some = page.slice(at, at + SPANS_AT_ONCE)
    const spans = await Promise.all(some.map(({ trace_id }) => api.spans(String(trace_id))))
    traces.push(...some.map((info, index) => ({ info, spans: spans[index] ?? [] })))
  }
  return traces
}

function sourceRun(info: Fields): string {
  return textOf(fieldsOf(info['trace_metadata'])['mlflow.sourceRun']) ?? ''
}

interface OpenedRuns {
  datasets: Map<string, KnownDataset>
  /** For evaluations on data that is no dataset of MLflow: the same items for all runs of the experiment. */
  unstored: KnownDataset
  runs: Map<string, EvaluationRun>
  states: Map<string, RunState>
}

/** A run is yielded with its first trace: many runs of MLflow have none. */
function* openRun(info: Fields, { datasets, unstored, runs, states }: OpenedRuns): Generator<ImportRecord> {
  const run = runs.get(sourceRun(info))
  if (!run || states.has(run.id)) return
  const dataset = datasets.get(run.datasetId ?? '') ?? unstored
  yield { kind: 'dataset', name: dataset.name }
  yield { kind: 'run', dataset: dataset.name, name: run.name, metadata: run.metadata }
  states.set(run.id, { run, dataset, scores: new Map() })
}

/** Items of evaluations on data that is no dataset of MLflow. All of a page before its traces, so that each is one request. */
function* itemsOfTraces(traces: TraceWithSpans[], states: Map<string, RunState>): Generator<ImportRecord> {
  for (const { info, spans } of traces) {
    const state = states.get(sourceRun(info))
    const inputs = inputsOf(spans)
    if (!state?.dataset.isUnstored || inputs === undefined) continue
    const key = inputsKey(inputs)
    if (state.dataset.keys.has(key)) continue
    state.dataset.keys.set(key, key)
    yield itemOfTrace(state.dataset.name, inputs, info)
  }
}

function* readTrace(
  experiment: string,
  { info, spans }: TraceWithSpans,
  state: RunState | undefined,
): Generator<ImportRecord> {
  const itemKey = state?.dataset.keys.get(inputsKey(inputsOf(spans)))
  const of: RunCase | undefined = state && {
    dataset: state.dataset.name,
    run: state.run.name,
    ...(itemKey !== undefined && { itemKey }),
  }
  const trace = mlflowTrace(experiment, info, spans, of)
  const assessments = listOf(info['assessments']).filter(isFields)
  if (!trace) {
    const reason = 'MLflow has no spans of it'
    yield { kind: 'notTaken', of: 'traces', what: String(info['trace_id']), reason }
    if (assessments.length > 0) {
      const what = `assessments of ${info['trace_id']}`
      yield { kind: 'notTaken', of: 'annotations', what, reason: 'its trace was not taken', count: assessments.length }
    }
    return
  }
  yield trace
  for (const assessment of assessments)
    yield* readAssessment(
      trace,
      assessment,
      state && { runId: state.run.id, name: state.run.name, scores: state.scores },
    )
}
