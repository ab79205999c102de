import { Type } from 'typebox'
import { defineEvaluator, passAtOption, skipped } from './define-evaluator.ts'
import type { EvaluatorDefinition, ExternalEvaluator, Verdict } from './evaluator.ts'
import { oneLine } from './text/plain-text.ts'

const TIMEOUT_MINUTES_DEFAULT = 60
/** A week. */
const TIMEOUT_MINUTES_MAX = 10_080

const NOT_COMPUTED = 'its scores are delivered by your own code after the start of an evaluation'

const computed = defineEvaluator({
  type: 'external',
  summary: 'Scores that your own code delivers while the evaluation waits for them',
  kind: 'numeric',
  needs: [],
  options: {
    timeoutMinutes: Type.Optional(
      Type.Number({
        exclusiveMinimum: 0,
        maximum: TIMEOUT_MINUTES_MAX,
        default: TIMEOUT_MINUTES_DEFAULT,
        description: `How long the evaluation waits for the scores, from its start. Default: ${TIMEOUT_MINUTES_DEFAULT}.`,
      }),
    ),
    passAt: passAtOption,
    higherIsBetter: Type.Optional(
      Type.Boolean({
        default: true,
        description: 'False if lower scores are better; passAt is then the greatest score that passes. Default: true.',
      }),
    ),
  },
  prepare: () => () => skipped(NOT_COMPUTED),
})

/** The evaluator whose scores clients deliver. Only a preview calls `evaluate`, which explains that. */
export const external: EvaluatorDefinition = {
  ...computed,
  create(name, options, key) {
    const { timeoutMinutes = TIMEOUT_MINUTES_DEFAULT, passAt, higherIsBetter = true } = options
    return {
      ...computed.create(name, options, key),
      higherIsBetter: higherIsBetter === true,
      external: {
        timeoutMinutes: Number(timeoutMinutes),
        passAt: typeof passAt === 'number' ? passAt : undefined,
      },
    }
  },
}

/** A score as a client delivers it: `error`, or at least one of `score`, `label` and `passed`. */
export type DeliveredResult = {
  score?: number | undefined
  label?: string | undefined
  passed?: boolean | undefined
  reason?: string | undefined
  error?: string | undefined
  details?: Readonly<Record<string, unknown>> | undefined
}

/** `passed` without a score is a right or wrong verdict, as that of other evaluators: the best or the worst score. */
export function deliveredVerdict(evaluator: ExternalEvaluator, result: DeliveredResult): Verdict {
  const { error, label, reason = '', details } = result
  if (error !== undefined) return { state: 'failed', reason: oneLine(error) }
  const score = result.score ?? (result.passed === undefined ? null : scoreOf(evaluator, result.passed))
  const passed = result.passed ?? (score === null ? undefined : isPassing(evaluator, score))
  return {
    state: 'scored',
    score,
    ...(passed !== undefined && { passed }),
    ...(label !== undefined && { label: oneLine(label) }),
    ...(reason !== '' && { reason: oneLine(reason) }),
    ...(details && { details }),
  }
}

function scoreOf({ higherIsBetter }: ExternalEvaluator, passed: boolean): number {
  return passed === higherIsBetter ? 1 : 0
}

function isPassing({ higherIsBetter, external: { passAt } }: ExternalEvaluator, score: number): boolean | undefined {
  if (passAt === undefined) return undefined
  return higherIsBetter ? score >= passAt : score <= passAt
}
