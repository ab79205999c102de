import type { Clock } from '../base/clock.ts'
import type { Queries } from '../storage/db.ts'
import { daysFrom, spendingDays, startOf } from './spending-days.ts'
import { SPENDING_KINDS } from './spending-kinds.ts'
import { dollarsOf, whyReached } from './spending-limit.ts'
import { type DaySpending, findSpendingLimits, listSpending, type SpendingLimits } from './spending-queries.ts'
import type { Spending } from './spending-schemas.ts'

const NO_LIMITS: SpendingLimits = { maxUsdPerDay: null, maxUsdPer30Days: null }

export async function readSpending(q: Queries, clock: Clock, workspaceId: string): Promise<Spending> {
  const days = spendingDays(clock)
  const limits = (await findSpendingLimits(q, workspaceId)) ?? NO_LIMITS
  const rows = await listSpending(q, workspaceId, days)
  const today = rows.filter(({ day }) => day === days.today)
  const spent = { today: nanosOf(today), last30Days: nanosOf(rows) }
  return {
    ...limits,
    today: { since: startOf(days.today), ...periodOf(today) },
    last30Days: { since: startOf(days.first), ...periodOf(rows) },
    days: daysFrom(days.first).map((day) => ({
      day,
      usd: dollarsOf(nanosOf(rows.filter((row) => row.day === day))),
    })),
    reached: whyReached(limits, spent, days) ?? null,
  }
}

function periodOf(rows: readonly DaySpending[]) {
  return {
    ...amountsOf(rows),
    reservedUsd: dollarsOf(rows.reduce((sum, { reservedNanoUsd }) => sum + reservedNanoUsd, 0)),
    kinds: SPENDING_KINDS.map((kind) => ({ kind, ...amountsOf(rows.filter((row) => row.kind === kind)) })),
  }
}

function amountsOf(rows: readonly DaySpending[]) {
  return {
    usd: dollarsOf(nanosOf(rows)),
    calls: rows.reduce((sum, { calls }) => sum + calls, 0),
    unpricedCalls: rows.reduce((sum, { unpricedCalls }) => sum + unpricedCalls, 0),
  }
}

function nanosOf(rows: readonly DaySpending[]): number {
  return rows.reduce((sum, { nanoUsd }) => sum + nanoUsd, 0)
}
