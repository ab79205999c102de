/** What a worker reports about a call that it has leased. All of it may be repeated: the call has one end. */
import { conflict, notFound } from '../../base/errors.ts'
import { nanosOf } from '../../spending/spending-limit.ts'
import type { Db, Queries } from '../../storage/db.ts'
import { findTraceContents } from '../../traces/trace-contents.ts'
import { requireTrial, type TrialInComponent, type TrialRow } from '../trial-queries.ts'
import { listVariants } from '../variant-queries.ts'
import { findCallItems, findCallTrace } from './call-item-queries.ts'
import { type CallRow, extendLease, isLeased, lockCall } from './call-queries.ts'
import {
  completeCall,
  type EndDeps,
  type EndingCall,
  failAttempt,
  failCall,
  returnAttempt,
  rootTrace,
  skipCall,
  traceIdOf,
} from './end-call.ts'
import { LEASE_SECONDS } from './lease-seconds.ts'
import { endingOf } from './recover-lost.ts'

export type LeasedCall = TrialInComponent & { number: number; lease: string }
type Deps = EndDeps & { db: Db }

export async function completeLeasedCall(
  { db, ...deps }: Deps,
  { output, costUsd, ...leased }: LeasedCall & { output: unknown; costUsd?: number | undefined },
) {
  return db.transaction(async (tx) => {
    const { ending, call, state } = await requireLease(tx, deps, leased, ['done'])
    const traceId = traceIdOf(ending)
    if (state === 'ended') return { state: call.state, traceId }
    const { workspaceId, datasetId } = ending
    const arrived = await findCallTrace(tx, workspaceId, traceId)
    const content = arrived && (await findTraceContents(tx, workspaceId, [traceId])).get(traceId)
    const items = await findCallItems(tx, { workspaceId, datasetId }, [call.itemId])
    const answer = {
      status: 'ok' as const,
      input: items.get(call.itemId)?.input ?? undefined,
      output: output === null ? 'null' : output,
      ...(costUsd !== undefined && { costUsd }),
    }
    // A root that has an output is the answer as the worker has recorded it; a second root would hide it.
    const trace = content?.rootHas.output ? 'arrived' : rootTrace(deps, ending, answer)
    const nanoUsd = nanosOf(costUsd ?? arrived?.costUsd ?? 0)
    const durationMs = call.startedAt === null ? null : deps.clock.now() - Date.parse(call.startedAt)
    await completeCall(tx, deps, ending, { nanoUsd, durationMs, trace })
    return { state: 'done', traceId }
  }, leased.workspaceId)
}

export async function failLeasedCall(
  { db, ...deps }: Deps,
  { error, isTransient, ...leased }: LeasedCall & { error: string; isTransient: boolean },
) {
  return db.transaction(async (tx) => {
    const { ending, call, state } = await requireLease(tx, deps, leased, ['failed', 'retrying'])
    const traceId = traceIdOf(ending)
    if (state === 'ended') return { state: call.state, traceId }
    const trace = await findCallTrace(tx, ending.workspaceId, traceId)
    const failed = { reason: error, nanoUsd: nanosOf(trace?.costUsd ?? 0) }
    if (isTransient) return { state: await failAttempt(tx, deps, ending, failed), traceId }
    await failCall(tx, deps, ending, { ...failed, isRetryable: false })
    return { state: 'failed', traceId }
  }, leased.workspaceId)
}

/** Without an error of the call: a worker that is stopped uses no attempt, and others get the call at once. */
export async function releaseLeasedCall({ db, ...deps }: Deps, leased: LeasedCall) {
  return db.transaction(async (tx) => {
    const { trial, ending, call, state } = await requireLease(tx, deps, leased, ['retrying', 'skipped'])
    const traceId = traceIdOf(ending)
    if (state === 'ended') return { state: call.state, traceId }
    if (trial.endedBy !== null) {
      await skipCall(tx, deps, ending, { reason: RELEASED, isRetryable: true })
      return { state: 'skipped', traceId }
    }
    const trace = await findCallTrace(tx, ending.workspaceId, traceId)
    const nanoUsd = nanosOf(trace?.costUsd ?? 0)
    await returnAttempt(tx, deps, ending, { errors: call.errors, dueSeconds: 0, reason: RELEASED, nanoUsd })
    return { state: 'retrying', traceId }
  }, leased.workspaceId)
}

const RELEASED = 'The worker was stopped before the answer came'

export async function extendLeasedCall({ db, ...deps }: Deps, leased: LeasedCall) {
  return db.transaction(async (tx) => {
    const { trial } = await requireLease(tx, deps, leased, [])
    if (trial.endedBy !== null) throw hasEnded(trial)
    return { leaseUntil: await extendLease(tx, deps.clock, scopeOf(leased), LEASE_SECONDS) }
  }, leased.workspaceId)
}

type Required = { trial: TrialRow; ending: EndingCall; call: CallRow; state: 'leased' | 'ended' }

/** Throws 404, or 409 unless the lease is the current one. `ended` if this lease has led to one of the ends already. */
async function requireLease(
  tx: Queries,
  { clock }: EndDeps,
  leased: LeasedCall,
  ends: readonly CallRow['state'][],
): Promise<Required> {
  const trial = await requireTrial(tx, leased)
  const call = await lockCall(tx, scopeOf(leased))
  const variant = call && (await listVariants(tx, leased)).find(({ number }) => number === call.variant)
  if (!call || variant?.target.type !== 'worker') throw notFound('Call')
  const ending = endingOf(trial, variant, call)
  const isSame = call.lease === leased.lease.toLowerCase()
  if (isSame && ends.includes(call.state)) return { trial, ending, call, state: 'ended' }
  if (trial.status !== 'running') throw hasEnded(trial)
  if (isSame && (await isLeased(tx, clock, scopeOf(leased)))) return { trial, ending, call, state: 'leased' }
  throw conflict(
    `This is not the current lease of the call: it lasts ${LEASE_SECONDS} s, and can be extended before it is over (…/extend). Lease calls again`,
  )
}

function hasEnded({ endedBy, status }: TrialRow) {
  return conflict(`The trial has ended (${endedBy ?? status}), so the call is not needed any more`)
}

function scopeOf({ workspaceId, trialId, number }: LeasedCall) {
  return { workspaceId, trialId, number }
}
