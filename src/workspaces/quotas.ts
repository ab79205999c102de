/**
 * What one workspace may use, as the operator has set it; without a setting there is no limit, but use is counted all the same.
 *
 * Use is counted in the transaction of what is counted, in one row per workspace that concurrent transactions wait for: so a quota is
 * never passed by more than the request that reaches it, with any number of servers. A workspace that has reached a quota is remembered,
 * so that what it sends on is rejected before it is read.
 */
import { type Clock, timestamp } from '../base/clock.ts'
import { QuotaError } from '../base/errors.ts'
import type { Queries } from '../storage/db.ts'
import { addUsage, type Usage } from './usage-queries.ts'

/** Undefined is without a limit. */
export type QuotaLimits = {
  spansPerDay: number | undefined
  storedBytes: number | undefined
  evaluationsPerDay: number | undefined
}

export const NO_QUOTAS: QuotaLimits = { spansPerDay: undefined, storedBytes: undefined, evaluationsPerDay: undefined }

export type Quotas = {
  limits: QuotaLimits
  /** Throws if a quota for spans is known to be used up. */
  assertSpansLeft(workspaceId: string): void
  /** Both throw if a quota is used up, and then nothing may be stored. To be called last in a transaction. */
  countSpans(tx: Queries, workspaceId: string, added: { spans: number; bytes: number }): Promise<void>
  countEvaluation(tx: Queries, workspaceId: string): Promise<void>
}

const DAY_MS = 24 * 60 * 60 * 1_000
/** Something may be deleted, which nobody reports here. */
const STORED_BYTES_RECHECK_MS = 10_000
const REMEMBERED_MAX = 10_000

export function createQuotas({ limits, clock }: { limits: QuotaLimits; clock: Clock }): Quotas {
  const reached = new Map<string, { error: QuotaError; until: number }>()

  function remember(workspaceId: string, error: QuotaError, until: number): QuotaError {
    if (reached.size >= REMEMBERED_MAX) reached.clear()
    reached.set(workspaceId, { error, until })
    return error
  }

  function checkSpans(workspaceId: string, total: Usage, added: { spans: number; bytes: number }): void {
    const { spansPerDay, storedBytes } = limits
    if (spansPerDay !== undefined && total.spans - added.spans >= spansPerDay) {
      throw remember(workspaceId, perDay(clock, `${spansPerDay} spans`), nextDay(clock))
    }
    if (storedBytes !== undefined && total.storedBytes - added.bytes >= storedBytes) {
      const message = `The quota of ${storedBytes} stored bytes is used up; delete traces, or ask the operator to raise it`
      const seconds = STORED_BYTES_RECHECK_MS / 1_000
      throw remember(workspaceId, new QuotaError(message, seconds), clock.now() + STORED_BYTES_RECHECK_MS)
    }
  }

  return {
    limits,
    assertSpansLeft(workspaceId) {
      const known = reached.get(workspaceId)
      if (!known) return
      if (clock.now() < known.until) throw known.error
      reached.delete(workspaceId)
    },
    async countSpans(tx, workspaceId, { spans, bytes }) {
      const change = { workspaceId, day: dayOf(clock), spans, evaluations: 0, storedBytes: bytes }
      checkSpans(workspaceId, await addUsage(tx, change), { spans, bytes })
    },
    async countEvaluation(tx, workspaceId) {
      const change = { workspaceId, day: dayOf(clock), spans: 0, evaluations: 1, storedBytes: 0 }
      const { evaluations } = await addUsage(tx, change)
      const { evaluationsPerDay } = limits
      if (evaluationsPerDay === undefined || evaluations <= evaluationsPerDay) return
      throw perDay(clock, `${evaluationsPerDay} evaluations`)
    },
  }
}

/** Days are those of UTC, so that all servers agree on them. */
export function dayOf(clock: Clock): string {
  return timestamp(clock.now()).slice(0, 10)
}

export function nextDay(clock: Clock): number {
  return (Math.floor(clock.now() / DAY_MS) + 1) * DAY_MS
}

function perDay(clock: Clock, what: string): QuotaError {
  const resetsAt = nextDay(clock)
  const message = `The quota of ${what} per day is used up; it resets at ${timestamp(resetsAt)}`
  return new QuotaError(message, Math.ceil((resetsAt - clock.now()) / 1_000))
}
