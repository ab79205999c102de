import type { Static } from 'typebox'
import { recordAudit } from '../auth/audit/audit.ts'
import { timestamp } from '../base/clock.ts'
import { badRequest } from '../base/errors.ts'
import type { Principal } from '../base/principal.ts'
import type { Rating } from '../evaluators/rating-scheme.ts'
import type { Context } from '../http/route.ts'
import { type DisplayedScheme, upsertRatingScheme, withKeys } from './rating-rule-queries.ts'
import type { RatingSchemeBody } from './rating-scheme-schemas.ts'

/**
 * Replaces the rating scheme of the application. Existing ratings are kept; values that are not in the scheme are not
 * counted.
 */
export async function saveRatingScheme(
  { db, clock, ...context }: Pick<Context, 'db' | 'clock' | 'newId' | 'requestId' | 'address'>,
  by: Principal,
  body: Static<typeof RatingSchemeBody>,
): Promise<DisplayedScheme> {
  const { workspaceId } = by
  const ratings = body.ratings.map(({ value, score, label = null, color = null, key }) => {
    return { value, score, label, color, key }
  })
  rejectAmbiguous({ ratings, ordered: body.ordered })
  const scheme = { ratings: withKeys(ratings), ordered: body.ordered }
  await db.transaction(async (tx) => {
    await upsertRatingScheme(tx, { workspaceId, scheme, now: timestamp(clock.now()) })
    const event = { by, workspaceId, action: 'rating-scheme.changed', resourceId: workspaceId } as const
    await recordAudit(tx, context, event)
  })
  return scheme
}

type NewRating = Rating & { key: string | null | undefined }

function rejectAmbiguous({ ratings, ordered }: { ratings: readonly NewRating[]; ordered: boolean }): void {
  const scores = new Set(ratings.map(({ score }) => score))
  if (new Set(ratings.map(({ value }) => value)).size < ratings.length)
    throw badRequest('The field ratings must not contain duplicate values')
  const keys = ratings.map(({ key }) => key).filter((key) => typeof key === 'string')
  if (new Set(keys).size < keys.length) throw badRequest('The field ratings must not contain duplicate keys')
  if (scores.size === 1) throw badRequest('The field ratings must have at least two different scores')
  if (ordered && scores.size < ratings.length)
    throw badRequest('The field ratings must have a different score for each value, because the scheme is ordered')
}
