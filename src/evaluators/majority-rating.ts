/**
 * What most people said, one rating a person. Null where nobody said anything and where two ratings were given equally often:
 * to choose one of them would be to invent a majority.
 */
export function majorityRating(ratings: readonly string[]): string | null {
  const counts = new Map<string, number>()
  for (const rating of ratings) counts.set(rating, (counts.get(rating) ?? 0) + 1)
  const most = Math.max(...counts.values())
  const [first, second] = [...counts].filter(([, count]) => count === most)
  return first !== undefined && second === undefined ? first[0] : null
}
