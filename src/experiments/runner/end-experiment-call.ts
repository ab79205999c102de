/** The ends of the calls of an experiment: each is one transaction with its cost. */
import { timestamp } from '../../base/clock.ts'
import { AppError } from '../../base/errors.ts'
import type { Trace } from '../../ingestion/native-trace.ts'
import type { Outcome } from '../../playground/run-try.ts'
import type { Queries } from '../../storage/db.ts'
import { storeCallTrace } from '../calls/call-traces.ts'
import {
  endExperimentCall,
  listOpenExperimentCalls,
  type OpenCall,
  returnExperimentCall,
} from '../calls/experiment-call-queries.ts'
import { addSpent } from '../experiment-queries.ts'
import type { Attempt } from './experiment-budget.ts'
import type { End, Running, Sending } from './searching.ts'

const ERRORS_MAX = 5
const PAUSE_SECONDS_MAX = 60

export type EndedCall = Omit<Parameters<typeof endExperimentCall>[2], 'nanoUsd' | 'traceId'>

type Used = Pick<Attempt, 'nanoUsd' | 'tokens'>

type With = {
  /** What the attempt has used. */
  used: Used
  /** Undefined if no model was asked. */
  trace?: Trace | undefined
  /** Is written in the same transaction. */
  alongside?: (tx: Queries) => Promise<void>
}

export async function endCall(
  running: Running,
  { number }: OpenCall,
  ended: EndedCall,
  { used, trace, alongside }: With,
): Promise<'ended'> {
  const { job, deps, of, experiment } = running
  const { nanoUsd, tokens } = used
  const { workspaceId, componentId } = experiment
  const { clock, newId } = job
  const end = (stored: Trace | undefined) =>
    job.commit(
      async (tx) => {
        const traceId = stored?.traceId ?? null
        if (!(await endExperimentCall(tx, { ...of, number }, { ...ended, nanoUsd, traceId }))) return
        if (stored) await storeCallTrace(tx, { clock, newId, ingest: deps.ingest, workspaceId, componentId }, stored)
        // Last, because all calls of the experiment contend for its row.
        await addSpent(tx, of, { nanoUsd, tokens, now: timestamp(clock.now()) })
        await alongside?.(tx)
      },
      { resetAttempts: true },
    )
  try {
    await end(trace)
  } catch (error) {
    if (!trace || !(error instanceof AppError) || error.status >= 500) throw error
    // It cannot be stored, for example because of a quota. The answer was paid for, and the search does not need the trace.
    await end(undefined)
  }
  return 'ended'
}

type Returned = { errors: number; dueSeconds: number; reason: string } & Used

async function returnCall(
  { job, of }: Running,
  { number }: OpenCall,
  { tokens, ...returned }: Returned,
): Promise<void> {
  await job.commit(
    async (tx) => {
      await returnExperimentCall(tx, job.clock, { ...of, number }, returned)
      await addSpent(tx, of, { nanoUsd: returned.nanoUsd, tokens, now: timestamp(job.clock.now()) })
    },
    { resetAttempts: true },
  )
}

/** It was not sent, or was stopped: the attempt says nothing about the call. */
export async function returnUnanswered(
  sending: Sending,
  call: OpenCall,
  { attempt, reason }: { attempt: Attempt; reason: string },
): Promise<End> {
  const { nanoUsd, tokens } = attempt
  await returnCall(sending, call, { errors: call.errors, dueSeconds: 0, reason, nanoUsd, tokens })
  return attempt.overBudget === undefined ? 'ended' : { overBudget: attempt.overBudget }
}

type Failure = Pick<Outcome, 'error' | 'failedBy' | 'isTransient' | 'retryAfterSeconds'> & {
  attempt: Attempt
  pausedBy: string
  trace: Trace | undefined
}

/** An overloaded provider uses no attempt; its own errors use five. */
export async function returnAfterFailure(sending: Sending, call: OpenCall, failure: Failure): Promise<End> {
  const { deps, hardStop } = sending
  const { attempt, failedBy, isTransient, retryAfterSeconds, pausedBy } = failure
  const reason = failure.error ?? 'The call failed'
  const used = { nanoUsd: attempt.nanoUsd, tokens: attempt.tokens }
  if (hardStop.aborted || failedBy === 'budget') return returnUnanswered(sending, call, { attempt, reason })
  if (failedBy === 'unavailable') {
    const dueSeconds = deps.backoff.pause(pausedBy, 1_000 * (retryAfterSeconds ?? 0)) / 1_000
    await returnCall(sending, call, { errors: call.errors, dueSeconds, reason, ...used })
    return 'ended'
  }
  const errors = call.errors + 1
  if (isTransient && errors < ERRORS_MAX) {
    const paused = Math.min((deps.retryPauseMs / 1_000) * 2 ** call.errors, PAUSE_SECONDS_MAX)
    await returnCall(sending, call, { errors, dueSeconds: Math.max(paused, retryAfterSeconds ?? 0), reason, ...used })
    return 'ended'
  }
  return endCall(sending, call, { state: 'failed', reason }, { used, trace: failure.trace })
}

/** Calls that were sent by a worker that is gone. A provider may bill them, so they are charged at their maximum. */
export async function recoverSentExperimentCalls(running: Running): Promise<void> {
  const open = await listOpenExperimentCalls(running.job.db.read, running.job.clock, running.of)
  for (const call of open.filter(({ state }) => state === 'running')) {
    const { errors, reservedNanoUsd: nanoUsd } = call
    // How many tokens it has used is not known.
    await returnCall(running, call, { errors, dueSeconds: 0, reason: SENT_AGAIN, nanoUsd, tokens: 0 })
  }
}

const SENT_AGAIN = 'The server was stopped before the answer came; the call is charged at its maximum and sent again'
