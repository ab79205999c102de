import { type RawBuilder, type SqlBool, sql } from 'kysely'
import type { Queries } from '../storage/db.ts'
import { inIds, inList } from '../storage/dialect.ts'
import { prepared } from '../storage/query-building.ts'
import { activeAnnotations } from './annotation-list-queries.ts'
import { hasRating } from './annotation-queries.ts'
import { isVisibleTo } from './blind-annotation-queries.ts'

/** The ratings of each trace by the id of its sender, and in it by user. */
type TraceRatings = Map<string, Map<string, string>>

type RatingsFilter = {
  workspaceId: string
  /** Null for all runs. */
  runId: string | null
  /** A condition on the annotations `a`. Defaults to all annotations. */
  isVisible?: RawBuilder<SqlBool> | undefined
}

/** If a user rated a trace in several runs, the newest rating counts. */
export async function listTraceRatings(
  q: Queries,
  { workspaceId, runId, isVisible = sql<SqlBool>`1 = 1` }: RatingsFilter,
  refs: readonly string[],
): Promise<TraceRatings> {
  const ratings = ratingsInRuns(q, workspaceId, refs).where(isVisible)
  const rows = await (runId === null ? ratings : ratings.where('a.run_id', '=', runId)).execute()
  return newestByUser(rows)
}

type Reader = {
  workspaceId: string
  readerId: string
  /** Of annotations in these runs, `isVisibleTo` decides. */
  blindRuns: readonly string[]
  /** Outside of runs, only the reader's own ratings of these traces are listed. */
  blindTraces: ReadonlySet<string>
}

/** As `listTraceRatings`, for ratings in all runs and outside of runs. */
export async function listRatingsForReader(
  q: Queries,
  { workspaceId, readerId, blindRuns, blindTraces }: Reader,
  traces: readonly { id: string; traceId: string }[],
): Promise<TraceRatings> {
  if (traces.length === 0) return new Map()
  const refs = new Map(traces.map(({ id, traceId }) => [id, traceId]))
  const traceIds = [...refs.values()]
  const ratings =
    blindRuns.length === 0
      ? selectRatingsInRuns(q, { workspaceId, traceIds })
      : ratingsInRuns(q, workspaceId, traceIds).where(isVisibleTo(readerId, blindRuns)).execute()
  const outside = selectRatingsOutside(q, { workspaceId, traceDbIds: [...refs.keys()] })
  const [ofRuns, ofNoRun] = await Promise.all([ratings, outside])
  const visible = ofNoRun
    .map(({ traceDbId, ...rating }) => ({ ...rating, ref: refs.get(traceDbId) ?? '' }))
    .filter(({ userId, ref }) => userId === readerId || !blindTraces.has(ref))
  return newestByUser([...ofRuns, ...visible])
}

const selectRatingsInRuns = prepared<{ workspaceId: string; traceIds: readonly string[] }>()((q, value) =>
  ratingsInRuns(q, value('workspaceId'), value('traceIds')),
)

const selectRatingsOutside = prepared<{ workspaceId: string; traceDbIds: readonly string[] }>()((q, value) =>
  q
    .selectFrom('trace_annotations as o')
    .select(['o.trace_id as traceDbId', 'o.user_id as userId', 'o.rating', 'o.updated_at as updatedAt', 'o.id'])
    .where('o.workspace_id', '=', value('workspaceId'))
    .where(inIds(q, 'o.trace_id', value('traceDbIds')))
    .where(hasRating('o')),
)

function ratingsInRuns(q: Queries, workspaceId: string, refs: readonly string[]) {
  return activeAnnotations(q)
    .select(['a.trace_ref as ref', 'a.user_id as userId', 'a.rating', 'a.updated_at as updatedAt', 'a.id'])
    .where('a.workspace_id', '=', workspaceId)
    .where(inList(q, 'a.trace_ref', refs))
    .where(hasRating('a'))
}

type RatingRow = { ref: string; userId: string; rating: string | null; updatedAt: string; id: string }

function newestByUser(rows: readonly RatingRow[]): TraceRatings {
  const ratings: TraceRatings = new Map()
  for (const { ref, userId, rating } of rows.toSorted(oldestFirst)) {
    const ofTrace = ratings.get(ref) ?? new Map<string, string>()
    ratings.set(ref, ofTrace.set(userId, rating ?? ''))
  }
  return ratings
}

function oldestFirst(a: RatingRow, b: RatingRow): number {
  if (a.updatedAt !== b.updatedAt) return a.updatedAt < b.updatedAt ? -1 : 1
  return a.id < b.id ? -1 : 1
}
