/** The rating words of an application, and their scores. */
export type RatingScheme = {
  ratings: readonly Rating[]
  /** Whether the ratings form an ordinal scale. Their order is that of their scores. */
  ordered: boolean
}

export type Rating = { value: string; score: number; label: string | null }

export const DEFAULT_SCHEME: RatingScheme = {
  ratings: [
    { value: 'positive', score: 1, label: null },
    { value: 'negative', score: 0, label: null },
  ],
  ordered: false,
}

/** Returns undefined for a word that is not in the scheme. */
export function scoreOfRating({ ratings }: RatingScheme, rating: string): number | undefined {
  return ratings.find(({ value }) => value === rating)?.score
}

/**
 * The score of a trace with these ratings, one per person: their mean. A majority would discard every item that two raters
 * disagree on, and with them the contested cases. Undefined if no rating is in the scheme.
 */
export function scoreOfRatings(scheme: RatingScheme, ratings: readonly string[]): number | undefined {
  const scores = ratings.map((rating) => scoreOfRating(scheme, rating)).filter((score) => score !== undefined)
  return scores.length === 0 ? undefined : scores.reduce((sum, score) => sum + score / scores.length, 0)
}

/**
 * Whether a rating is positive: its score is in the upper half of the scheme's range. Undefined for a score exactly in
 * the middle, and for a word that is not in the scheme.
 */
export function isGoodRating(scheme: RatingScheme, rating: string): boolean | undefined {
  return isGoodScore(scheme, scoreOfRating(scheme, rating))
}

/**
 * Whether people rate a trace as good: their mean rating with an ordered scheme, otherwise what most of them say.
 * Undefined for a tie, a mean in the middle, and without ratings.
 */
export function ratingsArePositive(scheme: RatingScheme, ratings: readonly string[]): boolean | undefined {
  if (scheme.ordered) return isGoodScore(scheme, scoreOfRatings(scheme, ratings))
  const verdicts = ratings.map((rating) => isGoodRating(scheme, rating)).filter((verdict) => verdict !== undefined)
  const most = majorityRating(verdicts.map(String))
  return most === null ? undefined : most === 'true'
}

/** The position of a score in the range of the scheme: 0 is the lowest score, 1 the highest. Undefined without a range. */
export function shareOfScheme(scheme: RatingScheme, score: number): number | undefined {
  const [low, high] = rangeOf(scheme)
  return low < high ? (score - low) / (high - low) : undefined
}

function isGoodScore(scheme: RatingScheme, score: number | undefined): boolean | undefined {
  const [low, high] = rangeOf(scheme)
  const middle = (low + high) / 2
  // The mean of several scores may differ from the middle by rounding only.
  const isMiddle = score !== undefined && Math.abs(score - middle) <= 1e-9 * (high - low)
  return score === undefined || isMiddle ? undefined : score > middle
}

function rangeOf({ ratings }: RatingScheme): readonly [number, number] {
  const scores = ratings.map(({ score }) => score)
  return [Math.min(...scores), Math.max(...scores)]
}

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
