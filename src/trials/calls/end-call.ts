/**
 * How calls end, for all targets: the row, the counts of the variant and the link of the trace to the run change in one transaction, and
 * only once. The trace of the attempt that ended the call is linked to the run, also if it failed; those of other attempts are not.
 */
import { type Clock, timestamp } from '../../base/clock.ts'
import type { NewId } from '../../base/ids.ts'
import { lockComponent } from '../../components/component-queries.ts'
import { lockDataset } from '../../datasets/dataset-queries.ts'
import type { Ingest } from '../../ingestion/ingest-spans.ts'
import { spansOfTrace, type Trace } from '../../ingestion/native-trace.ts'
import { wakeJob } from '../../jobs/enqueue.ts'
import {
  findRun,
  insertRunTraceItems,
  insertRunTraces,
  lockRunExclusive,
  updateTraceCount,
} from '../../runs/run-queries.ts'
import { dbWithin, type Queries } from '../../storage/db.ts'
import { readerOf } from '../../traces/storing/received-span.ts'
import { markTracesOfRun } from '../../traces/storing/run-source-queries.ts'
import { breakVariant, countCalls } from '../variant-queries.ts'
import { findCallTrace } from './call-item-queries.ts'
import { type CallRow, hasOpenCalls, markCallEnded, returnCall } from './call-queries.ts'
import { callTraceId } from './call-trace-id.ts'

/** After this many failures without one answer, further calls would fail, too. */
const REJECTED_MAX = 20
/** Of errors of the call itself. */
const ERRORS_MAX = 5
const PAUSE_SECONDS_MAX = 60

export type EndDeps = { clock: Clock; newId: NewId; ingest: Ingest; retryPauseMs: number }

/** A call with what it belongs to. */
export type EndingCall = {
  workspaceId: string
  trialId: string
  componentId: string
  datasetId: string
  trialName: string | null
  variant: { number: number; name: string; runId: string }
  call: Pick<CallRow, 'number' | 'itemId' | 'repetition' | 'errors' | 'startedAt'>
  attempt: number
}

export function traceIdOf({ trialId, variant, call, attempt }: EndingCall): string {
  return callTraceId({ trialId, variant: variant.number, ...call, attempt })
}

type Used = {
  nanoUsd: number
  /** Default: none, because the server has asked no model. */
  tokens?: number
}

/** `recorded`: the id of a trace that is there already, and belongs to what it was recorded for. */
type Done = Used & { durationMs: number | null } & ({ trace: Trace | 'arrived' } | { recorded: string })

/** Returns false if the call has ended already. */
export async function completeCall(tx: Queries, deps: EndDeps, ending: EndingCall, done: Done): Promise<boolean> {
  const { nanoUsd, tokens = 0, durationMs } = done
  if (!(await markCallEnded(tx, scopeOf(ending), { state: 'done', reason: null, nanoUsd, durationMs }))) return false
  if ('recorded' in done) await linkRecordedTrace(tx, deps, ending, done.recorded)
  else await linkTrace(tx, deps, ending, done.trace)
  await countCalls(tx, variantOf(ending), { done: 1, nanoUsd, tokens })
  await wakeIfOver(tx, deps, ending)
  return true
}

type Failed = Used & { reason: string; isRetryable: boolean; trace?: Trace | undefined }

/** For errors that another attempt would not change. Without a trace, the one that has arrived is linked, or one with the error is written. */
export async function failCall(tx: Queries, deps: EndDeps, ending: EndingCall, failed: Failed): Promise<boolean> {
  const { reason, nanoUsd, tokens = 0, isRetryable } = failed
  if (!(await markCallEnded(tx, scopeOf(ending), { state: 'failed', reason, nanoUsd, isRetryable }))) return false
  const hasArrived = !failed.trace && (await findCallTrace(tx, ending.workspaceId, traceIdOf(ending))) !== undefined
  const trace = failed.trace ?? rootTrace(deps, ending, { status: 'error', statusMessage: reason })
  await linkTrace(tx, deps, ending, hasArrived ? 'arrived' : trace)
  await countCalls(tx, variantOf(ending), { failed: 1, nanoUsd, tokens })
  const broken = `No call succeeded, and ${REJECTED_MAX} have failed; the last one: ${reason}`
  const isBroken = await breakVariant(tx, variantOf(ending), { failuresMin: REJECTED_MAX, reason: broken })
  // The job skips the other calls of the variant.
  if (isBroken) await wake(tx, deps, ending)
  else await wakeIfOver(tx, deps, ending)
  return true
}

/** For a call whose trace cannot be stored. */
export async function failWithoutTrace(
  tx: Queries,
  deps: Pick<EndDeps, 'clock'>,
  ending: EndingCall,
  { reason, nanoUsd, tokens = 0, isRetryable }: Failed,
): Promise<void> {
  if (!(await markCallEnded(tx, scopeOf(ending), { state: 'failed', reason, nanoUsd, isRetryable }))) return
  await countCalls(tx, variantOf(ending), { failed: 1, nanoUsd, tokens })
  await wakeIfOver(tx, deps, ending)
}

/** For errors after which another attempt may succeed: the call waits, or fails after too many of them. */
export async function failAttempt(
  tx: Queries,
  deps: EndDeps,
  ending: EndingCall,
  { trace, ...failed }: Omit<Failed, 'isRetryable'>,
): Promise<'retrying' | 'failed' | 'ended'> {
  const errors = ending.call.errors + 1
  if (errors >= ERRORS_MAX) {
    const isEnded = await failCall(tx, deps, ending, { ...failed, isRetryable: true, trace })
    return isEnded ? 'failed' : 'ended'
  }
  const pauseSeconds = (deps.retryPauseMs / 1_000) * 2 ** (errors - 1)
  const dueSeconds = Math.min(pauseSeconds, PAUSE_SECONDS_MAX)
  return (await returnAttempt(tx, deps, ending, { errors, dueSeconds, ...failed })) ? 'retrying' : 'ended'
}

