import { badRequest } from '../base/errors.ts'
import type { Queries } from '../storage/db.ts'
import { findRatingScheme } from './rating-scheme-queries.ts'

/**
 * By specification a rating is any text. If the application has a rating scheme, other values are rejected because they
 * would not be counted.
 */
export async function enforceScheme(tx: Queries, workspaceId: string, rating: string): Promise<void> {
  const words = (await findRatingScheme(tx, workspaceId))?.ratings.map(({ value }) => value)
  if (words !== undefined && !words.includes(rating))
    throw badRequest(`The field rating must be one of the values of the rating scheme: ${words.join(', ')}`)
}
