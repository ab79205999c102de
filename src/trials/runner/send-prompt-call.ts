import { AppError } from '../../base/errors.ts'
import { NotSentError } from '../../llm/host-limits.ts'
import type { PreparedTry } from '../../playground/prepare-try.ts'
import { durationOf, type Outcome, runTry } from '../../playground/run-try.ts'
import { tryTrace } from '../../playground/try-trace.ts'
import { BudgetError } from '../../spending/ledger.ts'
import type { ModelSession } from '../../spending/metered-model.ts'
import type { Queries } from '../../storage/db.ts'
import { startCall } from '../calls/call-queries.ts'
import {
  callMetadata,
  completeCall,
  type EndingCall,
  failAttempt,
  failCall,
  failWithoutTrace,
  returnAttempt,
  traceIdOf,
} from '../calls/end-call.ts'
import { endingOf } from '../calls/recover-lost.ts'
import { prepareCall, whyUnusable } from '../targets/prepare-call.ts'
import type { OpenPrompt, PromptTarget } from '../targets/prompt-target.ts'
import type { Variant } from '../variant-queries.ts'
import { type Attempt, CallNotWanted, sessionOfCall } from './call-budget.ts'
import { brokenOrEnded, type Calling, type End, findItem, rejection, STOPPED } from './sending.ts'
import type { Trialing } from './trialing.ts'

export type PromptSending = { variant: Variant; target: PromptTarget; prompt: OpenPrompt; session: ModelSession }

/** The server asks the model of a prompt. */
export async function sendPromptCall(trialing: Trialing, sending: PromptSending, calling: Calling): Promise<End> {
  const { job, deps, of, plan, trial } = trialing
  const { call } = calling
  const { variant, prompt, target } = sending
  const { workspaceId } = trial
  const ending = endingOf(trial, variant, call)
  const item = await findItem(trialing, variant, call)
  if (!item) return 'ended'
  const preparing = { workspaceId, prompt, target, variables: plan.variables, itemId: call.itemId, item }
  const bulk = job.db.bulk({ application: workspaceId, from: 'job' })
  const prepared = await prepareCall(bulk, preparing).catch(rejection)
  if (!(prepared instanceof AppError)) return sendPrepared(trialing, sending, { ...calling, prepared, ending })
  const reason = prepared.message
  await job.commit(async (tx) => {
    const started = await startCall(tx, job.clock, { ...of, number: call.number }, { lease: null })
    const failed = { reason, nanoUsd: 0, isRetryable: false }
    if (started) await failCall(tx, deps, { ...ending, attempt: started.attempt }, failed)
  })
  return brokenOrEnded(trialing, variant.number)
}

type Prepared = Calling & { prepared: PreparedTry; ending: EndingCall }

async function sendPrepared(trialing: Trialing, sending: PromptSending, sent: Prepared): Promise<End> {
  const { job, hardStop } = trialing
  const { call, prepared, ending, flight, pool, isOver } = sent
  for (;;) {
    const attempt: Attempt = { number: call.number, nanoUsd: 0, tokens: 0, attempt: undefined }
    const session = sessionOfCall(trialing, sending.session, { attempt, flight })
    const running = { session, delivery: 'whole' as const, clock: job.clock, signal: hardStop, emit: () => undefined }
    try {
      const outcome = await runTry(prepared, running)
      const started = { ...ending, attempt: attempt.attempt ?? call.attempt }
      const used = { nanoUsd: attempt.nanoUsd, tokens: attempt.tokens }
      return await store(trialing, sending, { outcome, prepared, ending: started, used })
    } catch (error) {
      if (error instanceof CallNotWanted) return 'ended'
      if (error instanceof BudgetError) {
        // Calls in flight are reserved at their maximum, and mostly cost less.
        if ((await pool.waitForOthers()) && !isOver()) continue
        return isOver() ? 'ended' : { overBudget: error.message }
      }
      if (!(error instanceof NotSentError)) throw error
      const returned = { errors: call.errors, dueSeconds: 0, reason: STOPPED, nanoUsd: attempt.nanoUsd }
      await job.commit((tx) => returnAttempt(tx, { clock: job.clock }, ending, returned))
      return 'ended'
    }
  }
}

type Stored = { outcome: Outcome; prepared: PreparedTry; ending: EndingCall; used: { nanoUsd: number; tokens: number } }

async function store(trialing: Trialing, sending: PromptSending, stored: Stored): Promise<End> {
  const { job, deps, hardStop } = trialing
  const { outcome, prepared, ending, used } = stored
  const { target, variant } = sending
  const { id: connectionId } = sending.prompt.source.connection
  const { errors } = ending.call
  const trace = tryTrace(prepared, outcome, traceIdOf(ending), {
    source: 'trial',
    run: variant.runId,
    metadata: callMetadata(ending),
  })
  const commit = (work: (tx: Queries) => Promise<unknown>) => job.commit(work, { resetAttempts: true })
  const reason = whyUnusable(outcome, target)
  const { failedBy, retryAfterSeconds } = outcome
  const isFailed = outcome.reason === 'failed'
  if (isFailed && (hardStop.aborted || failedBy === 'budget')) {
    // Its trial is over, or the process stops: the attempt says nothing about the call.
    await commit((tx) => returnAttempt(tx, deps, ending, { errors, dueSeconds: 0, reason: reason ?? STOPPED, ...used }))
    return failedBy === 'budget' ? { overBudget: reason ?? '' } : 'ended'
  }
  if (failedBy === 'unavailable') {
    const dueSeconds = deps.backoff.pause(connectionId, 1_000 * (retryAfterSeconds ?? 0)) / 1_000
    await commit((tx) => returnAttempt(tx, deps, ending, { errors, dueSeconds, reason: reason ?? '', ...used }))
    return 'ended'
  }
  if (!isFailed) deps.backoff.reset(connectionId)
  try {
    await commit((tx) => {
      if (reason === undefined) {
        return completeCall(tx, deps, ending, { ...used, durationMs: durationOf(outcome), trace })
      }
      if (outcome.isTransient)
        return failAttempt(tx, deps, ending, { reason, ...used, trace: errorTrace(trace, reason) })
      return failCall(tx, deps, ending, { reason, ...used, isRetryable: false, trace: errorTrace(trace, reason) })
    })
  } catch (error) {
    // An overloaded database says nothing about the call: the job is tried again, and sends it again.
    if (!(error instanceof AppError) || error.status >= 500) throw error
    // The trace cannot be stored, for example because of a quota. The call was paid for nevertheless.
    await commit((tx) => failWithoutTrace(tx, deps, ending, { reason: error.message, ...used, isRetryable: true }))
    return 'ended'
  }
  return reason === undefined ? 'ended' : brokenOrEnded(trialing, variant.number)
}

function errorTrace<Trace extends object>(trace: Trace, statusMessage: string) {
  return { ...trace, status: 'error' as const, statusMessage }
}
