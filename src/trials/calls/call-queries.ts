/**
 * The calls of a trial. What has ended leaves the partial indexes, whose conditions are repeated here as literals: an engine does not match
 * parameters with them.
 */
import { sql } from 'kysely'
import { type Clock, timestamp } from '../../base/clock.ts'
import type { Queries } from '../../storage/db.ts'
import { dbNow, lockForUpdate, skippingLocked } from '../../storage/dialect.ts'
import { insertNewRows } from '../../storage/insert-rows.ts'
import { selectScoped, updateScoped } from '../../storage/query-building.ts'
import type { Tables } from '../../storage/tables.ts'
import type { TrialScope } from '../trial-queries.ts'

export const WAITS = sql<boolean>`state in ('queued', 'retrying')`
export const RUNS = sql<boolean>`state = 'running'`

export const CALL_COLUMNS = [
  'number',
  'variant',
  'item_id as itemId',
  'repetition',
  'state',
  'attempt',
  'errors',
  'lease',
  'started_at as startedAt',
  'nano_usd as nanoUsd',
  'reserved_nano_usd as reservedNanoUsd',
  'duration_ms as durationMs',
  'reason',
  'is_retryable as isRetryable',
] as const

export type CallRow = {
  number: number
  variant: number
  itemId: string
  repetition: number
  state: Tables['trial_calls']['state']
  attempt: number
  errors: number
  lease: string | null
  startedAt: string | null
  nanoUsd: number
  reservedNanoUsd: number
  durationMs: number | null
  reason: string | null
  isRetryable: number | null
}

export type CallScope = TrialScope & { number: number }

type NewCall = Pick<CallRow, 'number' | 'variant' | 'itemId' | 'repetition'>

export async function insertCalls(
  tx: Queries,
  { workspaceId, trialId }: TrialScope,
  calls: readonly NewCall[],
): Promise<void> {
  await insertNewRows(
    tx,
    {
      table: 'trial_calls',
      columns: ['workspace_id', 'trial_id', 'number', 'variant', 'item_id', 'repetition', 'state'],
      rows: calls.map((call) => [
        workspaceId,
        trialId,
        call.number,
        call.variant,
        call.itemId,
        call.repetition,
        'queued',
      ]),
    },
    ['number'],
  )
}

/** The next calls of a variant that may be sent now. In a transaction, they stay locked; those that another one has locked are skipped. */
export async function listDueCalls(
  q: Queries,
  clock: Clock,
  { workspaceId, trialId, variant, limit, lock }: TrialScope & { variant: number; limit: number; lock?: 'locked' },
): Promise<CallRow[]> {
  let due = ofTrial(q, { workspaceId, trialId })
    .select(CALL_COLUMNS)
    .where('variant', '=', variant)
    .where(WAITS)
    .where('number', '<=', callsUntil(q, { workspaceId, trialId }))
    .where(({ or, eb }) => or([eb('due_at', 'is', null), eb('due_at', '<=', dbNow(q, clock, 0))]))
    .orderBy('number')
    .limit(limit)
  if (lock) due = due.modifyEnd(skippingLocked(q))
  return (await due.execute()).map(toCall)
}

export async function lockCall(tx: Queries, { number, ...of }: CallScope): Promise<CallRow | undefined> {
  const row = ofTrial(tx, of).select(CALL_COLUMNS).where('number', '=', number)
  const call = await lockForUpdate(tx, row).executeTakeFirst()
  return call && toCall(call)
}

/** Whether the lease of a running call is not over. */
export async function isLeased(q: Queries, clock: Clock, { number, ...of }: CallScope): Promise<boolean> {
  const row = await ofTrial(q, of)
    .select('number')
    .where('number', '=', number)
    .where(RUNS)
    .where('lease_until', '>', dbNow(q, clock, 0))
    .executeTakeFirst()
  return row !== undefined
}

/** Begins an attempt of a call that waits. Without a lease, the job of the trial sends it. Undefined if it does not wait any more. */
export async function startCall(
  tx: Queries,
  clock: Clock,
  { workspaceId, trialId, number }: CallScope,
  { lease, seconds, reservedNanoUsd = 0 }: { lease: string | null; seconds?: number; reservedNanoUsd?: number },
): Promise<{ attempt: number; leaseUntil: string | null } | undefined> {
  return updateScoped(tx, 'trial_calls', { workspace_id: workspaceId, trial_id: trialId, number })
    .set({
      state: 'running',
      attempt: sql<number>`attempt + 1`,
      lease,
      lease_until: seconds === undefined ? null : dbNow(tx, clock, seconds),
      due_at: null,
      started_at: timestamp(clock.now()),
      reserved_nano_usd: reservedNanoUsd,
    })
    .where(WAITS)
    .returning(['attempt', 'lease_until as leaseUntil'])
    .executeTakeFirst()
}

