import type { Principal } from '../base/principal.ts'
import { isVisibleTo, listBlindRuns } from '../scores/blind-annotation-queries.ts'
import type { Queries } from '../storage/db.ts'
import type { VisibilityFilter } from './agreement-queries.ts'

/** In blind runs, a rater sees the ratings of a trace, even aggregated, only after rating it. */
export async function visibilityFor(q: Queries, { workspaceId, userId }: Principal): Promise<VisibilityFilter> {
  return { isVisible: isVisibleTo(userId, await listBlindRuns(q, { workspaceId, readerId: userId })) }
}
