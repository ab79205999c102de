import { conflict } from '../base/errors.ts'
import { type PlannedSearch, searchedSinceOf } from './trace-list-queries.ts'

/** Throws 409 if the search is limited to the latest traces: what changes all matches must not silently change a part of them. */
export function requireCompleteSearch(search: PlannedSearch, consequence: string): void {
  const since = searchedSinceOf(search)
  if (since === null) return
  throw conflict(
    `No index supports this query, so only traces that started since ${since} can be searched at once; ${consequence}. Search for a longer text, or add start:>=${since}`,
  )
}
