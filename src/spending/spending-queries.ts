import { sql } from 'kysely'
import type { Queries } from '../storage/db.ts'
import { lockForUpdate } from '../storage/dialect.ts'
import { selectScoped, updateScoped } from '../storage/query-building.ts'
import type { SpendingKind } from './spending-kinds.ts'

/** Null: no limit. */
export type SpendingLimits = { maxUsdPerDay: number | null; maxUsdPer30Days: number | null }

const LIMITS = ['max_usd_per_day as maxUsdPerDay', 'max_usd_per_30_days as maxUsdPer30Days'] as const

export async function findSpendingLimits(q: Queries, workspaceId: string): Promise<SpendingLimits | undefined> {
  return selectScoped(q, 'spending_limits', { workspace_id: workspaceId }).select(LIMITS).executeTakeFirst()
}

/**
 * Locks the limits until the end of the transaction, so that reservations are made one after the other. Without a row there is no limit,
 * and nothing to lock.
 */
export async function lockSpendingLimits(tx: Queries, workspaceId: string): Promise<SpendingLimits | undefined> {
  const limits = tx.selectFrom('spending_limits').select(LIMITS).where('workspace_id', '=', workspaceId)
  return lockForUpdate(tx, limits).executeTakeFirst()
}

export async function saveSpendingLimits(
  tx: Queries,
  workspaceId: string,
  { maxUsdPerDay, maxUsdPer30Days, now }: SpendingLimits & { now: string },
): Promise<void> {
  const limits = { max_usd_per_day: maxUsdPerDay, max_usd_per_30_days: maxUsdPer30Days, updated_at: now }
  await tx
    .insertInto('spending_limits')
    .values({ workspace_id: workspaceId, ...limits })
    .onConflict((own) => own.column('workspace_id').doUpdateSet(limits))
    .execute()
}

export type SpentNanos = { today: number; last30Days: number }

/** In billionths of a dollar, of all kinds. `first` is the first of the 30 days. */
export async function sumSpending(
  q: Queries,
  workspaceId: string,
  { first, today }: { first: string; today: string },
): Promise<SpentNanos> {
  const row = await selectScoped(q, 'spending', { workspace_id: workspaceId })
    .select([
      sql<number | null>`sum(case when day = ${today} then nano_usd else 0 end)`.as('today'),
      sql<number | null>`sum(nano_usd)`.as('last30Days'),
    ])
    // Without an end: the clock of another server may be a day ahead.
    .where('day', '>=', first)
    .executeTakeFirst()
  return { today: Number(row?.today ?? 0), last30Days: Number(row?.last30Days ?? 0) }
}

export type DaySpending = {
  day: string
  kind: SpendingKind
  nanoUsd: number
  reservedNanoUsd: number
  calls: number
  unpricedCalls: number
}

/** Each day and kind with calls, in order of the days. */
export async function listSpending(
  q: Queries,
  workspaceId: string,
  { first, today }: { first: string; today: string },
): Promise<DaySpending[]> {
  const rows = await selectScoped(q, 'spending', { workspace_id: workspaceId })
    .select(['day', 'kind', 'nano_usd', 'reserved_nano_usd', 'calls', 'unpriced_calls'])
    .where('day', '>=', first)
    .where('day', '<=', today)
    .orderBy('day')
    .orderBy('kind')
    .execute()
  return rows.map(({ day, kind, ...row }) => ({
    day,
    kind,
    nanoUsd: Number(row.nano_usd),
    reservedNanoUsd: Number(row.reserved_nano_usd),
    calls: Number(row.calls),
    unpricedCalls: Number(row.unpriced_calls),
  }))
}

type OfDay = { workspaceId: string; day: string; kind: SpendingKind }

/** Adds a call at its maximum cost; null if its model has no price. */
export async function addReservation(
  tx: Queries,
  { workspaceId, day, kind }: OfDay,
  maxNanos: number | null,
): Promise<void> {
  await tx
    .insertInto('spending')
    .values({
      workspace_id: workspaceId,
      day,
      kind,
      nano_usd: maxNanos ?? 0,
      reserved_nano_usd: maxNanos ?? 0,
      calls: 1,
      unpriced_calls: maxNanos === null ? 1 : 0,
    })
    .onConflict((own) =>
      own.columns(['workspace_id', 'day', 'kind']).doUpdateSet({
        nano_usd: sql<number>`spending.nano_usd + excluded.nano_usd`,
        reserved_nano_usd: sql<number>`spending.reserved_nano_usd + excluded.reserved_nano_usd`,
        calls: sql<number>`spending.calls + excluded.calls`,
        unpriced_calls: sql<number>`spending.unpriced_calls + excluded.unpriced_calls`,
      }),
    )
    .execute()
}

/** Replaces the maximum cost of a call with its real one. `isCall` is false if it was never sent. Does nothing once the day is purged. */
export async function settleReservation(
  tx: Queries,
  { workspaceId, day, kind }: OfDay,
  { maxNanos, nanos, isCall }: { maxNanos: number | null; nanos: number; isCall: boolean },
): Promise<void> {
  const reserved = maxNanos ?? 0
  const uncounted = isCall ? 0 : 1
  await updateScoped(tx, 'spending', { workspace_id: workspaceId, day, kind })
    .set({
      nano_usd: sql<number>`nano_usd + ${nanos - reserved}`,
      reserved_nano_usd: sql<number>`reserved_nano_usd - ${reserved}`,
      calls: sql<number>`calls - ${uncounted}`,
      unpriced_calls: sql<number>`unpriced_calls - ${maxNanos === null ? uncounted : 0}`,
    })
    .execute()
}

/** Differs once a limit, or the spending of one of the last days, has changed. */
export async function readSpendingState(q: Queries, workspaceId: string): Promise<unknown> {
  const days = await selectScoped(q, 'spending', { workspace_id: workspaceId })
    .select(['day', 'kind', 'nano_usd', 'calls'])
    .orderBy('day', 'desc')
    .orderBy('kind')
    .limit(STATE_ROWS_MAX)
    .execute()
  return [await findSpendingLimits(q, workspaceId), days]
}

/** The kinds of a few days: calls that began yesterday may end today. */
const STATE_ROWS_MAX = 16
