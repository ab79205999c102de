/** Computes one score, and retries after transient errors. */
import { setTimeout as delay } from 'node:timers/promises'
import type { Logger } from '../../base/log.ts'
import type { Evaluator, Verdict } from '../../evaluators/evaluator.ts'
import { NotSentError } from '../../llm/limited-model-client.ts'
import { ModelError } from '../../llm/model-client.ts'
import type { PendingScore, ScoreResult } from '../../scores/score-queries.ts'
import type { EvaluationConfig } from '../evaluation-config.ts'
import { BudgetError } from './budget.ts'
import { evaluateCase } from './evaluate-case.ts'
import type { LoadedCase } from './load-cases.ts'
import { type Asked, type ModelSession, meteredModel } from './metered-model.ts'

const ATTEMPTS_MAX = 5
const PAUSE_MS_MAX = 60_000
/** After this many permanent errors without one answer, further calls would fail, too. */
const REFUSALS_MAX = 20

/** Without a score if it was stopped before it finished; the cost up to then is still spent. */
export type MadeScore = { score: ScoreResult | undefined; asked: Asked | undefined }

export type WithoutModel = {
  workspaceId: string
  config: EvaluationConfig
  /** When aborted, the call rejects and the score stays pending. */
  signal: AbortSignal
  /** Called with an unexpected error of the evaluator. */
  onMishap(error: unknown): void
}

/** Computes a score that needs no model. */
export async function scoreWithoutModel(
  evaluator: Evaluator,
  open: PendingScore,
  input: LoadedCase,
  { onMishap, ...of }: WithoutModel,
): Promise<ScoreResult> {
  const missing = missingTrace(evaluator, input)
  if (missing) return scoreResult(open, input, missing)
  try {
    return scoreResult(open, input, await evaluateCase(evaluator, input, of))
  } catch (error) {
    if (of.signal.aborted) throw error
    onMishap(error)
    return scoreResult(open, input, UNEXPECTED)
  }
}

/** An unexpected error fails one case, not the evaluation. */
const UNEXPECTED: Verdict = {
  state: 'failed',
  reason: 'the evaluator failed unexpectedly; the log of the server says more',
}

export function logFailure(log: Logger, { type }: Pick<Evaluator, 'type'>, error: unknown): void {
  log.error({ err: error, evaluator: type }, 'an evaluator failed')
}

export type Attempts = {
  session: ModelSession
  mayReuse: boolean
  /** Shared by all scores of an evaluation. */
  refusals: CircuitBreaker
  /** The pause after the first attempt; it doubles with every attempt. */
  pauseMs: number
  /** When aborted, calls in flight are aborted, and the score stays pending for the next worker. */
  hardStop: AbortSignal
  /** When aborted, calls in flight may finish, but there are no pauses and no retries. */
  softStop: AbortSignal
  onRetry(attempts: number, reason: string): Promise<void>
  log: Logger
}

export async function scoreByModel(
  evaluator: Evaluator,
  open: PendingScore,
  input: LoadedCase,
  attempts: Attempts,
): Promise<MadeScore> {
  const missing = missingTrace(evaluator, input)
  if (missing) return { score: scoreResult(open, input, missing), asked: undefined }
  const asked = meteredModel(attempts.session, { mayReuse: attempts.mayReuse })
  for (let attempt = open.attempts + 1; ; attempt += 1) {
    const outcome = await attemptOnce(evaluator, { open, input, asked, attempts })
    if (outcome.state === 'stopped') return { score: undefined, asked }
    if (outcome.state !== 'again' || attempt >= ATTEMPTS_MAX) {
      const verdict: Verdict = outcome.state === 'again' ? { state: 'failed', reason: outcome.reason } : outcome
      return { score: { ...scoreResult(open, input, verdict), attempts: attempt, costUsd: asked.costUsd }, asked }
    }
    await attempts.onRetry(attempt, outcome.reason)
    const waitMs = Math.max(outcome.waitMs, Math.min(attempts.pauseMs * 2 ** (attempt - 1), PAUSE_MS_MAX))
    const isStopped = await delay(waitMs, false, { signal: attempts.softStop }).catch(() => true)
    if (isStopped) return { score: undefined, asked }
  }
}

type Attempt = { open: PendingScore; input: LoadedCase; asked: Asked; attempts: Attempts }
type Outcome = Verdict | { state: 'again'; reason: string; waitMs: number } | { state: 'stopped' }

async function attemptOnce(evaluator: Evaluator, { open, input, asked, attempts }: Attempt): Promise<Outcome> {
  const { refusals, log } = attempts
  if (refusals.reason !== undefined) return { state: 'failed', reason: refusals.reason }
  try {
    const verdict = await evaluator.evaluate(input, { model: asked.model, repetition: open.repetition })
    if (asked.calls > 0) refusals.answered()
    return verdict
  } catch (error) {
    if (error instanceof BudgetError) return { state: 'skipped', reason: error.message }
    if (attempts.hardStop.aborted || error instanceof NotSentError) return { state: 'stopped' }
    if (!(error instanceof ModelError)) {
      logFailure(log, evaluator, error)
      return UNEXPECTED
    }
    if (error.kind === 'transient') return { state: 'again', reason: error.message, waitMs: error.retryAfterMs ?? 0 }
    refusals.refused(error.message)
    return { state: 'failed', reason: error.message }
  }
}

/**
 * Open once a provider has rejected many requests and answered none; `reason` is then set, and no further requests are
 * sent.
 */
export type CircuitBreaker = { readonly reason: string | undefined; refused(why: string): void; answered(): void }

export function createCircuitBreaker(): CircuitBreaker {
  let count = 0
  let isAnswering = false
  let reason: string | undefined
  return {
    get reason() {
      return reason
    },
    refused(why) {
      count += 1
      if (!isAnswering && count >= REFUSALS_MAX)
        reason = `not asked, because the first ${count} questions were all refused: ${why}`
    },
    answered() {
      isAnswering = true
    },
  }
}

/** A missing trace is a more useful reason than a missing output. */
function missingTrace({ needs }: Evaluator, { isTraceMissing, output, trace }: LoadedCase): Verdict | undefined {
  const lacks = (needs.includes('output') && output === null) || (readsTrace(needs) && trace === null)
  return isTraceMissing && lacks ? { state: 'skipped', reason: 'the trace has not arrived' } : undefined
}

function readsTrace(needs: Evaluator['needs']): boolean {
  return needs.includes('trace') || needs.includes('steps')
}

function scoreResult(
  { caseRef, evaluator, repetition }: PendingScore,
  { itemId }: LoadedCase,
  verdict: Verdict,
): ScoreResult {
  const key = { caseRef, evaluator, repetition, itemId, attempts: 1, costUsd: null }
  if (verdict.state !== 'scored') {
    return {
      ...key,
      state: verdict.state,
      score: null,
      label: null,
      passed: null,
      reason: verdict.reason,
      details: null,
    }
  }
  const { score, label = null, passed = null, reason = null, details } = verdict
  return { ...key, state: 'scored', score, label, passed, reason, details: details ? JSON.stringify(details) : null }
}
