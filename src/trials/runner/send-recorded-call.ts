/** Links the recorded trace of an item to the run of its variant: the answer that was given then. */
import { findRecordedTrace } from '../calls/call-item-queries.ts'
import { startCall } from '../calls/call-queries.ts'
import { completeCall, failCall } from '../calls/end-call.ts'
import { endingOf } from '../calls/recover-lost.ts'
import type { Variant } from '../variant-queries.ts'
import { brokenOrEnded, type Calling, type End, findItem } from './sending.ts'
import type { Trialing } from './trialing.ts'

/** A trace that ended with an error is an error of the run, as it was then. */
export async function sendRecordedCall(trialing: Trialing, variant: Variant, { call }: Calling): Promise<End> {
  const { job, deps, of, trial } = trialing
  const item = await findItem(trialing, variant, call)
  if (!item) return 'ended'
  const { traceRef } = item
  const isDone = await job.commit(
    async (tx) => {
      const started = await startCall(tx, job.clock, { ...of, number: call.number }, { lease: null })
      if (!started) return true
      const ending = { ...endingOf(trial, variant, call), attempt: started.attempt }
      const found = traceRef === null ? undefined : await findRecordedTrace(tx, of.workspaceId, traceRef)
      // What it has cost was paid then.
      const nanoUsd = 0
      if (found && traceRef !== null) return completeCall(tx, deps, ending, { ...found, nanoUsd, recorded: traceRef })
      await failCall(tx, deps, ending, { ...(traceRef === null ? NO_TRACE : NOT_ARRIVED), nanoUsd })
      return false
    },
    { resetAttempts: true },
  )
  return isDone ? 'ended' : brokenOrEnded(trialing, variant.number)
}

const NO_TRACE = { reason: 'The item was not created from a trace', isRetryable: false }
/** A trace may arrive after its item. */
const NOT_ARRIVED = { reason: 'The trace of the item has not arrived, or was deleted', isRetryable: true }
