import type { Reader } from '../annotations/blind-annotations.ts'
import { chunksOf } from '../base/event-loop.ts'
import type { Queries } from '../storage/db.ts'
import { findTraceIds, listVisible, type VisibleRating } from './agreement-queries.ts'
import type { RatingUnits } from './rating-units.ts'

const DISAGREEMENTS_MAX = 200
const TRACES_PER_LOOK = 200

/**
 * The traces on which people differ, those first on which they are divided most evenly; not all of very many. What the reader may
 * not see yet, because the run is rated blindly, is not among them, though it is counted.
 */
export async function listDisagreements(q: Queries, { units }: RatingUnits, { workspaceId, readerId }: Reader) {
  const split = [...units].filter(([, unit]) => new Set([...unit.values()].map(({ rating }) => rating)).size > 1)
  const byDivision = split
    .map(([ref, unit]) => ({ ref, unit, division: divisionOf([...unit.values()].map(({ rating }) => rating)) }))
    .sort((a, b) => b.division - a.division || b.unit.size - a.unit.size || (a.ref < b.ref ? -1 : 1))
  const shown: { ref: string; ratings: VisibleRating[] }[] = []
  for (const chunk of chunksOf(byDivision, TRACES_PER_LOOK)) {
    const ids = chunk.flatMap(({ unit }) => [...unit.values()].map(({ annotationId }) => annotationId))
    const visible = Map.groupBy(await listVisible(q, { workspaceId, readerId, ids }), ({ ref }) => ref)
    for (const { ref, unit } of chunk) {
      const ratings = visible.get(ref) ?? []
      if (ratings.length === unit.size) shown.push({ ref, ratings })
    }
    if (shown.length >= DISAGREEMENTS_MAX) break
  }
  const page = shown.slice(0, DISAGREEMENTS_MAX)
  const traceIds = await findTraceIds(
    q,
    workspaceId,
    page.map(({ ref }) => ref),
  )
  return {
    total: split.length,
    data: page.map(({ ref, ratings }) => ({
      traceDbId: traceIds.get(ref) ?? ref,
      ratings: ratings
        .sort((a, b) => (a.id < b.id ? -1 : 1))
        .map(({ userId, rating, comment }) => ({ userId, rating, comment })),
    })),
  }
}

/** The share of people who are not with the largest group. */
function divisionOf(ratings: readonly string[]): number {
  const groups = Map.groupBy(ratings, (rating) => rating)
  return 1 - Math.max(...[...groups.values()].map((group) => group.length)) / ratings.length
}
