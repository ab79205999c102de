/** The parts of the results of an evaluation that overviews show, without anything that the reader may not see. */
import { ITEMS_MIN, isIdle, type Verdict } from '../comparisons/verdicts/verdict.ts'
import type { Split } from '../datasets/splits/split.ts'
import { isBlindAmong, withoutRatings } from '../evaluations/results/withhold-ratings.ts'
import { newestOfEach } from '../scores/run-evaluation-queries.ts'
import { readStoredConfig, type StoredConfig } from '../scores/stored-config.ts'
import type { EvaluationState, EvaluationWithResults, OverviewRun } from './overview-queries.ts'

export type ShownMetric = {
  name: string
  /** The evaluation that measured it. */
  evaluationId: string
  mean: number | null
  ci: readonly [number, number] | null
  n: number
  cases: number
  failed: number
  kind: string | null
  scale: readonly [number, number] | null
  higherIsBetter: boolean
  /** To be shown instead of the mean; null if there are enough cases. */
  summary: string | null
}

type StoredMetric = Omit<ShownMetric, 'summary' | 'evaluationId'>

type ComparedMetric = {
  name: string
  role: 'quality' | 'reported'
  verdict: Verdict
  summary: string
  difference: number | null
  ci: readonly [number, number] | null
  /** Not in comparisons of older versions. */
  ratio?: number | null
  ratioCi?: readonly [number, number] | null
  baseline: { mean: number | null }
  candidate: { mean: number | null }
  items: number
  scale: readonly [number, number] | null
  higherIsBetter: boolean
}

type StoredComparison = {
  baseline: { runId: string }
  candidate: { runId: string }
  verdict: Verdict
  summary: string
  pairs: number
  split?: Split | null
  metrics: ComparedMetric[]
  notCompared: { name: string; reason: string }[]
}

type Gate = { passed: boolean; summary: string }

export type ShownResults = {
  evaluation: EvaluationWithResults
  config: StoredConfig
  metrics: ShownMetric[]
  comparison: StoredComparison | undefined
  gate: Gate | undefined
  insights: ShownInsight[]
}

type ShownInsight = {
  type: string
  severity: string
  title: string
  description: string
  frequency: number
  affectedTraces: number | null
}

export function shownResults(evaluation: EvaluationWithResults, blindRuns: ReadonlySet<string>): ShownResults {
  const config = readStoredConfig(evaluation.config)
  const results: Results = {
    metrics: JSON.parse(evaluation.metrics ?? '[]'),
    insights: JSON.parse(evaluation.insights ?? '[]'),
    ...(evaluation.comparison !== null && { comparison: JSON.parse(evaluation.comparison) }),
    ...(evaluation.gate !== null && { gate: JSON.parse(evaluation.gate) }),
  }
  const isBlind = isBlindAmong(blindRuns, { runId: evaluation.runId, config })
  const { metrics, insights, comparison, gate } = isBlind
    ? withoutRatings(results, { id: evaluation.id, config })
    : results
  return {
    evaluation,
    config,
    metrics: metrics.map((metric) => shownMetric(metric, evaluation.id)),
    comparison,
    gate,
    insights: insights.map(shownInsight),
  }
}

type StoredInsight = Omit<ShownInsight, 'affectedTraces'> & { details?: { affectedTraces?: unknown } }

type Results = {
  metrics: StoredMetric[]
  insights: StoredInsight[]
  comparison?: StoredComparison
  gate?: Gate
}

function shownMetric(metric: StoredMetric, evaluationId: string): ShownMetric {
  const { name, mean, ci, n, cases, failed, kind, scale, higherIsBetter } = metric
  const numbers = { mean, ci, n, cases, failed, kind, scale, higherIsBetter }
  return { name, evaluationId, ...numbers, summary: tooFewSummary(metric) }
}

function tooFewSummary({ mean, ci, n, cases }: StoredMetric): string | null {
  if (n === 0) return 'No scores.'
  if (mean === null) return 'Labels have no mean.'
  if (cases < ITEMS_MIN) return `${cases} of ${ITEMS_MIN} cases; too few for a mean.`
  return ci === null ? `No interval: all ${n} scores are equal.` : null
}

