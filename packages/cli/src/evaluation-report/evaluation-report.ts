import type { Comparison, EvaluationDetail } from 'touchstone-sdk'
import { EXIT } from '../exit-code-values.ts'

type ComparedMetric = Comparison['metrics'][number]

/** `worse`: a loss is shown. `cannotDecide`: neither "not worse than the margin" nor a loss is shown. */
export type Outcome = 'passed' | 'worse' | 'cannotDecide' | 'noGate'

export interface ReportMetric {
  name: string
  role: 'quality' | 'reported'
  items: number
  baseline: number | null
  candidate: number | null
  /** Of the difference with a baseline, else of the candidate; null for a metric that is compared by its ratio. */
  ci: readonly number[] | null
  difference: number | null
  /** Candidate / baseline of a typical item, for durations, costs and tokens. */
  ratio: number | null
  ratioCi: readonly number[] | null
  /** What the interval is corrected for, such as `corrected for 4 metrics`; null if for nothing. */
  correction: string | null
  verdict: ComparedMetric['verdict'] | null
  /** Items that turned from pass to fail, and from fail to pass; null where there is no pass. */
  toFail: number | null
  toPass: number | null
}

export interface ReportCase {
  itemId: string | null
  name: string
  state: 'turned' | 'unchanged' | 'missing'
  /** The metrics on which it turned from pass to fail. */
  turnedOn: string[]
  input: string | null
  expected: string | null
  baselineOutput: string | null
  candidateOutput: string | null
  reason: string | null
}

export interface EvaluationReport {
  outcome: Outcome
  summary: string
  gate: { metric: string; margin: number | null; passed: boolean; summary: string } | null
  verdict: Comparison['verdict'] | null
  evaluation: { id: string; name: string | null; componentId: string; url: string }
  progress: EvaluationDetail['progress']
  baselineRunId: string | null
  runId: string | null
  metrics: ReportMetric[]
  /** The cases that turned from pass to fail, the worst first, at most `TURNED_MAX`. */
  turned: ReportCase[]
  warnings: string[]
}

/** More of them are in the JUnit file and on the page of the evaluation. */
export const TURNED_MAX = 10

export const EXIT_OF_OUTCOME: Record<Outcome, number> = {
  passed: EXIT.ok,
  noGate: EXIT.ok,
  worse: EXIT.gateShut,
  cannotDecide: EXIT.cannotDecide,
}

/** What the results of an evaluation have; the description of the API has them as any object. */
export interface EvaluationResults {
  metrics?: { name: string; cases: number; mean: number | null; ci: number[] | null }[]
  comparison?: Omit<Comparison, 'data' | 'total'> | null
  gate?: { passed: boolean; summary: string } | null
}

interface ReportSource {
  evaluation: EvaluationDetail
  url: string
  turned: ReportCase[]
}

export function buildReport({ evaluation, url, turned }: ReportSource): EvaluationReport {
  const { id, name, aiComponentId: componentId, runId, progress } = evaluation
  const results: EvaluationResults = evaluation.results ?? {}
  const comparison = results.comparison ?? null
  const gate = readGate(evaluation)
  const outcome = outcomeOf(results, gate)
  return {
    outcome,
    summary: gate?.summary ?? comparison?.summary ?? `Evaluated ${progress.done} of ${progress.total} scores.`,
    gate,
    verdict: comparison?.verdict ?? null,
    evaluation: { id, name, componentId, url },
    progress,
    baselineRunId: comparison?.baseline.runId ?? null,
    runId,
    metrics: comparison
      ? comparison.metrics.filter(isMeasured).map(ofComparison)
      : (results.metrics ?? []).map(ofEvaluation),
    turned,
    warnings: [...(gate ? [] : planNote(comparison)), ...(comparison?.warnings ?? [])],
  }
}

/** The summary of a gate has it. Results of older servers have no rule. */
function planNote(comparison: Partial<Comparison> | null): string[] {
  const { rule, summary } = comparison?.looking ?? {}
  return rule === 'planned' && summary !== undefined ? [summary] : []
}

/** The gate as it was configured, with its result. */
export function readGate({ config, results }: EvaluationDetail): EvaluationReport['gate'] {
  const { gate }: EvaluationResults = results ?? {}
  if (!gate) return null
  const configured: unknown = config['gate']
  const { metric, margin } = typeof configured === 'object' && configured !== null ? gateFields(configured) : {}
  return { metric: metric ?? '', margin: margin ?? null, ...gate }
}

function gateFields(gate: { metric?: unknown; margin?: unknown }) {
  return {
    metric: typeof gate.metric === 'string' ? gate.metric : undefined,
    margin: typeof gate.margin === 'number' ? gate.margin : undefined,
  }
}

/** The guide to comparisons promises the beginning of the summary of a gate that cannot be decided. */
const UNDECIDED = 'Cannot decide'

/**
 * A gate that does not pass has shown a loss only if its metric regressed. Otherwise a loss beyond the margin is possible and so is none:
 * more items could decide it, which a script must be able to distinguish.
 */
function outcomeOf({ comparison, gate: result }: EvaluationResults, gate: EvaluationReport['gate']): Outcome {
  if (!gate || !result) return 'noGate'
  if (result.passed) return 'passed'
  if (result.summary.startsWith(UNDECIDED)) return 'cannotDecide'
  const metric = comparison?.metrics.find(({ name }) => name === gate.metric)
  const isWorse = metric?.verdict === 'regressed' || metric?.corrected?.verdict === 'regressed'
  return isWorse ? 'worse' : 'cannotDecide'
}

/** Costs, durations and tokens that no trace has are no result. */
function isMeasured({ role, items }: ComparedMetric): boolean {
  return role === 'quality' || items > 0
}

function ofComparison(metric: ComparedMetric): ReportMetric {
  const { name, role, items, baseline, candidate, ci, difference, verdict, flips } = metric
  // Evaluations of older servers lack ratios and corrections.
  const { ratio = null, ratioCi = null, correction = null }: Partial<ComparedMetric> = metric
  return {
    name,
    role,
    items,
    baseline: baseline.mean,
    candidate: candidate.mean,
    ci,
    difference,
    ratio,
    ratioCi,
    correction,
    verdict,
    toFail: flips?.toFailCount ?? null,
    toPass: flips?.toPassCount ?? null,
  }
}

function ofEvaluation({ name, cases, mean, ci }: NonNullable<EvaluationResults['metrics']>[number]): ReportMetric {
  const none = {
    baseline: null,
    difference: null,
    ratio: null,
    ratioCi: null,
    correction: null,
    verdict: null,
    toFail: null,
    toPass: null,
  }
  return { ...none, name, role: 'quality', items: cases, candidate: mean, ci }
}
