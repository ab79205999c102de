import type { Clock } from '../base/clock.ts'
import { badRequest, conflict } from '../base/errors.ts'
import type { Queries } from '../storage/db.ts'
import type { AnnotationPolicy } from './annotation-policy-queries.ts'
import { countOtherRaters, hasRated } from './annotation-queries.ts'
import { countOtherLeases, findLease, type Rater } from './queue/lease-queries.ts'
import { findRatingScheme } from './rating-scheme-queries.ts'

type NewRating = { rater: Rater; traceRef: string; rating: string }

/**
 * Refuses a rating that the policy of its run does not allow, or, where that allows all, the rating scheme that the application has set. The policy must be held: nobody else may become a rater of the trace
 * between the count here and the rating that follows it. Whoever has rated the trace may change their mind, and whoever was
 * sent there by the queue has a place; a place that somebody else was given is taken, also if that rating is yet to come.
 */
export async function enforcePolicy(
  tx: Queries,
  clock: Clock,
  { ratersPerItem, ratings }: AnnotationPolicy,
  { rater, traceRef, rating }: NewRating,
): Promise<void> {
  const isChange = await hasRated(tx, rater, traceRef)
  // An empty rating takes one back.
  if (rating === '' && isChange) return
  if (ratings !== null && !ratings.includes(rating))
    throw badRequest(`The field rating must be one of those that the run allows: ${ratings.join(', ')}`)
  if (ratings === null && rating !== '') await enforceScheme(tx, rater.workspaceId, rating)
  // One that takes nothing back says nothing, and needs no place.
  if (ratersPerItem === null || rating === '' || isChange) return
  const lease = await findLease(tx, clock, rater)
  if (lease?.traceRef === traceRef) return
  const others = (await countOtherRaters(tx, rater, traceRef)) + (await countOtherLeases(tx, clock, rater, traceRef))
  if (others < ratersPerItem) return
  const people = ratersPerItem === 1 ? 'one person' : `${ratersPerItem} people`
  throw conflict(`The run asks for ${people} to rate each trace, and this one is taken by as many already`)
}

/** By specification a rating is any text; an application that has chosen its words wants no others, which would count for nothing. */
async function enforceScheme(tx: Queries, workspaceId: string, rating: string): Promise<void> {
  const words = (await findRatingScheme(tx, workspaceId))?.ratings.map(({ value }) => value)
  if (words !== undefined && !words.includes(rating))
    throw badRequest(`The field rating must be one of the application's rating scheme: ${words.join(', ')}`)
}
