import type { Queries } from '../storage/db.ts'
import { findTraceIds } from '../traces/trace-queries.ts'
import { listCommented } from './agreement-queries.ts'
import type { RatingUnits } from './rating-units.ts'

/** A trace with different ratings. */
export type Disagreement = {
  ref: string
  annotationIds: string[]
  /** By user. */
  ratings: ReadonlyMap<string, string>
  /** The distance between the lowest and the highest rating; null without an order. */
  steps: number | null
  /** The share of raters outside of the largest group. */
  division: number
  raters: number
}

/** What the order depends on. It identifies a position in the list even if rows are added or removed. */
export type Position = Pick<Disagreement, 'ref' | 'steps' | 'division' | 'raters'>

/** All disagreements, the widest first, then the most evenly divided. `order` has the ratings of an ordered scheme. */
export function orderDisagreements({ units }: RatingUnits, order: readonly string[] | undefined): Disagreement[] {
  const found: Disagreement[] = []
  for (const [ref, unit] of units) {
    const byUser = new Map([...unit].map(([userId, { rating }]) => [userId, rating]))
    const ratings = [...byUser.values()]
    if (new Set(ratings).size < 2) continue
    const annotationIds = [...unit.values()].map(({ annotationId }) => annotationId)
    const facts = { steps: order ? distance(order, ratings) : null, division: divisionOf(ratings) }
    found.push({ ref, annotationIds, ratings: byUser, ...facts, raters: ratings.length })
  }
  return found.sort(comparePositions)
}

/** Negative if `a` comes before `b`. */
export function comparePositions(a: Position, b: Position): number {
  const byWidth = (b.steps ?? 0) - (a.steps ?? 0)
  return byWidth || b.division - a.division || b.raters - a.raters || (a.ref < b.ref ? -1 : Number(a.ref > b.ref))
}

function distance(order: readonly string[], ratings: readonly string[]): number {
  const ranks = ratings.map((rating) => order.indexOf(rating))
  return Math.max(...ranks) - Math.min(...ranks)
}

/** The share of raters outside of the largest group. */
function divisionOf(ratings: readonly string[]): number {
  const groups = Map.groupBy(ratings, (rating) => rating)
  return 1 - Math.max(...[...groups.values()].map((group) => group.length)) / ratings.length
}

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
