import { yieldToEventLoop } from '../base/event-loop.ts'
import type { RatingScheme } from '../evaluators/rating-scheme.ts'
import type { RatingRow } from './agreement-queries.ts'

/** The ratings by trace, one per rater. */
export type RatingUnits = {
  /** By trace reference, then by user. */
  units: Map<string, Map<string, UnitRating>>
  /** Ordered by score if the scheme is ordered, otherwise alphabetically. */
  categories: string[]
  /** The number of ratings that are not in an ordered scheme and therefore have no rank. */
  excluded: number
}

type UnitRating = { annotationId: string; rating: string; updatedAt: string }

/** Groups ratings by trace and rater. If a user rated a trace in several runs, the newest rating counts. */
export async function gatherRatings(
  pages: AsyncIterable<readonly RatingRow[]>,
  { ratings, ordered }: RatingScheme,
): Promise<RatingUnits> {
  const units = new Map<string, Map<string, UnitRating>>()
  const known = ratings.toSorted((a, b) => a.score - b.score).map(({ value }) => value)
  const used = new Set<string>()
  const excluded = new Set<string>()
  for await (const rows of pages) {
    for (const { id, ref, userId, rating, updatedAt } of rows) {
      if (ordered && !known.includes(rating)) {
        excluded.add(id)
        continue
      }
      used.add(rating)
      const ofTrace = units.get(ref) ?? new Map<string, UnitRating>()
      const before = ofTrace.get(userId)
      const isLater =
        !before || before.updatedAt < updatedAt || (before.updatedAt === updatedAt && before.annotationId < id)
      if (isLater) ofTrace.set(userId, { annotationId: id, rating, updatedAt })
      units.set(ref, ofTrace)
    }
    await yieldToEventLoop()
  }
  return { units, categories: ordered ? known : [...used].sort(), excluded: excluded.size }
}
