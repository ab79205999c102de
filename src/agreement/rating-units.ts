import { yieldToEventLoop } from '../base/event-loop.ts'
import type { RatingScheme } from '../evaluators/rating-scheme.ts'
import type { RatingRow } from './agreement-queries.ts'

/** What each person said of each trace, one rating a person. */
export type RatingUnits = {
  /** By reference of the trace, then by person. */
  units: Map<string, Map<string, UnitRating>>
  /** Ordered by score where the scheme is ordered, else by name. */
  categories: string[]
  /** Ratings that an ordered scheme does not know, and so cannot place. */
  excluded: number
}

type UnitRating = { annotationId: string; rating: string; updatedAt: string }

/** Gathers ratings. Of several that a person gave to one trace, in several runs, what was said last counts. */
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
