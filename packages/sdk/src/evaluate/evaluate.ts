import type {
  Comparison,
  Component,
  Dataset,
  DatasetItem,
  EvaluationDetail,
  Run,
  Score,
  TrialDetail,
} from '../generated/api.ts'
import { TouchstoneError } from '../sdk-errors.ts'
import { settingsOf, Touchstone } from '../touchstone.ts'
import { borrowTracing } from '../tracing/borrow-tracing.ts'
import type { EvaluatedCase, EvaluateOptions, Progress, Scorer } from './evaluate-options.ts'
import { deliverOwnScores, readEvaluators } from './own-scorers.ts'
import { readItems } from './read-items.ts'
import { answeredItems, readCases, waitForTraces } from './run-cases.ts'
import { runConcurrently } from './run-concurrently.ts'
import { runTask, type TaskResult } from './run-task.ts'
import { findBaseline, openTrial, runTrialItems, sharedKey } from './trial-of-evaluation.ts'
import { waitForEvaluation } from './wait-for-evaluation.ts'

const CONCURRENCY = 8

export interface ScoredCase<Output> extends EvaluatedCase<Output> {
  /** By the name of the evaluator. Of repetitions, the first. */
  scores: Record<string, Score>
}

export interface EvaluateResult<Output> {
  run: Run
  evaluation: EvaluationDetail
  /** Null without a baseline. */
  comparison: Omit<Comparison, 'data' | 'total'> | null
  verdict: Comparison['verdict'] | null
  /** Null without a gate. */
  gate: { passed: boolean; summary: string } | null
  /** The page of the evaluation. */
  url: string
  cases: ScoredCase<Output>[]
}

/**
 * Runs a task on every item of a dataset, evaluates the run by evaluators of the server and by functions of your own, and compares it
 * with a baseline. A task or a scorer that throws fails its case and nothing else. An interrupted run is continued with `resume`, or by its name if it
 * is `resumable`.
 */
export async function evaluate<Output>(options: EvaluateOptions<Output>): Promise<EvaluateResult<Output>> {
  const client = options.client ?? new Touchstone()
  const plan = await preparePlan(client, options)
  const cases = await runAndReadCases(client, options, plan)
  const { component, dataset, run, scorers, config, limit } = plan
  const { signal, name, onProgress } = options
  const body = { datasetId: dataset.id, runId: run.id, ...(name !== undefined && { name }), config }
  const shared = scorers.length === 0 ? await sharedKey(client, plan, body, signal) : undefined
  const started = await client.evaluations.create(component.id, body, {
    signal,
    ...(shared !== undefined && { idempotencyKey: shared }),
  })
  const ids = { componentId: component.id, evaluationId: started.id }
  const report = (progress: Omit<Progress, 'runId' | 'evaluationId'>) =>
    onProgress?.({ ...progress, runId: run.id, evaluationId: started.id })
  try {
    let done = 0
    const total = cases.length * scorers.length
    const onScore = () => report({ phase: 'scores', done: ++done, total })
    await deliverOwnScores({ client, ...ids, scorers, cases, limit, signal, onScore })
    const onEvaluationProgress = ({ done, failed, skipped, total }: EvaluationDetail['progress']) =>
      report({ phase: 'evaluation', done: done + failed + skipped, total })
    const evaluation = await waitForEvaluation(client, { ...ids, signal, onProgress: onEvaluationProgress })
    return await readResult(client, plan, { evaluation, cases, signal })
  } catch (error) {
    // It would wait for scores that no one delivers any more. A final one cannot be canceled, and need not be; others may wait for one that is shared.
    if (shared === undefined) await client.evaluations.cancel(ids.componentId, ids.evaluationId).catch(() => {})
    throw error
  }
}

interface Plan<Output> {
  component: Component
  dataset: Dataset
  items: DatasetItem[]
  run: Run
  /** Of an evaluation that is resumable. */
  trial: TrialDetail | undefined
  scorers: Scorer<Output>[]
  config: Record<string, unknown>
  limit: number
}

