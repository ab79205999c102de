/** Builds the results of scores, with or without a model. */
import { errorOf } from '../../base/thread-failure.ts'
import type { Evaluator, Verdict } from '../../evaluators/evaluator.ts'
import type { PendingScore, ScoreResult } from '../../scores/score-queries.ts'
import type { LoadedCase } from './load-cases.ts'
import type { Scoring } from './scoring.ts'

export function scoreResult(
  { caseRef, evaluator, repetition }: PendingScore,
  { itemId }: LoadedCase,
  verdict: Verdict,
): ScoreResult {
  return { caseRef, evaluator, repetition, itemId, attempts: 1, verdict, costUsd: null }
}

/** An unexpected error fails one case, not the evaluation. Only the log has the error itself. */
export const UNEXPECTED: Verdict = {
  state: 'failed',
  reason: 'the evaluator failed unexpectedly; the log of the server says more',
}

export function logFailures({ log, config }: Pick<Scoring, 'log' | 'config'>, scores: readonly ScoreResult[]): void {
  for (const { evaluator: name, failure } of scores) {
    if (!failure) continue
    const evaluator = config.evaluators.find((one) => one.name === name)?.type
    log.error({ err: errorOf(failure), evaluator }, 'an evaluator failed')
  }
}

/** A missing trace is a more useful reason than a missing output. */
export function missingTrace({ needs }: Evaluator, { isTraceMissing, output, trace }: LoadedCase): Verdict | undefined {
  const readsTrace = needs.includes('trace') || needs.includes('steps')
  const lacks = (needs.includes('output') && output === null) || (readsTrace && trace === null)
  return isTraceMissing && lacks ? { state: 'skipped', reason: 'the trace has not arrived' } : undefined
}
