import type { Clock } from '../base/clock.ts'
import { conflict } from '../base/errors.ts'
import type { Queries } from '../storage/db.ts'
import type { AnnotationPolicy } from './annotation-policy-queries.ts'
import { countOtherRaters } from './annotation-queries.ts'
import { countOtherLeases, hasLease, type Rater } from './queue/lease-queries.ts'

/**
 * Rejects another rater of a trace that has all of its raters. The policy must be locked, so that no other rater is
 * added between the count and the insert. A rater with a lease on the trace has a reserved slot. Slots that are leased
 * to other raters count as used.
 */
export async function requireFreeSlot(
  tx: Queries,
  clock: Clock,
  { ratersPerItem }: AnnotationPolicy,
  { rater, traceRef }: { rater: Rater; traceRef: string },
): Promise<void> {
  if (ratersPerItem === null || (await hasLease(tx, clock, rater, traceRef))) return
  const others = (await countOtherRaters(tx, rater, traceRef)) + (await countOtherLeases(tx, clock, rater, traceRef))
  if (others < ratersPerItem) return
  const raters = ratersPerItem === 1 ? 'one rater' : `${ratersPerItem} raters`
  throw conflict(`This trace already has the maximum of ${raters}`)
}
