/** Makes one score: asks the evaluator, and asks again what may end well another time. */
import { setTimeout as delay } from 'node:timers/promises'
import type { Logger } from '../../base/log.ts'
import type { Evaluator, Verdict } from '../../evaluators/evaluator.ts'
import { NotSentError } from '../../llm/limited-model-client.ts'
import { ModelError } from '../../llm/model-client.ts'
import type { PendingScore, ScoreResult } from '../../scores/score-queries.ts'
import { evaluateCase } from '../evaluate-case.ts'
import { BudgetError } from './budget.ts'
import type { LoadedCase } from './load-cases.ts'
import { type Asked, type ModelSession, meteredModel } from './metered-model.ts'

const ATTEMPTS_MAX = 5
const PAUSE_MS_MAX = 60_000
/** So many refusals that no waiting will change, and not one answer: to ask a thousand times more would help nobody. */
const REFUSALS_MAX = 20

/** Without a score when it was stopped before there was an end; what it cost by then is spent. */
export type MadeScore = { score: ScoreResult | undefined; asked: Asked | undefined }

export type WithoutModel = {
  workspaceId: string
  /** As it is stored. */
  config: string
  /** Aborted: it rejects, and the score stays open. */
  signal: AbortSignal
  /** Is called with an error that is not the caller's. */
  onMishap(error: unknown): void
}

/** What needs no model, at once. */
export async function scoreWithoutModel(
  evaluator: Evaluator,
  open: PendingScore,
  input: LoadedCase,
  { onMishap, ...of }: WithoutModel,
): Promise<ScoreResult> {
  const missing = missingTrace(evaluator, input)
  if (missing) return endedScore(open, input, missing)
  try {
    return endedScore(open, input, await evaluateCase(evaluator, input, of))
  } catch (error) {
    if (of.signal.aborted) throw error
    onMishap(error)
    return endedScore(open, input, UNEXPECTED)
  }
}

/** A mistake of ours must cost one case, and not the evaluation. */
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
  /** The pause after the first attempt; it doubles with each. */
  pauseMs: number
  /** Aborted: what is under way is ended, and the score stays open for whoever goes on. */
  hardStop: AbortSignal
  /** Aborted: what is under way may end, but nothing is waited for and nothing is asked again. */
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
  if (missing) return { score: endedScore(open, input, missing), asked: undefined }
  const asked = meteredModel(attempts.session, { mayReuse: attempts.mayReuse })
  for (let attempt = open.attempts + 1; ; attempt += 1) {
    const outcome = await attemptOnce(evaluator, { open, input, asked, attempts })
    if (outcome.state === 'stopped') return { score: undefined, asked }
    if (outcome.state !== 'again' || attempt >= ATTEMPTS_MAX) {
      const verdict: Verdict = outcome.state === 'again' ? { state: 'failed', reason: outcome.reason } : outcome
      return { score: { ...endedScore(open, input, verdict), attempts: attempt, costUsd: asked.costUsd }, asked }
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

/** Set once a provider has refused so often, and never answered, that it is not asked any more. */
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

/** A trace that has not arrived is a reason, and a better one than that there is no output. */
function missingTrace({ needs }: Evaluator, { isTraceMissing, output, trace }: LoadedCase): Verdict | undefined {
  const lacks = (needs.includes('output') && output === null) || (readsTrace(needs) && trace === null)
  return isTraceMissing && lacks ? { state: 'skipped', reason: 'the trace has not arrived' } : undefined
}

function readsTrace(needs: Evaluator['needs']): boolean {
  return needs.includes('trace') || needs.includes('steps')
}

function endedScore(
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
