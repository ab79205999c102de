import type Database from 'better-sqlite3'
import { intersectLists } from './span-lists.ts'

/**
 * Gives a connection the table `span_candidates(trigrams, limit)`: the positions of the spans that contain all trigrams of a JSON list, in
 * ascending order; about as many as the limit if there are more. Without an index, it has no rows.
 *
 * `index` must be another connection, because the driver runs no statement inside another one. A search that also reads the position of
 * the index on its own connection misses no span: it has begun to read before this does, and newer segments contain all that older ones do.
 */
export function addCandidateTable(database: Database.Database, index: Database.Database | undefined): void {
  const find = index ? candidateReader(index) : () => []
  database.table('span_candidates', {
    columns: ['position'],
    parameters: ['trigrams', 'limit'],
    *rows(trigrams: unknown, limit: unknown) {
      // As a big integer, which the driver passes on as an integer and not as a floating-point number.
      for (const position of find(JSON.parse(String(trigrams)), Number(limit))) yield [BigInt(position)]
    },
  })
}

function candidateReader(index: Database.Database): (trigrams: readonly number[], limit: number) => number[] {
  const segments = index.prepare<unknown[], { id: number; first: number }>(
    'select id, first from segments order by first',
  )
  const listOf = index
    .prepare<unknown[], Uint8Array>('select spans from span_lists where segment = ? and trigram = ?')
    .pluck()
  // One transaction, because a merge removes the segments that it has merged.
  return index.transaction((trigrams: readonly number[], limit: number) => {
    const positions: number[] = []
    for (const { id, first } of segments.all()) {
      const lists = listsOf(trigrams, (trigram) => listOf.get(id, trigram))
      for (const number of intersectLists(lists)) positions.push(first + number - 1)
      if (positions.length >= limit) break
    }
    return positions
  })
}

/** None if one of them is missing: then no span of the segment has all trigrams. */
function listsOf(trigrams: readonly number[], find: (trigram: number) => Uint8Array | undefined): Uint8Array[] {
  const lists: Uint8Array[] = []
  for (const trigram of trigrams) {
    const list = find(trigram)
    if (!list) return []
    lists.push(list)
  }
  return lists
}
