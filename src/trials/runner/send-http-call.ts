/**
 * Calls a service of the user. The attempt begins when it is the turn of the call, just before the request: a process that is killed
 * leaves calls that run for those that were sent, and they are sent again.
 */
import { timestamp } from '../../base/clock.ts'
import { AppError } from '../../base/errors.ts'
import { type CallResult, callEndpoint } from '../../endpoints/call-endpoint.ts'
import { rootSpanIdOf } from '../../ingestion/native-trace.ts'
import { readInput } from '../../playground/item-values.ts'
import { BudgetError } from '../../spending/ledger.ts'
import { nanosOf } from '../../spending/spending-limit.ts'
import type { Queries } from '../../storage/db.ts'
import { findTraceContents } from '../../traces/trace-contents.ts'
import { findCallTrace } from '../calls/call-item-queries.ts'
import { startCall } from '../calls/call-queries.ts'
import {
  completeCall,
  type EndingCall,
  failAttempt,
  failCall,
  failWithoutTrace,
  returnAttempt,
  rootTrace,
  traceIdOf,
} from '../calls/end-call.ts'
import { endingOf } from '../calls/recover-lost.ts'
import { type HttpTarget, openEndpoint } from '../targets/http-target.ts'
import { listVariants, markBroken, spentOf, type Variant } from '../variant-queries.ts'
import { CallNotWanted } from './call-budget.ts'
import { brokenOrEnded, type Calling, type End, findItem, rejection, STOPPED } from './sending.ts'
import type { Trialing } from './trialing.ts'

export type HttpSending = { variant: Variant; target: HttpTarget; pausedBy: string }

export async function sendHttpCall(trialing: Trialing, sending: HttpSending, { call }: Calling): Promise<End> {
  const { job, deps, of, trial, hardStop } = trialing
  const { variant, target } = sending
  const { workspaceId } = trial
  // For each call: what an admin changes or deletes holds at once, also for its headers.
  const endpoint = await openEndpoint(job.db.read, deps.access.secrets, workspaceId, target).catch(rejection)
  if (endpoint instanceof AppError) {
    await job.commit((tx) => markBroken(tx, { ...of, number: variant.number }, endpoint.message))
    return 'broken'
  }
  const item = await findItem(trialing, variant, call)
  if (!item) return 'ended'
  // Of the attempt that begins when it is the turn of the call.
  const ending = { ...endingOf(trial, variant, call), attempt: call.attempt + 1 }
  const traceId = traceIdOf(ending)
  let startedAt: string | undefined
  const begin = async () => {
    await job.commit((tx) => beginAttempt(tx, trialing, ending))
    startedAt = timestamp(job.clock.now())
  }
  const { egress } = deps.access
  try {
    const result = await callEndpoint(
      { egress, hostLimits: deps.hostLimits, clock: job.clock },
      {
        endpoint,
        body: target.body,
        input: item.input === null ? undefined : readInput(item.input),
        output: target.output,
        span: { traceId, spanId: rootSpanIdOf(traceId) },
        application: workspaceId,
        owner: of.trialId,
        signal: hardStop,
        onStart: begin,
      },
    )
    if (startedAt === undefined) {
      if (hardStop.aborted) return 'ended'
      // The item does not fit the template, so nothing was sent.
      await begin()
    }
    const started = { ...ending, call: { ...call, startedAt: startedAt ?? null } }
    return await store(trialing, sending, { result, ending: started, input: item.input })
  } catch (error) {
    if (error instanceof CallNotWanted) return 'ended'
    if (error instanceof BudgetError) return { overBudget: error.message }
    throw error
  }
}

/** What a call costs is known only afterwards, so none begins once the limit is reached. */
async function beginAttempt(tx: Queries, { job, of, trial }: Trialing, { call, attempt }: EndingCall): Promise<void> {
  if (trial.maxNanoUsd !== null) {
    const spent = spentOf(await listVariants(tx, of))
    const limit = Number(trial.maxNanoUsd)
    if (spent >= limit) throw new BudgetError(`The cost limit of $${limit / 1e9} (maxCostUsd) is reached`)
  }
  const started = await startCall(tx, job.clock, { ...of, number: call.number }, { lease: null })
  // The trace that was announced to the service is that of this attempt only.
  if (started?.attempt !== attempt) throw new CallNotWanted()
}

type Stored = { result: CallResult; ending: EndingCall; input: string | null }

async function store(trialing: Trialing, { variant, pausedBy }: HttpSending, stored: Stored): Promise<End> {
  const { job, deps, hardStop } = trialing
  const { result, ending, input } = stored
  const { errors } = ending.call
  const commit = (work: (tx: Queries) => Promise<unknown>) => job.commit(work, { resetAttempts: true })
  if (!result.isDone && ((result.isTransient && hardStop.aborted) || result.isUnavailable)) {
    // The attempt says nothing about the call.
    const isStopped = hardStop.aborted
    const dueSeconds = isStopped ? 0 : deps.backoff.pause(pausedBy, result.retryAfterMs ?? 0) / 1_000
    const reason = isStopped ? STOPPED : result.message
    await commit(async (tx) =>
      returnAttempt(tx, deps, ending, { errors, dueSeconds, reason, nanoUsd: await reportedCost(tx, ending) }),
    )
    return 'ended'
  }
  if (result.status !== null) deps.backoff.reset(pausedBy)
  const content = { ...(input !== null && { input }) }
  try {
    await commit(async (tx) => {
      const nanoUsd = await reportedCost(tx, ending)
      if (result.isDone) {
        const output = result.output === null ? 'null' : result.output
        const trace = (await hasOwnRoot(tx, ending))
          ? ('arrived' as const)
          : rootTrace(deps, ending, { ...content, status: 'ok', output })
        return completeCall(tx, deps, ending, { nanoUsd, durationMs: result.durationMs, trace })
      }
      const reason = result.message
      const trace = rootTrace(deps, ending, { ...content, status: 'error', statusMessage: reason })
      if (result.isTransient) return failAttempt(tx, deps, ending, { reason, nanoUsd, trace })
      return failCall(tx, deps, ending, { reason, nanoUsd, isRetryable: false, trace })
    })
  } catch (error) {
    // An overloaded database says nothing about the call: the job is tried again, and sends it again.
    if (!(error instanceof AppError) || error.status >= 500) throw error
    // The trace cannot be stored, for example because of a quota.
    const failed = { reason: error.message, isRetryable: true }
    await commit(async (tx) =>
      failWithoutTrace(tx, deps, ending, { ...failed, nanoUsd: await reportedCost(tx, ending) }),
    )
    return 'ended'
  }
  return result.isDone ? 'ended' : brokenOrEnded(trialing, variant.number)
}

/** A second root would hide the one that the service has sent. */
async function hasOwnRoot(tx: Queries, ending: EndingCall): Promise<boolean> {
  const traceId = traceIdOf(ending)
  const content = (await findTraceContents(tx, ending.workspaceId, [traceId])).get(traceId)
  return content?.rootHas.output === true
}

/** Of the spans that the service has sent so far. */
export async function reportedCost(tx: Queries, ending: EndingCall): Promise<number> {
  return nanosOf((await findCallTrace(tx, ending.workspaceId, traceIdOf(ending)))?.costUsd ?? 0)
}
