import { type RawBuilder, type SqlBool, sql } from 'kysely'
import { hasRating } from '../scores/rating-queries.ts'
import type { Queries } from '../storage/db.ts'
import { inList } from '../storage/dialect.ts'
import { activeAnnotations } from './annotation-queries.ts'

type RatingsFilter = {
  workspaceId: string
  /** Null for all runs. */
  runId: string | null
  /** A condition on the annotations `a`. Defaults to all annotations. */
  isVisible?: RawBuilder<SqlBool> | undefined
}

/** Returns the ratings by trace and user. If a user rated a trace in several runs, the newest rating counts. */
export async function listTraceRatings(
  q: Queries,
  { workspaceId, runId, isVisible = sql<SqlBool>`1 = 1` }: RatingsFilter,
  refs: readonly string[],
): Promise<Map<string, Map<string, string>>> {
  const inAnyRun = activeAnnotations(q)
    .select(['a.trace_ref as ref', 'a.user_id as userId', 'a.rating'])
    .where('a.workspace_id', '=', workspaceId)
    .where(inList(q, 'a.trace_ref', refs))
    .where(hasRating('a'))
    .where(isVisible)
    .orderBy('a.updated_at')
    .orderBy('a.id')
  const rows = await (runId === null ? inAnyRun : inAnyRun.where('a.run_id', '=', runId)).execute()
  const ratings = new Map<string, Map<string, string>>()
  for (const { ref, userId, rating } of rows) {
    const ofTrace = ratings.get(ref) ?? new Map<string, string>()
    ratings.set(ref, ofTrace.set(userId, rating ?? ''))
  }
  return ratings
}