function shownInsight({ type, severity, title, description, frequency, details }: StoredInsight): ShownInsight {
  const affected = details?.affectedTraces
  return {
    type,
    severity,
    title,
    description,
    frequency,
    affectedTraces: typeof affected === 'number' ? affected : null,
  }
}

/** Numbers of the trace itself say little about how good the output is. */
const TRACE_TYPES = ['latency', 'cost', 'tokens']

/**
 * The metrics of several evaluations of a run, which are newest first: each as the newest has it. What was measured first
 * comes first, so that the headline stays if another evaluation adds metrics.
 */
export function newestMetrics(evaluations: readonly ShownResults[]): ShownMetric[] {
  const newest = newestOfEach(evaluations, ({ metrics }) => metrics.map(({ name }) => name))
  return evaluations.toReversed().flatMap((one) => one.metrics.filter(({ name }) => newest.get(name) === one))
}

/** The metric that the newest gate is about; otherwise the first one of the output, with enough cases if there is one. */
export function headlineOf(evaluations: readonly ShownResults[]): ShownMetric | undefined {
  const metrics = newestMetrics(evaluations)
  const configOf = new Map(evaluations.map(({ evaluation, config }) => [evaluation.id, config]))
  const isOfOutput = ({ name, evaluationId }: ShownMetric) => {
    const entry = configOf.get(evaluationId)?.evaluators?.find((evaluator) => evaluator.name === name)
    return !TRACE_TYPES.includes(String(entry?.options.type ?? name))
  }
  const ofOutput = metrics.filter(isOfOutput)
  const gateMetric = evaluations.map(({ config }) => config.gateMetric).find((name) => name !== undefined)
  return (
    metrics.find(({ name }) => name === gateMetric) ??
    ofOutput.find(({ summary }) => summary === null) ??
    ofOutput[0] ??
    metrics[0]
  )
}

/** Undefined if one of the two runs has been deleted. */
export function comparisonOf(results: ShownResults, runs: ReadonlyMap<string, OverviewRun>) {
  const { comparison, gate, evaluation, config } = results
  if (!comparison) return undefined
  const [baseline, candidate] = [runs.get(comparison.baseline.runId), runs.get(comparison.candidate.runId)]
  if (!baseline || !candidate) return undefined
  const { verdict, summary, pairs, split = null } = comparison
  const metric = decidingMetric(comparison, config)
  return {
    evaluationId: evaluation.id,
    baseline,
    candidate,
    verdict,
    summary,
    pairs,
    split,
    metric,
    gate: gate ?? null,
  }
}

/** The metric of the gate; otherwise the first quality metric that has the overall verdict. */
function decidingMetric({ metrics, verdict }: StoredComparison, { gateMetric }: StoredConfig) {
  const quality = metrics.filter((metric) => metric.role === 'quality' && !isIdle(metric))
  const deciding = metrics.find(({ name }) => name === gateMetric) ?? quality.find((one) => one.verdict === verdict)
  if (!deciding) return null
  const { name, difference, ci, ratio = null, ratioCi = null, items, scale, higherIsBetter, summary } = deciding
  return { name, verdict: deciding.verdict, summary, difference, ci, ratio, ratioCi, items, scale, higherIsBetter }
}

/** With its run, which is null if the evaluation has none, or if it has been deleted. */
export function shownEvaluation(evaluation: EvaluationState, runs: ReadonlyMap<string, OverviewRun>) {
  const { id, name, status, error, datasetId, datasetName, runId, createdAt, completedAt } = evaluation
  return {
    id,
    name,
    status,
    error,
    dataset: { id: datasetId, name: datasetName },
    run: runs.get(runId ?? '') ?? null,
    scores: { total: evaluation.scores, done: evaluation.scoresDone, failed: evaluation.scoresFailed },
    createdAt,
    completedAt,
  }
}