/** Everything that can be wrong with the options fails here, before the first task has cost anything. */
async function preparePlan<Output>(client: Touchstone, options: EvaluateOptions<Output>): Promise<Plan<Output>> {
  const { name, resume, resumable, concurrency: limit = CONCURRENCY, signal } = options
  if (!Number.isInteger(limit) || limit < 1)
    throw new TouchstoneError('concurrency must be a whole number, at least 1.')
  const { scorers, evaluators } = readEvaluators(options.evaluators ?? [])
  const { component, dataset, items } = await readItems(client, options)
  const config = await readConfig(client, options, { component, dataset, evaluators })
  const openedTrial = resumable ? await openTrial(client, options, { component, dataset }) : undefined
  const { trial, isNew = !resume } = openedTrial ?? {}
  const runId = trial?.variants[0]?.runId ?? resume
  const run = runId
    ? await client.runs.get(component.id, runId, { signal })
    : await client.runs.create(component.id, { datasetId: dataset.id, ...(name !== undefined && { name }) }, { signal })
  if (run.datasetId !== dataset.id) throw new TouchstoneError('The run to resume belongs to another dataset.')
  try {
    await client.evaluations.estimate(component.id, { datasetId: dataset.id, runId: run.id, config }, { signal })
  } catch (error) {
    // The server rejects the config. An empty run would only be in the way; if it stays, the error is still this one.
    if (isNew && trial) await client.trials.delete(component.id, trial.id).catch(() => {})
    if (isNew) await client.runs.delete(component.id, run.id).catch(() => {})
    throw error
  }
  return { component, dataset, items, run, trial, scorers, config, limit }
}

interface Configured {
  component: Component
  dataset: Dataset
  evaluators: Record<string, unknown>[]
}

async function readConfig<Output>(
  client: Touchstone,
  options: EvaluateOptions<Output>,
  { component, dataset, evaluators }: Configured,
): Promise<Record<string, unknown>> {
  const { baseline, gate, split, signal } = options
  if (gate && baseline === undefined) throw new TouchstoneError('A gate needs a baseline.')
  const within = { componentId: component.id, datasetId: dataset.id }
  const baselineRun = baseline === undefined ? undefined : await findBaseline(client, within, baseline, signal)
  return {
    ...options.config,
    ...(options.evaluators && { evaluators }),
    ...(baselineRun && { baselineRunId: baselineRun.id }),
    ...(gate && { gate }),
    ...(split && { split }),
  }
}

async function runAndReadCases<Output>(
  client: Touchstone,
  options: EvaluateOptions<Output>,
  { component, run, trial, items, limit }: Plan<Output>,
): Promise<EvaluatedCase<Output>[]> {
  const { task, resume, signal, onProgress } = options
  const ofRun = { client, componentId: component.id, runId: run.id, signal }
  if (trial) {
    const { results, ended } = await runTrialItems(client, options, { trial, items, limit })
    await waitForTraces(ofRun, { before: 0, sent: ended })
    return readCases(ofRun, { items, results, limit })
  }
  const answered = resume ? await answeredItems(ofRun) : new Set()
  const open = items.filter(({ id }) => !answered.has(id))
  const results: TaskResult<Output>[] = []
  const report = () => onProgress?.({ phase: 'tasks', runId: run.id, done: results.length, total: open.length })
  const tracing = borrowTracing(settingsOf(client))
  const links = { tracer: tracing.tracer, name: task.name || 'task', componentName: component.name, runId: run.id }
  try {
    report()
    await runConcurrently(open, { limit, signal }, async (item: DatasetItem) => {
      results.push(await runTask(item, links, (one) => task(one, { signal })))
      report()
    })
    await tracing.flush()
  } finally {
    await tracing.giveBack()
  }
  await waitForTraces(ofRun, { before: run.traceCount, sent: results.length })
  return readCases(ofRun, { items, results, limit })
}

interface Evaluated<Output> {
  evaluation: EvaluationDetail
  cases: EvaluatedCase<Output>[]
  signal: AbortSignal | undefined
}

async function readResult<Output>(
  client: Touchstone,
  { component, run }: Plan<Output>,
  { evaluation, cases, signal }: Evaluated<Output>,
): Promise<EvaluateResult<Output>> {
  const path = [component.workspaceId, 'c', component.id, 'evaluations', evaluation.id]
    .map(encodeURIComponent)
    .join('/')
  const url = `${client.baseUrl}/a/${path}`
  if (evaluation.status === 'failed') throw new TouchstoneError(`The evaluation failed: ${evaluation.error} (${url})`)
  const scoresOf = new Map(cases.map(({ traceDbId }) => [traceDbId, new Map<string, Score>()]))
  for await (const score of client.evaluations.scores(component.id, evaluation.id, {}, { signal })) {
    if (score.repetition === 1) scoresOf.get(score.traceDbId ?? '')?.set(score.evaluator, score)
  }
  // The shape that the guide to evaluations describes; the description of the API has it as any object.
  const { comparison = null, gate = null } = (evaluation.results ?? {}) as Partial<EvaluateResult<Output>>
  return {
    run: await client.runs.get(component.id, run.id, { signal }),
    evaluation,
    comparison,
    verdict: comparison?.verdict ?? null,
    gate,
    url,
    cases: cases.map((one) => ({ ...one, scores: Object.fromEntries(scoresOf.get(one.traceDbId) ?? []) })),
  }
}
