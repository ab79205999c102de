/** Which rating a rater may give. */
import type { Clock } from '../base/clock.ts'
import { badRequest, conflict } from '../base/errors.ts'
import type { Queries } from '../storage/db.ts'
import type { AnnotationPolicy } from './annotation-policy-queries.ts'
import { countOtherRaters, hasRated } from './annotation-queries.ts'
import { countOtherLeases, hasLease, type Rater } from './queue/lease-queries.ts'
import { findRatingScheme } from './rating-scheme-queries.ts'

type NewRating = { rater: Rater; traceRef: string; rating: string }

/**
 * Rejects a rating that the policy of the run does not allow or, if the policy allows all ratings, that the rating
 * scheme does not contain. A rater may change an existing rating.
 */
export async function enforcePolicy(
  tx: Queries,
  clock: Clock,
  policy: AnnotationPolicy,
  { rater, traceRef, rating }: NewRating,
): Promise<void> {
  const isChange = await hasRated(tx, rater, traceRef)
  // An empty rating removes the rating.
  if (rating === '' && isChange) return
  // An empty rating is no value of a scheme, but a policy that lists ratings rejects it.
  if (rating !== '' || policy.ratings !== null)
    await requireAllowedRating(tx, { workspaceId: rater.workspaceId, policy, rating })
  // An empty rating needs no slot.
  if (rating !== '' && !isChange) await requireFreeSlot(tx, clock, policy, { rater, traceRef })
}

/**
 * Rejects a rating that the policy of the run does not allow or, if the policy allows all ratings, that the rating
 * scheme does not contain.
 */
export async function requireAllowedRating(
  tx: Queries,
  { workspaceId, policy: { ratings }, rating }: { workspaceId: string; policy: AnnotationPolicy; rating: string },
): Promise<void> {
  if (ratings === null) return requireSchemeRating(tx, workspaceId, rating)
  if (!ratings.includes(rating))
    throw badRequest(`The field rating must be one of the values that the run allows: ${ratings.join(', ')}`)
}

/**
 * By specification a rating is any text. If the application has a rating scheme, other values are rejected because they
 * would not be counted.
 */
export async function requireSchemeRating(tx: Queries, workspaceId: string, rating: string): Promise<void> {
  const words = (await findRatingScheme(tx, workspaceId))?.ratings.map(({ value }) => value)
  if (words !== undefined && !words.includes(rating))
    throw badRequest(`The field rating must be one of the values of the rating scheme: ${words.join(', ')}`)
}

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
