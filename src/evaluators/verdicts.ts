/** The verdicts of evaluators without a model, on a scale from 0 to 1. */
import { Type } from 'typebox'
import type { Verdict } from './evaluator.ts'
import { oneLine } from './text/plain-text.ts'

type Details = Readonly<Record<string, unknown>>

/** A right or wrong verdict. A right one has no reason. */
export function binary(isRight: boolean, reason: string | undefined, details?: Details): Verdict {
  return {
    state: 'scored',
    score: isRight ? 1 : 0,
    passed: isRight,
    ...(isRight || reason === undefined ? {} : { reason: oneLine(reason) }),
    ...(details && { details }),
  }
}

/** A score. It has a pass verdict only with a threshold. */
export function graded(score: number, passAt: number | undefined, reason?: string, details?: Details): Verdict {
  return {
    state: 'scored',
    score,
    ...(passAt === undefined ? {} : { passed: score >= passAt }),
    ...(score === 1 || reason === undefined ? {} : { reason: oneLine(reason) }),
    ...(details && { details }),
  }
}

export function skipped(reason: string): Verdict {
  return { state: 'skipped', reason: oneLine(reason) }
}

export const passAtOption = Type.Optional(
  Type.Number({
    minimum: 0,
    maximum: 1,
    description: 'The minimum score to pass. Default: none, so that cases neither pass nor fail.',
  }),
)
