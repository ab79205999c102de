import { badRequest } from '../base/errors.ts'
import type { Queries } from '../storage/db.ts'
import type { AnnotationPolicy } from './annotation-policy-queries.ts'
import { findRatingScheme } from './rating-scheme-queries.ts'

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
