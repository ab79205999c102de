import { type RawBuilder, type SqlBool, sql } from 'kysely'
import type { Clock } from '../../base/clock.ts'
import { hasRating } from '../../scores/has-rating-sql.ts'
import type { Queries } from '../../storage/db.ts'
import { dbNow, inList } from '../../storage/dialect.ts'
import type { Rater } from './lease-queries.ts'

/** For whom a trace is looked for, and which ones that person does not want now. */
export type QueueRequest = Rater & { ratersPerItem: number | null; skipped: readonly string[] }

export type Candidate = { ref: string; raters: number }

type Range = { after?: string; upTo?: string; among?: readonly string[]; limit: number }

/**
 * Traces of the run, in the order of their references, that may be handed to the seeker: they have arrived, the seeker has not rated
 * them, and they have room for one more. Each with the number of others who have rated it, or are about to.
 */
export async function listCandidates(
  q: Queries,
  clock: Clock,
  request: QueueRequest,
  { after, upTo, among, limit }: Range,
): Promise<Candidate[]> {
  const { workspaceId, runId, userId, ratersPerItem, skipped } = request
  const raters = ratersPerItem === null ? ratersOf(userId) : ratersAndLeases(userId, dbNow(q, clock, 0))
  let query = q
    .selectFrom('run_traces as l')
    .select(['l.trace_ref as ref', raters.as('raters')])
    .where('l.workspace_id', '=', workspaceId)
    .where('l.run_id', '=', runId)
    .where(ownRating(userId), 'is', null)
    .where(arrivedTrace(), 'is not', null)
  if (after !== undefined) query = query.where('l.trace_ref', '>', after)
  if (upTo !== undefined) query = query.where('l.trace_ref', '<=', upTo)
  if (among !== undefined) query = query.where(inList(q, 'l.trace_ref', among))
  if (skipped.length > 0) query = query.where(({ not }) => not(inList(q, 'l.trace_ref', skipped)))
  if (ratersPerItem !== null) query = query.where(sql<boolean>`${raters} < ${ratersPerItem}`)
  return query.orderBy('l.trace_ref').limit(limit).execute()
}

/** The newest ratings of a run: whose, and of which trace. */
export async function listNewestRatings(
  q: Queries,
  { workspaceId, runId }: Rater,
  limit: number,
): Promise<{ ref: string; userId: string }[]> {
  return q
    .selectFrom('annotations')
    .select(['trace_ref as ref', 'user_id as userId'])
    .where('workspace_id', '=', workspaceId)
    .where('run_id', '=', runId)
    .where(hasRating('annotations'))
    .orderBy('id', 'desc')
    .limit(limit)
    .execute()
}

export async function listRatingsOf(
  q: Queries,
  { workspaceId, runId }: Rater,
  refs: readonly string[],
): Promise<{ ref: string; rating: string }[]> {
  return q
    .selectFrom('annotations')
    .select(['trace_ref as ref', 'rating'])
    .where('workspace_id', '=', workspaceId)
    .where('run_id', '=', runId)
    .where(inList(q, 'trace_ref', refs))
    .where(hasRating('annotations'))
    .$narrowType<{ rating: string }>()
    .execute()
}

/** How many traces of the run the person has rated. */
export async function countOwnRatings(q: Queries, { workspaceId, runId, userId }: Rater): Promise<number> {
  const { count } = await q
    .selectFrom('annotations as a')
    .select(({ fn }) => fn.countAll<number>().as('count'))
    .where('a.workspace_id', '=', workspaceId)
    .where('a.run_id', '=', runId)
    .where('a.user_id', '=', userId)
    .where(hasRating('a'))
    .where(linkOf('a'), 'is not', null)
    .executeTakeFirstOrThrow()
  return count
}

/** How many traces of the run have all the raters that they need, the person not among them. */
export async function countFullyRated(
  q: Queries,
  { workspaceId, runId, userId }: Rater,
  ratersPerItem: number,
): Promise<number> {
  const full = q
    .selectFrom('annotations as a')
    .select(['a.workspace_id', 'a.run_id', 'a.trace_ref'])
    .where('a.workspace_id', '=', workspaceId)
    .where('a.run_id', '=', runId)
    .where(hasRating('a'))
    .groupBy(['a.workspace_id', 'a.run_id', 'a.trace_ref'])
    .having(sql<boolean>`count(*) >= ${ratersPerItem} and max(case when a.user_id = ${userId} then 1 else 0 end) = 0`)
  const { count } = await q
    .selectFrom(full.as('f'))
    .select(({ fn }) => fn.countAll<number>().as('count'))
    .where(linkOf('f'), 'is not', null)
    .executeTakeFirstOrThrow()
  return count
}

/** How many traces of the run nobody can look at yet. */
export async function countNotArrived(q: Queries, { workspaceId, runId }: Rater): Promise<number> {
  const { count } = await q
    .selectFrom('run_traces as l')
    .select(({ fn }) => fn.countAll<number>().as('count'))
    .where('l.workspace_id', '=', workspaceId)
    .where('l.run_id', '=', runId)
    .where(arrivedTrace(), 'is', null)
    .executeTakeFirstOrThrow()
  return count
}

// Values, not conditions with EXISTS: an engine that knows nothing yet about how many rows there are would turn those into joins of
// whole tables, for the sake of the few rows that a window needs.

function arrivedTrace(): RawBuilder<string | null> {
  return sql<string | null>`(select t.id from traces as t
    where t.workspace_id = l.workspace_id and t.trace_id = l.trace_ref and t.deleted_at is null limit 1)`
}

/** Whether a trace that somebody has rated is one of the run: people may rate others, too. */
function linkOf(table: string): RawBuilder<string | null> {
  return sql<string | null>`(select l.trace_ref from run_traces as l
    where l.workspace_id = ${sql.ref(`${table}.workspace_id`)} and l.run_id = ${sql.ref(`${table}.run_id`)}
      and l.trace_ref = ${sql.ref(`${table}.trace_ref`)} limit 1)`
}

function ownRating(userId: string): RawBuilder<string | null> {
  return sql<string | null>`(select mine.user_id from annotations as mine
    where mine.workspace_id = l.workspace_id and mine.trace_ref = l.trace_ref and ${isOfRun('mine')}
      and mine.user_id = ${userId} and ${hasRating('mine')} limit 1)`
}

/** Of the others: where it is asked, the seeker has not rated. */
function ratersOf(userId: string): RawBuilder<number> {
  return sql<number>`(select count(*) from annotations as a
    where a.workspace_id = l.workspace_id and a.trace_ref = l.trace_ref and ${isOfRun('a')}
      and a.user_id <> ${userId} and ${hasRating('a')})`
}

/** Cast, so that annotations are found by their trace: by their run there may be many thousands, for each trace of the window. */
function isOfRun(table: string): RawBuilder<SqlBool> {
  return sql<SqlBool>`cast(${sql.ref(`${table}.run_id`)} as text) = cast(l.run_id as text)`
}

/** Whoever was handed a trace counts like one who has rated it. */
function ratersAndLeases(userId: string, now: RawBuilder<string>): RawBuilder<number> {
  return sql<number>`(${ratersOf(userId)} + (select count(*) from annotation_leases as e
    where e.workspace_id = l.workspace_id and e.run_id = l.run_id and e.trace_ref = l.trace_ref
      and e.user_id <> ${userId} and e.lease_until > ${now}))`
}
