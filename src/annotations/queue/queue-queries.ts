import { type RawBuilder, type SqlBool, sql } from 'kysely'
import type { Clock } from '../../base/clock.ts'
import type { Queries } from '../../storage/db.ts'
import { dbNow, inList } from '../../storage/dialect.ts'
import { selectScoped } from '../../storage/query-building.ts'
import { hasRating } from '../annotation-queries.ts'
import type { RunScope } from '../rating-rule-queries.ts'
import type { Rater } from './lease-queries.ts'

/** The rater who requests a trace, and the traces to skip. */
export type QueueRequest = Rater & { ratersPerItem: number | null; skipped: readonly string[] }

export type Candidate = { ref: string; raters: number }

type Range = { after?: string; upTo?: string; among?: readonly string[]; limit: number }

/**
 * Returns the traces of the run, ordered by reference, that can be assigned to the rater: they have arrived, the rater
 * has not rated them, and they have a free slot. `raters` counts the other raters and their active leases.
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

/** The traces of the run after a reference, in order of references, and their items. */
export async function listItemsOfRun(
  q: Queries,
  { workspaceId, runId }: RunScope,
  { after, limit }: { after: string; limit: number },
): Promise<{ ref: string; itemId: string | null }[]> {
  return selectScoped(q, 'run_traces', { workspace_id: workspaceId, run_id: runId })
    .select(['trace_ref as ref', 'item_id as itemId'])
    .where('trace_ref', '>', after)
    .orderBy('trace_ref')
    .limit(limit)
    .execute()
}

export async function listNewestRatings(
  q: Queries,
  { workspaceId, runId }: Rater,
  limit: number,
): Promise<{ ref: string; userId: string }[]> {
  return selectScoped(q, 'annotations', { workspace_id: workspaceId, run_id: runId })
    .select(['trace_ref as ref', 'user_id as userId'])
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
  return selectScoped(q, 'annotations', { workspace_id: workspaceId, run_id: runId })
    .select(['trace_ref as ref', 'rating'])
    .where(inList(q, 'trace_ref', refs))
    .where(hasRating('annotations'))
    .$narrowType<{ rating: string }>()
    .execute()
}

/** The number of traces of the run that the user has rated. */
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

/** The number of traces of the run that have all required raters, without the user being one of them. */
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

/** The number of linked traces that have not arrived. */
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

// Scalar subqueries instead of EXISTS: without statistics, the planner would turn EXISTS into joins over whole tables
// although a window needs only a few rows.

function arrivedTrace(): RawBuilder<string | null> {
  return sql<string | null>`(select t.id from traces as t
    where t.workspace_id = l.workspace_id and t.trace_id = l.trace_ref and t.deleted_at is null limit 1)`
}

/** Finds the link of a rated trace: users may also rate traces that are not linked to the run. */
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

/** The number of other raters. */
function ratersOf(userId: string): RawBuilder<number> {
  return sql<number>`(select count(*) from annotations as a
    where a.workspace_id = l.workspace_id and a.trace_ref = l.trace_ref and ${isOfRun('a')}
      and a.user_id <> ${userId} and ${hasRating('a')})`
}

/** The cast prevents a lookup by run, which may have thousands of annotations, for each trace of the window. */
function isOfRun(table: string): RawBuilder<SqlBool> {
  return sql<SqlBool>`cast(${sql.ref(`${table}.run_id`)} as text) = cast(l.run_id as text)`
}

/** The number of other raters and of active leases of others. */
function ratersAndLeases(userId: string, now: RawBuilder<string>): RawBuilder<number> {
  return sql<number>`(${ratersOf(userId)} + (select count(*) from annotation_leases as e
    where e.workspace_id = l.workspace_id and e.run_id = l.run_id and e.trace_ref = l.trace_ref
      and e.user_id <> ${userId} and e.lease_until > ${now}))`
}
