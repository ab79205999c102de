/** The ends of the calls of an experiment: each is one transaction with its cost. */
import { timestamp } from '../../base/clock.ts'
import type { Outcome } from '../../playground/run-try.ts'
import type { Queries } from '../../storage/db.ts'
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

export type EndedCall = Parameters<typeof endExperimentCall>[2]

/** `alongside` is written in the same transaction. */
export async function endCall(
  { job, of }: Running,
  { number }: OpenCall,
  ended: EndedCall,
  alongside?: (tx: Queries) => Promise<void>,
): Promise<'ended'> {
  await job.commit(
    async (tx) => {
      if (!(await endExperimentCall(tx, { ...of, number }, ended))) return
      await addSpent(tx, of, { nanoUsd: ended.nanoUsd, now: timestamp(job.clock.now()) })
      await alongside?.(tx)
    },
    { resetAttempts: true },
  )
  return 'ended'
}

type Returned = { errors: number; dueSeconds: number; reason: string; nanoUsd: number }

async function returnCall({ job, of }: Running, { number }: OpenCall, returned: Returned): Promise<void> {
  await job.commit(
    async (tx) => {
      await returnExperimentCall(tx, job.clock, { ...of, number }, returned)
      await addSpent(tx, of, { nanoUsd: returned.nanoUsd, now: timestamp(job.clock.now()) })
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
  await returnCall(sending, call, { errors: call.errors, dueSeconds: 0, reason, nanoUsd: attempt.nanoUsd })
  return attempt.overBudget === undefined ? 'ended' : { overBudget: attempt.overBudget }
}

type Failure = Pick<Outcome, 'error' | 'failedBy' | 'isTransient' | 'retryAfterSeconds'> & {
  attempt: Attempt
  pausedBy: string
}

/** An overloaded provider uses no attempt; its own errors use five. */
export async function returnAfterFailure(sending: Sending, call: OpenCall, failure: Failure): Promise<End> {
  const { deps, hardStop } = sending
  const { attempt, failedBy, isTransient, retryAfterSeconds, pausedBy } = failure
  const reason = failure.error ?? 'The call failed'
  const { nanoUsd } = attempt
  if (hardStop.aborted || failedBy === 'budget') return returnUnanswered(sending, call, { attempt, reason })
  if (failedBy === 'unavailable') {
    const dueSeconds = deps.backoff.pause(pausedBy, 1_000 * (retryAfterSeconds ?? 0)) / 1_000
    await returnCall(sending, call, { errors: call.errors, dueSeconds, reason, nanoUsd })
    return 'ended'
  }
  const errors = call.errors + 1
  if (isTransient && errors < ERRORS_MAX) {
    const paused = Math.min((deps.retryPauseMs / 1_000) * 2 ** call.errors, PAUSE_SECONDS_MAX)
    await returnCall(sending, call, { errors, dueSeconds: Math.max(paused, retryAfterSeconds ?? 0), reason, nanoUsd })
    return 'ended'
  }
  return endCall(sending, call, { state: 'failed', nanoUsd, reason })
}

/** Calls that were sent by a worker that is gone. A provider may bill them, so they are charged at their maximum. */
export async function recoverSentExperimentCalls(running: Running): Promise<void> {
  const open = await listOpenExperimentCalls(running.job.db.read, running.job.clock, running.of)
  for (const call of open.filter(({ state }) => state === 'running')) {
    const { errors, reservedNanoUsd: nanoUsd } = call
    await returnCall(running, call, { errors, dueSeconds: 0, reason: SENT_AGAIN, nanoUsd })
  }
}

const SENT_AGAIN = 'The server was stopped before the answer came; the call is charged at its maximum and sent again'
