import type { Queries } from '../storage/db.ts'
import { findTraceIds } from '../traces/trace-queries.ts'
import { listCommented } from './agreement-queries.ts'
import { divisionOf } from './order-disagreements.ts'
import type { RatingUnits } from './rating-units.ts'

const DISAGREEMENTS_MAX = 200

/** The traces with different ratings, most evenly divided first. The list is limited; `total` counts all. */
export async function listDisagreements(q: Queries, { units }: RatingUnits, workspaceId: string) {
  const split = [...units].filter(([, unit]) => new Set([...unit.values()].map(({ rating }) => rating)).size > 1)
  const byDivision = split
    .map(([ref, unit]) => ({ ref, unit, division: divisionOf([...unit.values()].map(({ rating }) => rating)) }))
    .sort((a, b) => b.division - a.division || b.unit.size - a.unit.size || (a.ref < b.ref ? -1 : 1))
  const page = byDivision.slice(0, DISAGREEMENTS_MAX)
  const ids = page.flatMap(({ unit }) => [...unit.values()].map(({ annotationId }) => annotationId))
  const commented = Map.groupBy(await listCommented(q, { workspaceId, ids }), ({ ref }) => ref)
  const traceIds = await findTraceIds(
    q,
    workspaceId,
    page.map(({ ref }) => ref),
  )
  return {
    total: split.length,
    data: page.map(({ ref }) => ({
      traceDbId: traceIds.get(ref) ?? ref,
      ratings: (commented.get(ref) ?? [])
        .sort((a, b) => (a.id < b.id ? -1 : 1))
        .map(({ userId, rating, comment }) => ({ userId, rating, comment })),
    })),
  }
}