/** What a running call would cost if its process ended now. */
export async function reserveForCall(
  tx: Queries,
  { workspaceId, trialId, number }: CallScope,
  nanoUsd: number,
): Promise<boolean> {
  const { numUpdatedRows } = await updateScoped(tx, 'trial_calls', {
    workspace_id: workspaceId,
    trial_id: trialId,
    number,
  })
    .set({ reserved_nano_usd: nanoUsd })
    .where(RUNS)
    .executeTakeFirst()
  return numUpdatedRows > 0n
}

export async function extendLease(
  tx: Queries,
  clock: Clock,
  { workspaceId, trialId, number }: CallScope,
  seconds: number,
): Promise<string> {
  const { leaseUntil } = await updateScoped(tx, 'trial_calls', { workspace_id: workspaceId, trial_id: trialId, number })
    .set({ lease_until: dbNow(tx, clock, seconds) })
    .returning('lease_until as leaseUntil')
    .executeTakeFirstOrThrow()
  return leaseUntil ?? ''
}

type Ended = Pick<CallRow, 'reason'> & {
  state: 'done' | 'failed' | 'skipped'
  nanoUsd: number
  durationMs?: number | null
  isRetryable?: boolean
}

/** Ends a call that has not ended. Returns false if it has: a call has one end. */
export async function markCallEnded(
  tx: Queries,
  { workspaceId, trialId, number }: CallScope,
  { state, nanoUsd, reason, durationMs = null, isRetryable }: Ended,
): Promise<boolean> {
  const { numUpdatedRows } = await updateScoped(tx, 'trial_calls', {
    workspace_id: workspaceId,
    trial_id: trialId,
    number,
  })
    .set({
      state,
      nano_usd: sql<number>`nano_usd + ${sql.lit(nanoUsd)}`,
      reserved_nano_usd: 0,
      duration_ms: durationMs,
      reason,
      is_retryable: isRetryable === undefined ? null : Number(isRetryable),
      due_at: null,
      lease_until: null,
    })
    .where('state', 'in', ['queued', 'running', 'retrying'])
    .executeTakeFirst()
  return numUpdatedRows > 0n
}

/** Skips calls that have not ended. Returns those that it has skipped. */
export async function skipOpenCalls(
  tx: Queries,
  { workspaceId, trialId }: TrialScope,
  numbers: readonly number[],
  { reason, isRetryable }: { reason: string; isRetryable: boolean },
): Promise<{ variant: number }[]> {
  if (numbers.length === 0) return []
  return updateScoped(tx, 'trial_calls', { workspace_id: workspaceId, trial_id: trialId })
    .set({ state: 'skipped', reason, is_retryable: Number(isRetryable), due_at: null, lease_until: null })
    .where('number', 'in', numbers)
    .where('state', 'in', ['queued', 'running', 'retrying'])
    .returning('variant')
    .execute()
}

/** Returns a running call to the calls that wait. The cost of the attempt is kept. */
export async function returnCall(
  tx: Queries,
  clock: Clock,
  { workspaceId, trialId, number }: CallScope,
  { errors, dueSeconds, reason, nanoUsd }: { errors: number; dueSeconds: number; reason: string; nanoUsd: number },
): Promise<boolean> {
  const { numUpdatedRows } = await updateScoped(tx, 'trial_calls', {
    workspace_id: workspaceId,
    trial_id: trialId,
    number,
  })
    .set({
      state: 'retrying',
      errors,
      due_at: dbNow(tx, clock, dueSeconds),
      reason,
      nano_usd: sql<number>`nano_usd + ${sql.lit(nanoUsd)}`,
      reserved_nano_usd: 0,
      lease_until: null,
    })
    .where(RUNS)
    .executeTakeFirst()
  return numUpdatedRows > 0n
}

/** Running calls whose worker has not renewed its lease, or, without `clock`, those that the job of the trial has sent. */
export async function listLostCalls(
  tx: Queries,
  { workspaceId, trialId }: TrialScope,
  { clock, limit }: { clock?: Clock; limit: number },
): Promise<CallRow[]> {
  const running = ofTrial(tx, { workspaceId, trialId }).select(CALL_COLUMNS).where(RUNS)
  const lost = clock
    ? running.where('lease_until', '<=', dbNow(tx, clock, 0)).orderBy('lease_until')
    : running.where('lease_until', 'is', null)
  const rows = await lost.limit(limit).modifyEnd(skippingLocked(tx)).execute()
  return rows.map(toCall)
}

