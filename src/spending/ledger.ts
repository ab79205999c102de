/**
 * What all calls of models of an application cost, in the database, with its limits.
 *
 * A call is added at its maximum cost before it is sent, and corrected when its real cost is known. Reservations of an application are
 * made one after the other, so with any number of processes the sum never exceeds a limit, as long as no call costs more than its maximum.
 * A process that is killed leaves its calls at their maximum: the provider may bill them.
 */
import type { Clock } from '../base/clock.ts'
import type { Db } from '../storage/db.ts'
import { lockWorkspaceShared } from '../workspaces/workspace-queries.ts'
import { spendingDays } from './spending-days.ts'
import type { SpendingKind } from './spending-kinds.ts'
import { nanosOf, whyExceeded, whyUnpriced } from './spending-limit.ts'
import { addReservation, lockSpendingLimits, settleReservation, sumSpending } from './spending-queries.ts'

/** Thrown instead of calling the model, when the call might cost more than is left. */
export class BudgetError extends Error {}

export type Ledger = {
  /** Adds a call at its maximum cost, null if its model has no price. Throws a BudgetError if it would exceed a limit. */
  reserve(call: { model: string; maxUsd: number | null }): Promise<LedgerEntry>
}

type LedgerEntry = {
  /** The application has a limit, so the provider must get the limit of tokens from which the maximum follows. */
  isLimited: boolean
  /** Replaces the maximum cost with the real one. Only the first of all calls of these methods counts. */
  settle(usd: number): Promise<void>
  /** For a call that costs nothing: it was not sent, or the provider rejected it. */
  release(outcome: 'not sent' | 'rejected'): Promise<void>
}

type Application = { db: Db; clock: Clock; workspaceId: string; kind: SpendingKind }

export function createLedger({ db, clock, workspaceId, kind }: Application): Ledger {
  return {
    async reserve({ model, maxUsd }) {
      const days = spendingDays(clock)
      const maxNanos = maxUsd === null ? null : nanosOf(maxUsd)
      const isLimited = await db.transaction(async (tx) => {
        if (!(await lockWorkspaceShared(tx, workspaceId))) throw new BudgetError('the application was deleted')
        const limits = await lockSpendingLimits(tx, workspaceId)
        const isLimited = limits !== undefined && (limits.maxUsdPerDay !== null || limits.maxUsdPer30Days !== null)
        if (isLimited) {
          if (maxNanos === null) throw new BudgetError(whyUnpriced(model))
          const spent = await sumSpending(tx, workspaceId, days)
          const reason = whyExceeded(limits, spent, { nanos: maxNanos, days })
          if (reason !== undefined) throw new BudgetError(reason)
        }
        await addReservation(tx, { workspaceId, day: days.today, kind }, maxNanos)
        return isLimited
      }, workspaceId)
      let isOpen = true
      const end = async (nanos: number, isCall: boolean) => {
        if (!isOpen) return
        isOpen = false
        const settled = { maxNanos, nanos, isCall }
        await db.transaction(
          (tx) => settleReservation(tx, { workspaceId, day: days.today, kind }, settled),
          workspaceId,
        )
      }
      return {
        isLimited,
        settle: (usd) => end(nanosOf(usd), true),
        release: (outcome) => end(0, outcome === 'rejected'),
      }
    },
  }
}
