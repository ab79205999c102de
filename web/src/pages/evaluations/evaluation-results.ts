/** The results of an evaluation, as `docs/guide/evaluations.md` describes them; the description of the API leaves them open. */
import type { ComparedMetric, Comparison, EvaluationDetail } from '../../api/generated/api.ts'
import { metricTitle } from '../../ui/metric-words.ts'
import { decidingMetric } from '../compare/deciding-metric.ts'

export type Interval = readonly [number, number]

interface ResultEstimate {
  mean: number | null
  ci: Interval | null
}

interface Share {
  value: number
  ci: Interval
  n: number
}

interface Corrected {
  rate: number | null
  ci: Interval | null
  method: string
  labels: number
  /** Rated cases that were not drawn at random. Missing in older results. */
  excluded?: number
  sensitivity: Share | null
  specificity: Share | null
  nextLabels: { passed: number; failed: number } | null
}

export interface ResultMetric extends ResultEstimate {
  name: string
  kind: 'binary' | 'numeric' | 'categorical'
  scale: Interval | null
  higherIsBetter: boolean
  n: number
  cases: number
  groups: number | null
  missing: number
  failed: number
  distribution: number[] | null
  labels: ({ label: string; n: number } & ResultEstimate)[] | null
  passed: (ResultEstimate & { n: number }) | null
  attempts: { k: number; n: number; passAtK: ResultEstimate; passHatK: ResultEstimate }[] | null
  corrected: Corrected | null
  injection: { n: number; rate: number | null; ci: Interval | null; summary: string } | null
  drift: { hasDrifted: boolean; summary: string } | null
}

export interface ResultInsight {
  type: string
  severity: string
  title: string
  description: string
  affectedRunIds: string[]
  details: { affectedTraces?: unknown }
  suggestedFix: string | null
}

export interface EvaluationResults {
  insights: ResultInsight[]
  meta: { totalRuns?: number }
  metrics: ResultMetric[]
  groupBy: string | null
  /** Items that repeat another one and count with it. Results of older versions have none. */
  duplicates?: number
  split: string | null
  cost: { calls: number; spentUsd: number; unpricedScores: number; maxUsd: number | null }
  comparison?: Pick<Comparison, 'baseline' | 'candidate' | 'verdict' | 'summary' | 'split'> & {
    metrics: ComparedMetric[]
  }
  gate?: { passed: boolean; summary: string }
}

export function resultsOf({ results }: Pick<EvaluationDetail, 'results'>): EvaluationResults | null {
  return results as EvaluationResults | null
}

interface GateConfig {
  metric: string
  margin: number | undefined
  isCorrected: boolean
}

/** Undefined if the config has no gate. */
export function gateOf({ config }: Pick<EvaluationDetail, 'config'>): GateConfig | undefined {
  const { metric, margin, corrected } = Object(config['gate'])
  if (typeof metric !== 'string') return undefined
  return { metric, margin: typeof margin === 'number' ? margin : undefined, isCorrected: corrected === true }
}

/** The metric of the gate; otherwise the one that decided. Undefined without a comparison. */
export function comparedMetric(evaluation: EvaluationDetail): ComparedMetric | undefined {
  const comparison = resultsOf(evaluation)?.comparison
  return comparison && decidingMetric(comparison, gateOf(evaluation)?.metric)
}

/** "same as expected", or the first words of what a judge is asked; undefined if the config does not list the evaluator. */
export function describeEvaluator({ config }: Pick<EvaluationDetail, 'config'>, name: string): string | undefined {
  const { evaluators } = config
  if (!Array.isArray(evaluators)) return undefined
  const found: Record<string, unknown> | undefined = evaluators
    .map(Object)
    .find((one) => (one.name ?? one.type) === name)
  if (!found) return undefined
  const { type, instructions } = found
  const words = typeof instructions === 'string' ? instructions.trim() : ''
  if (words === '') return type === name ? undefined : metricTitle(String(type))
  return words.length > 90 ? `${words.slice(0, 89).trimEnd()}…` : words
}
