import type { Clock } from '../base/clock.ts'
import { badRequest, conflict, notFound } from '../base/errors.ts'
import { createdAtOf } from '../base/ids.ts'
import type { Principal } from '../base/principal.ts'
import type { Context } from '../http/route.ts'
import { lockRun } from '../runs/run-queries.ts'
import type { Queries } from '../storage/db.ts'
import { canonicalRefs } from '../traces/trace-ref-queries.ts'
import { type AnnotationPolicy, lockAnnotationPolicy } from './annotation-policy-queries.ts'
import { countOtherRaters, hasRated, upsertAnnotation } from './annotation-queries.ts'
import { countOtherLeases, hasLease, type Rater, releaseLeases } from './queue/lease-queries.ts'
import { findRatingScheme } from './rating-scheme-queries.ts'

export type SaveAnnotation = {
  componentId: string
  runId: string
  traceDbId: string
  rating?: string | undefined
  comment?: string | undefined
}

/**
 * Creates or updates the caller's annotation of a trace. There is one annotation per run, trace and author. Rejects a
 * rating that the policy of the run does not allow.
 */
export async function saveAnnotation(
  { db, clock, newId }: Pick<Context, 'db' | 'clock' | 'newId'>,
  by: Principal,
  { componentId, runId, traceDbId, rating, comment }: SaveAnnotation,
) {
  const { workspaceId, userId } = by
  return db.transaction(async (tx) => {
    if (!(await lockRun(tx, { workspaceId, componentId, runId }))) throw notFound('Run')
    const [traceRef = traceDbId] = await canonicalRefs(tx, workspaceId, [traceDbId])
    const rater = { workspaceId, runId, userId }
    const policy = await lockAnnotationPolicy(tx, rater)
    if (rating !== undefined) await enforcePolicy(tx, clock, policy, { rater, traceRef, rating })
    // The rating uses the slot, so the lease is no longer needed.
    if (policy.ratersPerItem !== null && rating) await releaseLeases(tx, rater, [traceRef])
    const id = newId()
    const now = createdAtOf(id)
    const content = { traceRef, givenRef: traceDbId, rating, comment }
    return upsertAnnotation(tx, { workspaceId, id, runId, userId, now, ...content })
  })
}

type NewRating = { rater: Rater; traceRef: string; rating: string }

/**
 * Rejects a rating that the policy of the run does not allow or, if the policy allows all ratings, that the rating
 * scheme does not contain. The policy is locked, so that no other rater is added between the count and the insert. A
 * rater may change an existing rating, and a rater with a lease on the trace has a reserved slot. Slots that are leased
 * to other raters count as used.
 */
async function enforcePolicy(
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
  if (await hasLease(tx, clock, rater, traceRef)) return
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
