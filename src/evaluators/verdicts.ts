/** The verdicts that evaluators without a model give, on the scale from 0 to 1. */
import { Type } from 'typebox'
import type { Verdict } from './evaluator.ts'
import { oneLine } from './text/plain-text.ts'

type Details = Readonly<Record<string, unknown>>

/** Right or wrong. What is right speaks for itself: its reason is left out. */
export function binary(isRight: boolean, reason: string | undefined, details?: Details): Verdict {
  return {
    state: 'scored',
    score: isRight ? 1 : 0,
    passed: isRight,
    ...(isRight || reason === undefined ? {} : { reason: oneLine(reason) }),
    ...(details && { details }),
  }
}

/** A degree. The line is drawn only where somebody has drawn one. */
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
    description: 'The least score with which a case passes. Left out: no line is drawn.',
  }),
)
