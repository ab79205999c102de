/**
 * Workers fetch calls: no connection is opened to them. A call belongs to the worker that has its lease, until the lease is over. A
 * request that finds no call may wait; it then looks again from time to time, and is no burden to others.
 */
import { setTimeout as delay } from 'node:timers/promises'
import { type Clock, elapsedMs } from '../../base/clock.ts'
import { notFound } from '../../base/errors.ts'
import { chunksOf } from '../../base/event-loop.ts'
import { findComponent } from '../../components/component-queries.ts'
import { readInput } from '../../playground/item-values.ts'
import type { Db, Queries } from '../../storage/db.ts'
import { findTrial, lockCalling, requireTrial } from '../trial-queries.ts'
import { listVariants, listWorkingTrials, spentOf, type WorkerQueue } from '../variant-queries.ts'
import { findCallItems } from './call-item-queries.ts'
import { type CallRow, countRunningCalls, hasLostCalls, listDueCalls, startCall } from './call-queries.ts'
import { callTraceId, traceParentOf } from './call-trace-id.ts'
import { type EndDeps, skipCall } from './end-call.ts'
import { LEASE_SECONDS } from './lease-seconds.ts'
import { endingOf, recoverLostCalls } from './recover-lost.ts'

const POLL_MS = 500
/** Of the inputs in a response, which has at least one call: a hundred large ones would be parsed and written in one turn. */
const INPUT_LENGTH_MAX = 1 << 20
const ITEMS_AT_ONCE = 10

export type LeaseRequest = WorkerQueue & { max: number; waitSeconds: number }

type Working = Awaited<ReturnType<typeof listWorkingTrials>>[number]

/** Throws 404 if the trial or the component does not exist. */
export async function requireWork(q: Queries, { workspaceId, componentId, trialId }: LeaseRequest): Promise<void> {
  if (trialId !== undefined) {
    await requireTrial(q, { workspaceId, componentId, trialId })
    return
  }
  const [component] = await findComponent(q, { workspaceId, componentId })
  if (!component) throw notFound('Component')
}

/** Waits for calls, at most for the time of the request and as long as the client is connected. */
export async function leaseWhenDue(
  { db, ...deps }: EndDeps & { db: Db },
  request: LeaseRequest,
  isRead: () => boolean = () => true,
) {
  const until = elapsedMs(deps.clock) + request.waitSeconds * 1_000
  for (;;) {
    // Calls that are leased to a client that has left would wait for a minute.
    if (!isRead()) return { calls: [] }
    const calls = await leaseNow({ db, ...deps }, request)
    const leftMs = until - elapsedMs(deps.clock)
    if (calls.length > 0 || leftMs <= 0) return { calls }
    await delay(Math.min(POLL_MS, leftMs))
  }
}

/** Of trials with the same queue, those with fewer calls at work come first, so that they progress together. */
async function leaseNow({ db, ...deps }: EndDeps & { db: Db }, request: LeaseRequest) {
  const { workspaceId, max } = request
  const trials = await listWorkingTrials(db.read, request)
  if (trials.length === 0) return []
  const ids = trials.map(({ trialId }) => trialId)
  const running = await countRunningCalls(db.read, workspaceId, ids)
  const order = trials.toSorted((a, b) => (running.get(a.trialId) ?? 0) - (running.get(b.trialId) ?? 0))
  const leased: LeasedCall[] = []
  let inputLength = 0
  for (const [place, trial] of order.entries()) {
    const left = max - leased.length
    if (left <= 0 || inputLength >= INPUT_LENGTH_MAX) break
    // Each gets its share; what one of them leaves goes to those after it.
    const limit = Math.ceil(left / (order.length - place))
    const some = await leaseOf({ db, ...deps }, workspaceId, trial, { limit, length: INPUT_LENGTH_MAX - inputLength })
    leased.push(...some.map(({ call }) => call))
    inputLength += some.reduce((sum, { length }) => sum + length, 0)
  }
  return leased
}

type LeasedCall = ReturnType<typeof describe>

async function leaseOf(
  { db, ...deps }: EndDeps & { db: Db },
  workspaceId: string,
  working: Working,
  most: { limit: number; length: number },
): Promise<{ call: LeasedCall; length: number }[]> {
  const { limit } = most
  const { clock, newId } = deps
  const of = { workspaceId, trialId: working.trialId }
  if (!(await hasWork(db.read, clock, of, working))) return []
  return db.transaction(async (tx) => {
    const trial = await findTrial(tx, of)
    // It may have ended since it was listed.
    if (!trial || !(await lockCalling(tx, of))) return []
    const variants = await listVariants(tx, of)
    const spent = spentOf(variants)
    if (trial.maxNanoUsd !== null && spent >= Number(trial.maxNanoUsd)) return []
    await recoverLostCalls(tx, deps, { trial, variants })
    const due: CallRow[] = []
    for (const { number: variant } of working.variants)
      due.push(...(await listDueCalls(tx, clock, { ...of, variant, limit, lock: 'locked' })))
    const chosen = due.sort((a, b) => a.number - b.number).slice(0, limit)
    const leased: { call: LeasedCall; length: number }[] = []
    let left = most.length
    for (const part of chunksOf(chosen, ITEMS_AT_ONCE)) {
      if (left <= 0) break
      const itemIds = [...new Set(part.map(({ itemId }) => itemId))]
      const items = await findCallItems(tx, { workspaceId, datasetId: working.datasetId }, itemIds)
      for (const call of part) {
        if (left <= 0) break
        const variant = variants.find(({ number }) => number === call.variant)
        const item = items.get(call.itemId)
        if (!variant) continue
        if (!item) {
          await skipCall(tx, deps, endingOf(trial, variant, call), { reason: ITEM_DELETED, isRetryable: false })
          continue
        }
        const { input } = item
        const lease = newId()
        const started = await startCall(tx, clock, { ...of, number: call.number }, { lease, seconds: LEASE_SECONDS })
        if (!started) continue
        const length = input?.length ?? 0
        leased.push({ call: describe({ ...of, call, name: variant.name, input, lease, ...started }), length })
        left -= length
      }
    }
    return leased
  }, workspaceId)
}

export const ITEM_DELETED = 'The item was deleted after the trial had been created'

async function hasWork(
  q: Queries,
  clock: Clock,
  of: { workspaceId: string; trialId: string },
  { variants }: Working,
): Promise<boolean> {
  if (await hasLostCalls(q, clock, of)) return true
  for (const { number: variant } of variants)
    if ((await listDueCalls(q, clock, { ...of, variant, limit: 1 })).length > 0) return true
  return false
}

type Leased = {
  trialId: string
  call: CallRow
  name: string
  input: string | null
  lease: string
  attempt: number
  leaseUntil: string | null
}

function describe({ trialId, call, name, input, lease, attempt, leaseUntil }: Leased) {
  const { number, itemId, repetition, variant } = call
  const traceId = callTraceId({ trialId, variant, itemId, repetition, attempt })
  return {
    id: number,
    trialId,
    variant: name,
    itemId,
    input: readInput(input),
    repetition,
    traceId,
    traceparent: traceParentOf(traceId),
    lease,
    leaseUntil,
  }
}
