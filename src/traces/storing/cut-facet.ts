/** Longer values are truncated, here and in queries, to keep index entries small. */
export const FACET_LENGTH_MAX = 300

export function cutFacet(value: string): string {
  // Truncation may split a surrogate pair, and not every database accepts half a pair.
  return value.length <= FACET_LENGTH_MAX ? value : value.slice(0, FACET_LENGTH_MAX).toWellFormed()
}
