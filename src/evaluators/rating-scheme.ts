import { majorityRating } from './majority-rating.ts'

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
 * Whether a rating is positive: its score is in the upper half of the scheme's range. Undefined for a score exactly in
 * the middle, and for a word that is not in the scheme.
 */
export function isGoodRating(scheme: RatingScheme, rating: string): boolean | undefined {
  const score = scoreOfRating(scheme, rating)
  const scores = scheme.ratings.map((known) => known.score)
  const middle = (Math.min(...scores) + Math.max(...scores)) / 2
  return score === undefined || score === middle ? undefined : score > middle
}

/** Whether most people rate a trace as good; undefined for a tie and without ratings. */
export function majorityIsPositive(scheme: RatingScheme, ratings: readonly string[]): boolean | undefined {
  const verdicts = ratings.map((rating) => isGoodRating(scheme, rating)).filter((verdict) => verdict !== undefined)
  const most = majorityRating(verdicts.map(String))
  return most === null ? undefined : most === 'true'
}
