import { majorityRating } from './majority-rating.ts'

/** Which words people of an application rate with, and what they are worth. */
export type RatingScheme = {
  ratings: readonly Rating[]
  /** Whether a rating between two others is between them in meaning, too. Their order is that of their scores. */
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

/** Undefined for a word that the scheme does not know. */
export function scoreOfRating({ ratings }: RatingScheme, rating: string): number | undefined {
  return ratings.find(({ value }) => value === rating)?.score
}

/**
 * Whether a rating says that the trace is good: its score is in the upper half of the scheme's. Undefined for what is exactly in the
 * middle, which says neither, and for a word that the scheme does not know.
 */
export function isGoodRating(scheme: RatingScheme, rating: string): boolean | undefined {
  const score = scoreOfRating(scheme, rating)
  const scores = scheme.ratings.map((known) => known.score)
  const middle = (Math.min(...scores) + Math.max(...scores)) / 2
  return score === undefined || score === middle ? undefined : score > middle
}

/** Whether most people find a trace good; undefined where as many do as do not, and where nobody says. */
export function majorityIsPositive(scheme: RatingScheme, ratings: readonly string[]): boolean | undefined {
  const verdicts = ratings.map((rating) => isGoodRating(scheme, rating)).filter((verdict) => verdict !== undefined)
  const most = majorityRating(verdicts.map(String))
  return most === null ? undefined : most === 'true'
}
