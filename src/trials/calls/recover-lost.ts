/** Calls whose worker has not renewed its lease: the trace may have arrived without the request of the worker. */
import { nanosOf } from '../../spending/spending-limit.ts'
import type { Queries } from '../../storage/db.ts'
import { findTraceContents } from '../../traces/trace-contents.ts'
import type { TrialRow } from '../trial-queries.ts'
import type { Variant } from '../variant-queries.ts'
import { findCallTrace } from './call-item-queries.ts'
import { type CallRow, listLostCalls } from './call-queries.ts'
import { completeCall, type EndDeps, type EndingCall, failAttempt, skipCall, traceIdOf } from './end-call.ts'
import { LEASE_SECONDS } from './lease-seconds.ts'

const CALLS_PER_TRANSACTION = 25

const LOST = `The worker did not complete the call within its lease of ${LEASE_SECONDS} s, and did not extend it`

/** Ends or returns the calls of some leases that are over. Returns whether there may be more. */
export async function recoverLostCalls(
  tx: Queries,
  deps: EndDeps,
  { trial, variants }: { trial: TrialRow; variants: readonly Variant[] },
): Promise<boolean> {
  const of = { workspaceId: trial.workspaceId, trialId: trial.id }
  const lost = await listLostCalls(tx, of, { clock: deps.clock, limit: CALLS_PER_TRANSACTION })
  for (const call of lost) {
    const variant = variants.find(({ number }) => number === call.variant)
    if (variant) await recover(tx, deps, { trial, ending: endingOf(trial, variant, call) })
  }
  return lost.length === CALLS_PER_TRANSACTION
}

async function recover(
  tx: Queries,
  deps: EndDeps,
  { trial, ending }: { trial: TrialRow; ending: EndingCall },
): Promise<void> {
  const { workspaceId } = ending
  const traceId = traceIdOf(ending)
  const trace = await findCallTrace(tx, workspaceId, traceId)
  const nanoUsd = nanosOf(trace?.costUsd ?? 0)
  if (trace?.hasFinishedRoot && !trace.isFailed) {
    const content = (await findTraceContents(tx, workspaceId, [traceId])).get(traceId)
    if (content && content.output !== null) {
      await completeCall(tx, deps, ending, { nanoUsd, durationMs: null, trace: 'arrived' })
      return
    }
  }
  if (trial.endedBy !== null) await skipCall(tx, deps, ending, { reason: LOST, isRetryable: true })
  else await failAttempt(tx, deps, ending, { reason: LOST, nanoUsd })
}

export function endingOf(
  trial: Pick<TrialRow, 'workspaceId' | 'id' | 'componentId' | 'datasetId' | 'name'>,
  variant: Pick<Variant, 'number' | 'name' | 'runId'>,
  call: CallRow,
): EndingCall {
  return {
    workspaceId: trial.workspaceId,
    trialId: trial.id,
    componentId: trial.componentId,
    datasetId: trial.datasetId,
    trialName: trial.name,
    variant,
    call,
    attempt: call.attempt,
  }
}
