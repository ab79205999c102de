import type { Clock } from '../base/clock.ts'
import { badRequest, conflict, notFound } from '../base/errors.ts'
import { createdAtOf } from '../base/ids.ts'
import type { Principal } from '../base/principal.ts'
import type { Context } from '../http/route.ts'
import { lockRun } from '../runs/run-queries.ts'
import type { Queries } from '../storage/db.ts'
import { canonicalRefs } from '../traces/trace-ref-queries.ts'
import {
  countOtherRaters,
  hasRated,
  insertAnnotation,
  insertChange,
  lockOwnAnnotation,
  type StoredAnnotation,
  toAnnotation,
  updateAnnotation,
} from './annotation-queries.ts'
import { countOtherLeases, hasLease, type Rater, releaseLeases } from './queue/lease-queries.ts'
import { type AnnotationPolicy, findRatingScheme, lockAnnotationPolicy } from './rating-rule-queries.ts'

type SaveAnnotation = {
  componentId: string
  runId: string
  traceDbId: string
  rating?: string | undefined
  comment?: string | undefined
}

type Services = Pick<Context, 'db' | 'clock' | 'newId'>

/**
 * Creates or updates the caller's annotation of a trace. There is one annotation per run, trace and author. Saving again
 * updates the given fields and keeps the others. Rejects a rating that the policy of the run does not allow.
 */
export async function saveAnnotation(
  { db, clock, newId }: Services,
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
    const givenRef = traceDbId === traceRef ? null : traceDbId
    return toAnnotation(await writeAnnotation(tx, newId, rater, { traceRef, givenRef, rating, comment }))
  })
}

type Written = {
  traceRef: string
  givenRef: string | null
  rating: string | undefined
  comment: string | undefined
}

/** Writes the annotation and records the change, unless a repeated request changes nothing. */
async function writeAnnotation(
  tx: Queries,
  newId: Services['newId'],
  rater: Rater,
  { traceRef, givenRef, rating, comment }: Written,
): Promise<StoredAnnotation> {
  const id = newId()
  const now = createdAtOf(id)
  const empty = { rating: null, comment: null, correctedOutput: null, createdAt: now }
  const change = { id, createdAt: now, traceRef }
  const created = { ...empty, id, traceRef, givenRef, userId: rater.userId, updatedAt: now }
  const fields = { ...(rating === undefined ? {} : { rating }), ...(comment === undefined ? {} : { comment }) }
  if (await insertAnnotation(tx, rater, { ...created, ...fields })) {
    await insertChange(tx, rater, { ...change, former: null })
    return { ...created, ...fields }
  }
  const former = await lockOwnAnnotation(tx, rater, traceRef)
  // Deleted by a concurrent request since the insert found it.
  if (!former) return writeAnnotation(tx, newId, rater, { traceRef, givenRef, rating, comment })
  const changed = { ...former, ...fields, givenRef, updatedAt: now }
  await updateAnnotation(tx, rater, changed)
  const isSame = changed.rating === former.rating && changed.comment === former.comment
  if (!isSame) await insertChange(tx, rater, { ...change, former })
  return changed
}

type NewRating = { rater: Rater; traceRef: string; rating: string }

/**
 * Rejects a rating that the policy of the run does not allow or, if the policy allows all ratings, that the rating
 * scheme does not contain. A rater may change an existing rating.
 */
async function enforcePolicy(
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
