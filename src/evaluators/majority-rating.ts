/**
 * Returns the most frequent rating, with one rating per person. Null if there are no ratings, or if two are equally
 * frequent: choosing one would invent a majority.
 */
export function majorityRating(ratings: readonly string[]): string | null {
  const counts = new Map<string, number>()
  for (const rating of ratings) counts.set(rating, (counts.get(rating) ?? 0) + 1)
  const most = Math.max(...counts.values())
  const [first, second] = [...counts].filter(([, count]) => count === most)
  return first !== undefined && second === undefined ? first[0] : null
}