export async function hasLostCalls(q: Queries, clock: Clock, of: TrialScope): Promise<boolean> {
  const lost = ofTrial(q, of)
    .select('number')
    .where(RUNS)
    .where('lease_until', '<=', dbNow(q, clock, 0))
    .limit(1)
  return (await lost.executeTakeFirst()) !== undefined
}

/** Calls that have not ended: of all variants, or of one. With `lock`, those that another transaction has locked are skipped. */
export async function listOpenCalls(
  q: Queries,
  of: TrialScope,
  { variant, limit, lock, waiting }: { variant?: number; limit: number; lock?: 'locked'; waiting?: 'only waiting' },
): Promise<CallRow[]> {
  const found: CallRow[] = []
  // Two statements, because each has an index of its own. Running calls may begin to wait meanwhile, so they are read first.
  for (const isIn of waiting ? [WAITS] : [RUNS, WAITS]) {
    if (found.length >= limit) break
    let open = ofTrial(q, of).select(CALL_COLUMNS).where(isIn)
    if (variant !== undefined) open = open.where('variant', '=', variant)
    open = open.limit(limit - found.length)
    if (lock) open = open.modifyEnd(skippingLocked(q))
    found.push(...(await open.execute()).map(toCall))
  }
  return found
}

/** Whether there is anything to wait for before the next look, or before the end. */
export async function hasOpenCalls(q: Queries, of: TrialScope): Promise<boolean> {
  // One statement: between two, a call could change from a state that is not read yet to one that was.
  const some = (isIn: typeof WAITS) =>
    ofTrial(q, of).select('number').where(isIn).where('number', '<=', callsUntil(q, of)).limit(1)
  const open = q
    .selectNoFrom(({ exists, or }) => or([exists(some(WAITS)), exists(some(RUNS))]).as('isOpen'))
    .executeTakeFirstOrThrow()
  return Boolean((await open).isOpen)
}

/** How many calls of these trials run, by trial. */
export async function countRunningCalls(
  q: Queries,
  workspaceId: string,
  trialIds: readonly string[],
): Promise<Map<string, number>> {
  const rows = await selectScoped(q, 'trial_calls', { workspace_id: workspaceId })
    .select(({ fn }) => ['trial_id as trialId', fn.countAll<number>().as('count')])
    .where('trial_id', 'in', trialIds)
    .where(RUNS)
    .groupBy('trial_id')
    .execute()
  return new Map(rows.map(({ trialId, count }) => [trialId, Number(count)]))
}

/**
 * The next calls that a retry sends again: failed ones that can succeed, also all of `broken` variants, and those that were skipped because
 * the trial ended.
 */
export async function listRetryableCalls(
  tx: Queries,
  of: TrialScope,
  { after, limit, broken }: { after: number; limit: number; broken: readonly number[] },
): Promise<CallRow[]> {
  const rows = await ofTrial(tx, of)
    .select(CALL_COLUMNS)
    .where('number', '>', after)
    .where('state', 'in', ['failed', 'skipped'])
    .where(({ or, and, eb }) =>
      or([
        eb('is_retryable', '=', 1),
        ...(broken.length > 0 ? [and([eb('state', '=', 'failed'), eb('variant', 'in', broken)])] : []),
      ]),
    )
    .orderBy('number')
    .limit(limit)
    .execute()
  return rows.map(toCall)
}

/** Makes a call that has ended wait again, with all of its attempts. */
export async function requeueCall(tx: Queries, { workspaceId, trialId, number }: CallScope): Promise<void> {
  await updateScoped(tx, 'trial_calls', { workspace_id: workspaceId, trial_id: trialId, number })
    .set({ state: 'queued', errors: 0, reason: null, is_retryable: null, lease: null, due_at: null, score_state: null })
    .execute()
}

function callsUntil(q: Queries, { workspaceId, trialId }: TrialScope) {
  return selectScoped(q, 'trials', { workspace_id: workspaceId, id: trialId }).select('calls_until')
}

export function ofTrial(q: Queries, { workspaceId, trialId }: TrialScope) {
  return selectScoped(q, 'trial_calls', { workspace_id: workspaceId, trial_id: trialId })
}

export function toCall(row: CallRow): CallRow {
  return { ...row, nanoUsd: Number(row.nanoUsd), reservedNanoUsd: Number(row.reservedNanoUsd) }
}
