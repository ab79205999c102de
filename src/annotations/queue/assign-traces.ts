/** Assigns traces to a rater, and reserves them with leases if the run limits the raters per trace. */
import type { Clock } from '../../base/clock.ts'
import { notFound } from '../../base/errors.ts'
import type { RatingScheme } from '../../evaluators/rating-scheme.ts'
import type { Context } from '../../http/route.ts'
import { lockRun } from '../../runs/run-queries.ts'
import type { Db, Queries } from '../../storage/db.ts'
import { type AnnotationPolicy, lockAnnotationPolicy } from '../rating-rule-queries.ts'
import { chooseTraces } from './choose-traces.ts'
import type { Judge } from './find-judge.ts'
import { deleteExpiredLeases, type Lease, listLeases, type Rater, releaseLeases, saveLeases } from './lease-queries.ts'
import { listCandidates, type QueueRequest } from './queue-queries.ts'

export type Assignment = { traceRef: string; leaseUntil: string | null }

export type QueueContext = {
  rater: Rater
  componentId: string
  judge: Judge | undefined
  scheme: RatingScheme
  /** Traces that must not be assigned. */
  excluded: readonly string[]
  /** Traces that are assigned only after all others, in this order. */
  last: readonly string[]
  /** A trace to assign before all others, if the rater can rate it. */
  first: string | undefined
  limit: number
  /** Draws traces at random before all others are chosen. Undefined for the order `information`. */
  draw?: ((q: Queries, request: QueueRequest, limit: number) => Promise<readonly string[]>) | undefined
}

/** `look` does not write anything and creates no lease. */
export type QueueMode = 'look' | 'take'

export async function assignTraces(
  { db, clock }: Pick<Context, 'db' | 'clock'>,
  search: QueueContext,
  { policy, mode }: { policy: AnnotationPolicy; mode: QueueMode },
): Promise<Assignment[]> {
  if (policy.ratersPerItem === null) return unreserved(await choose(db.read, clock, search, policy))
  const leases = await availableOf(db.read, clock, search, await listLeases(db.read, clock, search.rater))
  if (mode === 'look' && leases.length === 0) return unreserved(await choose(db.read, clock, search, policy))
  const isReusable = leases.length >= search.limit && leases.every(({ isExpiring }) => !isExpiring)
  const hasFirst = search.first === undefined || leases[0]?.traceRef === search.first
  // Most requests repeat an earlier one and need no write.
  if (mode === 'look' || (isReusable && hasFirst)) return leases.slice(0, search.limit)
  return reserve(db, clock, search)
}

/** Locking the policy serializes the transactions of a run, so that a slot is never assigned twice. */
async function reserve(db: Db, clock: Clock, search: QueueContext): Promise<Assignment[]> {
  const { rater, componentId, limit } = search
  return db.transaction(async (tx) => {
    if (!(await lockRun(tx, { ...rater, componentId }))) throw notFound('Run')
    const policy = await lockAnnotationPolicy(tx, rater)
    // Changed since it was read: then there is nothing to reserve.
    if (policy.ratersPerItem === null) return unreserved(await choose(tx, clock, search, policy))
    await deleteExpiredLeases(tx, clock, rater)
    const held = await listLeases(tx, clock, rater)
    const kept = (await availableOf(tx, clock, search, held)).map(({ traceRef }) => traceRef)
    const lost = held.map(({ traceRef }) => traceRef).filter((ref) => !kept.includes(ref))
    await releaseLeases(tx, rater, lost)
    const isFirstHeld = search.first === undefined || kept.includes(search.first)
    const missing = isFirstHeld ? limit - kept.length : Math.max(1, limit - kept.length)
    const added = missing <= 0 ? [] : await choose(tx, clock, { ...search, limit: missing }, policy, kept)
    const leases = await saveLeases(tx, clock, rater, withFirst([...kept, ...added], search.first))
    return leases.slice(0, limit)
  })
}

/** Chooses at most `limit` traces that are not held already. */
async function choose(
  q: Queries,
  clock: Clock,
  { rater, excluded, last, first, judge, scheme, limit, draw }: QueueContext,
  { ratersPerItem }: AnnotationPolicy,
  held: readonly string[] = [],
): Promise<string[]> {
  const request = { ...rater, ratersPerItem, skipped: [...excluded, ...held] }
  const chosen = first === undefined || held.includes(first) ? [] : await candidatesAmong(q, clock, request, [first])
  if (draw && chosen.length < limit) {
    const open = { ...request, skipped: [...request.skipped, ...last, ...chosen] }
    chosen.push(...(await draw(q, open, limit - chosen.length)))
  }
  const others = { ...request, skipped: [...request.skipped, ...last, ...chosen] }
  if (chosen.length < limit)
    chosen.push(...(await chooseTraces(q, clock, { request: others, judge, scheme, limit: limit - chosen.length })))
  if (chosen.length < limit) {
    const open = new Set(await candidatesAmong(q, clock, request, last))
    for (const ref of chosen) open.delete(ref)
    chosen.push(...last.filter((ref) => open.has(ref)).slice(0, limit - chosen.length))
  }
  return chosen
}

/** The leases on traces that were not rated, excluded, deleted or unlinked since the lease was created. */
async function availableOf<L extends Lease>(
  q: Queries,
  clock: Clock,
  { rater, excluded, first }: QueueContext,
  leases: readonly L[],
): Promise<L[]> {
  // A lease stays valid if the run requires fewer raters now.
  const request = { ...rater, ratersPerItem: null, skipped: excluded }
  const refs = leases.map(({ traceRef }) => traceRef)
  const open = new Set(await candidatesAmong(q, clock, request, refs))
  const available = leases.filter(({ traceRef }) => open.has(traceRef))
  return available.toSorted((a, b) => Number(b.traceRef === first) - Number(a.traceRef === first))
}

async function candidatesAmong(q: Queries, clock: Clock, request: QueueRequest, refs: readonly string[]) {
  if (refs.length === 0) return []
  const candidates = await listCandidates(q, clock, request, { among: refs, limit: refs.length })
  return candidates.map(({ ref }) => ref)
}

function withFirst(refs: readonly string[], first: string | undefined): string[] {
  return refs.toSorted((a, b) => Number(b === first) - Number(a === first))
}

function unreserved(refs: readonly string[]): Assignment[] {
  return refs.map((traceRef) => ({ traceRef, leaseUntil: null }))
}
