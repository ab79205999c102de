import type { Clock } from '../base/clock.ts'
import { badRequest, conflict } from '../base/errors.ts'
import type { Queries } from '../storage/db.ts'
import type { AnnotationPolicy } from './annotation-policy-queries.ts'
import { countOtherRaters, hasRated } from './annotation-queries.ts'
import { countOtherLeases, findLease, type Rater } from './queue/lease-queries.ts'
import { findRatingScheme } from './rating-scheme-queries.ts'

type NewRating = { rater: Rater; traceRef: string; rating: string }

/**
 * Rejects a rating that the policy of the run does not allow or, if the policy allows all ratings, that the rating
 * scheme does not contain. The caller must have locked the policy, so that no other rater is added between the count
 * and the insert. A rater may change an existing rating, and a rater with a lease on the trace has a reserved slot.
 * Slots that are leased to other raters count as used.
 */
export async function enforcePolicy(
  tx: Queries,
  clock: Clock,
  { ratersPerItem, ratings }: AnnotationPolicy,
  { rater, traceRef, rating }: NewRating,
): Promise<void> {
  const isChange = await hasRated(tx, rater, traceRef)
  // An empty rating removes the rating.
  if (rating === '' && isChange) return
  if (ratings !== null && !ratings.includes(rating))
    throw badRequest(`The field rating must be one of the values that the run allows: ${ratings.join(', ')}`)
  if (ratings === null && rating !== '') await enforceScheme(tx, rater.workspaceId, rating)
  // An empty rating needs no slot.
  if (ratersPerItem === null || rating === '' || isChange) return
  const lease = await findLease(tx, clock, rater)
  if (lease?.traceRef === traceRef) return
  const others = (await countOtherRaters(tx, rater, traceRef)) + (await countOtherLeases(tx, clock, rater, traceRef))
  if (others < ratersPerItem) return
  const raters = ratersPerItem === 1 ? 'one rater' : `${ratersPerItem} raters`
  throw conflict(`This trace already has the maximum of ${raters}`)
}

/**
 * By specification a rating is any text. If the application has a rating scheme, other values are rejected because they
 * would not be counted.
 */
async function enforceScheme(tx: Queries, workspaceId: string, rating: string): Promise<void> {
  const words = (await findRatingScheme(tx, workspaceId))?.ratings.map(({ value }) => value)
  if (words !== undefined && !words.includes(rating))
    throw badRequest(`The field rating must be one of the values of the rating scheme: ${words.join(', ')}`)
}
