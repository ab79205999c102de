/** The keys that choose a rating in the annotation workspace. */
export const RATING_KEYS = ['1', '2', '3', '4', '5', '6', '7', '8', '9'] as const

/** Assigns the free keys, in order, to ratings without one. Null means that the rating has no key on purpose. */
export function withKeys<R extends { key?: string | null | undefined }>(
  ratings: readonly R[],
): (R & { key: string | null })[] {
  const used = new Set(ratings.map(({ key }) => key))
  const free = RATING_KEYS.filter((key) => !used.has(key))
  return ratings.map((rating) => ({ ...rating, key: rating.key === undefined ? (free.shift() ?? null) : rating.key }))
}
