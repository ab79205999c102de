import type { EvaluatorType } from '../../api/generated/api.ts'
import { metricTitle } from '../../ui/metric-words.ts'
import { numberOf } from '../../ui/schema-form/json-value.ts'
import { type Config, type EvaluatorEntry, evaluatorsOf, nameOf } from './evaluation-draft.ts'
import type { GateMetric } from './gate-part.tsx'

/** What comparisons have without an evaluator. */
const ownMetrics: GateMetric[] = [
  { name: 'rating', label: 'ratings of people', kind: 'difference', length: 1 },
  { name: 'error', label: 'share of failed traces', kind: 'difference', length: 1 },
  { name: 'durationMs', label: 'duration', kind: 'ratio' },
  { name: 'costUsd', label: 'cost', kind: 'ratio' },
  { name: 'totalTokens', label: 'tokens', kind: 'ratio' },
]

/** Evaluators without a choice; those that give only labels have no scores to compare. */
const defaultEvaluators: EvaluatorEntry[] = ['exactMatch', 'tokenF1', 'jsonValid', 'humanRating'].map((type) => ({
  type,
}))

/** The metrics that a gate can decide by. */
export function listGateMetrics(config: Config, types: EvaluatorType[]): GateMetric[] {
  const chosen = evaluatorsOf(config)
  const evaluators = chosen.length === 0 ? defaultEvaluators : chosen
  const known = evaluators
    .filter(({ type }) => types.some((one) => one.type === type))
    .map((entry) => ({
      name: nameOf(entry),
      label: metricTitle(nameOf(entry)),
      kind: 'difference' as const,
      length: lengthOf(entry),
    }))
  return [...known, ...ownMetrics.filter(({ name }) => !known.some((one) => one.name === name))]
}

function lengthOf({ type, scale }: EvaluatorEntry): number {
  const [low, high] = Array.isArray(scale) ? scale.map(numberOf) : type === 'referenceJudge' ? [1, 5] : [0, 1]
  return low === undefined || high === undefined || high <= low ? 1 : high - low
}
