/** What a search asks the index for: the spans that may contain a text. */
import { type RawBuilder, type SqlBool, sql } from 'kysely'
import type { Queries } from '../../storage/db.ts'
import { hasSearchIndex } from '../../storage/sqlite/worker-queries.ts'
import { markOf } from './list-ids.ts'
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

/**
 * How many spans the index returns, counted up to a limit: none if the engine chooses by itself how to search; the limit if the texts are
 * too short for the index, because then all spans are candidates.
 */
export async function countCandidates(
  q: Queries,
  { workspaceId, texts }: SearchedTexts,
  limit: number,
): Promise<number> {
  if (!hasSearchIndex(q)) return 0
  const trigrams = searchedTrigrams(texts)
  if (trigrams.length === 0) return limit
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
