import type Database from 'better-sqlite3'
import { prepareSearchStatements } from './index-file-queries.ts'
import { listId } from './list-ids.ts'
import { decodeList, keepInRuns, keepListed } from './span-lists.ts'

/** Reading so many bytes of a list costs as much as comparing a span with the searched text. */
const BYTES_PER_CANDIDATE = 5_000

/**
 * Gives a connection the table `span_candidates(mark, trigrams, limit)`: the positions of the spans with the mark that may contain all
 * trigrams of a JSON list, in ascending order; about as many as the limit if there are more. Without an index, it has no rows.
 *
 * `index` must be another connection, because the driver runs no statement inside another one. A search that also reads the position of
 * the index on its own connection misses no span: it has begun to read before this does, and newer segments contain all that older ones do.
 */
export function addCandidateTable(database: Database.Database, index: Database.Database | undefined): void {
  const find = index ? candidateReader(index) : () => []
  database.table('span_candidates', {
    columns: ['position'],
    parameters: ['mark', 'trigrams', 'limit'],
    *rows(mark: unknown, trigrams: unknown, limit: unknown) {
      const positions = find(Number(mark), JSON.parse(String(trigrams)), Number(limit))
      // As a big integer, which the driver passes on as an integer and not as a floating-point number.
      for (const position of positions) yield [BigInt(position)]
    },
  })
}

type FindCandidates = (mark: number, trigrams: readonly number[], limit: number) => number[]

function candidateReader(index: Database.Database): FindCandidates {
  const { segments, listOf, shortestFirst } = prepareSearchStatements(index)

  function numbersIn(segment: number, mark: number, trigrams: readonly number[]): number[] {
    const marked = listOf.get(listId(segment, mark))
    const lists = shortestFirst.all(JSON.stringify(trigrams.map((trigram) => listId(segment, trigram))))
    // If one of them is missing, no span of the segment has all.
    if (!marked || lists.length < trigrams.length) return []
    let numbers: number[] | undefined
    for (const [id, length] of lists) {
      if (numbers && numbers.length * BYTES_PER_CANDIDATE <= length) break
      const list = listOf.get(id) ?? new Uint8Array()
      numbers = numbers ? keepListed(numbers, list) : keepInRuns(decodeList(list), marked)
    }
    return numbers ?? []
  }

  // One transaction, because a merge removes the segments that it has merged.
  return index.transaction((mark: number, trigrams: readonly number[], limit: number) => {
    const positions: number[] = []
    for (const { id, first } of segments.all()) {
      for (const number of numbersIn(id, mark, trigrams)) positions.push(first + number - 1)
      if (positions.length >= limit) break
    }
    return positions
  })
}
