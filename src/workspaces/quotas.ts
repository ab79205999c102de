/**
 * Quotas of a workspace, set by the operator. Without a setting there is no limit, but usage is counted.
 *
 * Usage is counted in the transaction of the write, in one row per workspace that serializes concurrent transactions: so a quota is
 * exceeded by at most one request, with any number of servers. An exhausted quota is cached, so that further requests are rejected before
 * their body is read.
 */
import { type Clock, timestamp } from '../base/clock.ts'
import { QuotaError } from '../base/errors.ts'
import type { Queries } from '../storage/db.ts'
import { addUsage, findUsage, type Usage } from './usage-queries.ts'

/** Undefined means no limit. */
export type QuotaLimits = {
  spansPerDay: number | undefined
  storedBytes: number | undefined
  evaluationsPerDay: number | undefined
}

export const NO_QUOTAS: QuotaLimits = { spansPerDay: undefined, storedBytes: undefined, evaluationsPerDay: undefined }

/** `isAdmitted` if an earlier part of the same request was within the quota. */
type AddedSpans = { spans: number; bytes: number; isAdmitted?: boolean }

export type Quotas = {
  limits: QuotaLimits
  /** Throws if a quota for spans is known to be exhausted. */
  assertSpansLeft(workspaceId: string): void
  /** Both throw if a quota is exhausted; then the transaction must be rolled back. Call them last in a transaction. */
  countSpans(tx: Queries, workspaceId: string, added: AddedSpans): Promise<void>
  countEvaluation(tx: Queries, workspaceId: string): Promise<void>
  /** Throws if another evaluation would exceed the quota, without counting one. */
  assertEvaluationsLeft(q: Queries, workspaceId: string): Promise<void>
}

const DAY_MS = 24 * 60 * 60 * 1_000
/** Deletions are not reported here, so the quota is checked again after this time. */
const STORED_BYTES_RECHECK_MS = 10_000
const CACHED_MAX = 10_000

export function createQuotas({ limits, clock }: { limits: QuotaLimits; clock: Clock }): Quotas {
  const reached = new Map<string, { error: QuotaError; until: number }>()

  function cacheError(workspaceId: string, error: QuotaError, until: number): QuotaError {
    if (reached.size >= CACHED_MAX) reached.clear()
    reached.set(workspaceId, { error, until })
    return error
  }

  function checkSpans(workspaceId: string, total: Usage, added: { spans: number; bytes: number }): void {
    const { spansPerDay, storedBytes } = limits
    if (spansPerDay !== undefined && total.spans - added.spans >= spansPerDay) {
      throw cacheError(workspaceId, perDay(clock, `${spansPerDay} spans`), nextDay(clock))
    }
    if (storedBytes !== undefined && total.storedBytes - added.bytes >= storedBytes) {
      const message = `The quota of ${storedBytes} stored bytes is used up; delete traces, or ask the operator to raise it`
      const seconds = STORED_BYTES_RECHECK_MS / 1_000
      throw cacheError(workspaceId, new QuotaError(message, seconds), clock.now() + STORED_BYTES_RECHECK_MS)
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
    async countSpans(tx, workspaceId, { spans, bytes, isAdmitted = false }) {
      const change = { workspaceId, day: dayOf(clock), spans, evaluations: 0, storedBytes: bytes }
      const total = await addUsage(tx, change)
      if (!isAdmitted) checkSpans(workspaceId, total, { spans, bytes })
    },
    async countEvaluation(tx, workspaceId) {
      const change = { workspaceId, day: dayOf(clock), spans: 0, evaluations: 1, storedBytes: 0 }
      const { evaluations } = await addUsage(tx, change)
      const { evaluationsPerDay } = limits
      if (evaluationsPerDay === undefined || evaluations <= evaluationsPerDay) return
      throw perDay(clock, `${evaluationsPerDay} evaluations`)
    },
    async assertEvaluationsLeft(q, workspaceId) {
      const { evaluationsPerDay } = limits
      if (evaluationsPerDay === undefined) return
      const { evaluations } = await findUsage(q, workspaceId, dayOf(clock))
      if (evaluations >= evaluationsPerDay) throw perDay(clock, `${evaluationsPerDay} evaluations`)
    },
  }
}

/** Days are in UTC, so that all servers agree on them. */
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
