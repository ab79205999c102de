/** What a search asks the index for: the spans that may contain a text. */
import { PostgresAdapter, type RawBuilder, type SqlBool, sql } from 'kysely'
import type { Queries } from '../../storage/db.ts'
import { hasSearchIndex } from '../../storage/sqlite/worker-queries.ts'
import { markOf } from './list-ids.ts'
import { INDEX } from './postgres-index-queries.ts'
import { trigramsOf } from './trigrams.ts'

const TRIGRAMS_MAX = 16

/** Texts that an application searches for. */
type SearchedTexts = { workspaceId: string; texts: readonly string[] }

/**
 * Spans that may contain all of these texts, by their position: those that the index returns, and those that are not indexed yet. They
 * must still be compared. Undefined if the texts are too short for the index, or the handle has none.
 */
export function mayContain(
  q: Queries,
  position: string,
  { workspaceId, texts }: SearchedTexts,
): RawBuilder<SqlBool> | undefined {
  const trigrams = searchedTrigrams(texts)
  if (!hasSearchIndex(q) || trigrams.length === 0) return undefined
  const column = sql.ref(position)
  return sql<SqlBool>`(${column} in (
      select position from span_candidates(${markOf(workspaceId)}, ${JSON.stringify(trigrams)}, ${Number.MAX_SAFE_INTEGER}))
    or ${column} > (select position from search.progress))`
}

/** Whether the index has all spans but a few. */
export async function hasReadyIndex(q: Queries, spansBehindMax: number): Promise<boolean> {
  if (isPostgres(q)) {
    const valid = sql`select 1 from pg_index where indexrelid = to_regclass(${INDEX}) and indisvalid`
    return (await valid.execute(q)).rows.length > 0
  }
  if (!hasSearchIndex(q)) return false
  const { rows } = await sql<{ behind: number }>`
    select coalesce(max(position), 0) - (select position from search.progress) as behind from spans`.execute(q)
  return (rows[0]?.behind ?? 0) <= spansBehindMax
}

/** PostgreSQL uses its index only for letters and digits that follow each other. */
export function isLongEnough(q: Queries, texts: readonly string[]): boolean {
  if (!isPostgres(q)) return searchedTrigrams(texts).length > 0
  return texts.some((text) => /[\p{L}\p{N}]{3}/u.test(text))
}

function isPostgres(q: Queries): boolean {
  return q.getExecutor().adapter instanceof PostgresAdapter
}

/** How many spans the index returns, counted up to a limit: none if the engine chooses by itself how to search. */
export async function countCandidates(
  q: Queries,
  { workspaceId, texts }: SearchedTexts,
  limit: number,
): Promise<number> {
  if (!hasSearchIndex(q)) return 0
  const trigrams = searchedTrigrams(texts)
  const { rows } = await sql<{ count: number }>`select count(*) as count from (
    select position from span_candidates(${markOf(workspaceId)}, ${JSON.stringify(trigrams)}, ${limit}) limit cast(${limit} as integer))`.execute(
    q,
  )
  return rows[0]?.count ?? 0
}

/** All trigrams of the texts, or a sample if there are many: candidates are compared with the text anyway. */
function searchedTrigrams(texts: readonly string[]): number[] {
  const trigrams = [...new Set(texts.flatMap(trigramsOf))]
  const every = Math.ceil(trigrams.length / TRIGRAMS_MAX)
  return trigrams.filter((_, place) => place % every === 0)
}