/** The call waits; what the attempt has cost is kept. */
export async function returnAttempt(
  tx: Queries,
  { clock }: Pick<EndDeps, 'clock'>,
  ending: EndingCall,
  { tokens = 0, ...returned }: Used & { errors: number; dueSeconds: number; reason: string },
): Promise<boolean> {
  if (!(await returnCall(tx, clock, scopeOf(ending), returned))) return false
  const { nanoUsd } = returned
  if (nanoUsd + tokens > 0) await countCalls(tx, variantOf(ending), { nanoUsd, tokens })
  return true
}

/** Skipped calls have no trace. */
export async function skipCall(
  tx: Queries,
  deps: Pick<EndDeps, 'clock'>,
  ending: EndingCall,
  { reason, isRetryable }: { reason: string; isRetryable: boolean },
): Promise<void> {
  if (!(await markCallEnded(tx, scopeOf(ending), { state: 'skipped', reason, nanoUsd: 0, isRetryable }))) return
  await countCalls(tx, variantOf(ending), { skipped: 1 })
  await wakeIfOver(tx, deps, ending)
}

/** The root of a call that something else than the server has answered. */
export function rootTrace(
  { clock }: Pick<EndDeps, 'clock'>,
  ending: EndingCall,
  content: Pick<Trace, 'status' | 'statusMessage' | 'input' | 'output' | 'costUsd'>,
): Trace {
  const { trialName, variant, call } = ending
  return {
    traceId: traceIdOf(ending),
    name: `trial ${trialName ?? variant.name}`,
    kind: 'chain',
    tags: ['trial'],
    ...(call.startedAt !== null && { startTime: call.startedAt }),
    endTime: timestamp(clock.now()),
    run: variant.runId,
    itemId: call.itemId,
    metadata: { 'touchstone.source': 'trial', ...callMetadata(ending) },
    ...content,
  }
}

/** Attributes of the root of every call. */
export function callMetadata({ trialId, variant, call, attempt }: EndingCall): Record<string, unknown> {
  return {
    'touchstone.trial.id': trialId,
    'touchstone.trial.variant': variant.name,
    'touchstone.trial.repetition': call.repetition,
    'touchstone.trial.attempt': attempt,
  }
}

async function linkTrace(tx: Queries, deps: EndDeps, ending: EndingCall, trace: Trace | 'arrived'): Promise<void> {
  const { workspaceId, componentId, datasetId, variant, call } = ending
  const runScope = { workspaceId, componentId, runId: variant.runId }
  if (trace !== 'arrived') {
    const [run] = await findRun(tx, runScope)
    // Otherwise, a run that was deleted would be created again under its id.
    const { run: _, itemId: __, ...unlinked } = trace
    const spans = spansOfTrace(run ? trace : unlinked, { nowMs: deps.clock.now(), newId: deps.newId })
    await deps.ingest({ workspaceId, componentId, within: dbWithin(tx) }, readerOf(spans))
    return
  }
  // The order of all locks: see `linkTraces` of runs.
  if (!(await lockComponent(tx, workspaceId, componentId))) return
  const traceRef = traceIdOf(ending)
  const rollups = await markTracesOfRun(tx, workspaceId, [traceRef])
  const isThere =
    (await lockDataset(tx, { workspaceId, componentId, datasetId })) && (await lockRunExclusive(tx, runScope))
  if (isThere) {
    const links = [{ traceRef, itemId: call.itemId }]
    const createdAt = timestamp(deps.clock.now())
    const added = await insertRunTraceItems(tx, { ...runScope, links, createdAt })
    if (added > 0) await updateTraceCount(tx, { ...runScope, added })
  }
  await rollups.write(tx, workspaceId)
}

/**
 * As a request links it, so that later spans of the trace do not remove the link. The trace still counts as production. Of several
 * repetitions, the first links it.
 */
async function linkRecordedTrace(
  tx: Queries,
  { clock }: Pick<EndDeps, 'clock'>,
  { workspaceId, componentId, datasetId, variant: { runId } }: EndingCall,
  traceRef: string,
): Promise<void> {
  const isThere =
    (await lockComponent(tx, workspaceId, componentId)) &&
    (await lockDataset(tx, { workspaceId, componentId, datasetId })) &&
    (await lockRunExclusive(tx, { workspaceId, runId }))
  if (!isThere) return
  const createdAt = timestamp(clock.now())
  const added = await insertRunTraces(tx, { workspaceId, runId, traceRefs: [traceRef], createdAt })
  if (added > 0) await updateTraceCount(tx, { workspaceId, runId, added })
}

/** The job waits for workers. If two calls end at the same moment, neither may see the other: the job also looks by itself. */
async function wakeIfOver(tx: Queries, deps: Pick<EndDeps, 'clock'>, ending: EndingCall): Promise<void> {
  if (!(await hasOpenCalls(tx, ending))) await wake(tx, deps, ending)
}

async function wake(
  tx: Queries,
  { clock }: Pick<EndDeps, 'clock'>,
  { workspaceId, trialId }: Pick<EndingCall, 'workspaceId' | 'trialId'>,
): Promise<void> {
  await wakeJob(tx, { clock }, { workspaceId, kind: 'trial', payload: { trialId } })
}

function scopeOf({ workspaceId, trialId, call: { number } }: EndingCall) {
  return { workspaceId, trialId, number }
}

function variantOf({ workspaceId, trialId, variant: { number } }: EndingCall) {
  return { workspaceId, trialId, number }
}
