import type { CountedAgreement, Resolution } from '../../api/generated/api.ts'
import type { Estimate, MeanEstimate } from '../../ui/charts/estimate.ts'
import type { AgreementSearch } from './agreement-search.ts'

/** A trace with different ratings, of a run or of a dataset. */
export interface DisagreementRow {
  /** The id of the trace. */
  id: string
  input: string | null
  output: string | null
  expected: string | null
  /** False until the trace has arrived, and after it was deleted. */
  hasTrace: boolean
  /** The distance between the lowest and the highest rating; null if the ratings have no order. */
  steps: number | null
  ratings: PersonRating[]
  /** Null if it is open. Resolutions belong to runs, so rows of a dataset have none. */
  resolution: Resolution | null
}

export interface PersonRating {
  userId: string
  name: string
  rating: string
  comment: string | null
}

type Pair = CountedAgreement['pairs'][number]

/** Of two raters, or of two ratings. */
export type Two = readonly [string, string]

/** An estimate of the server, with its summary where there is no value or no interval. */
export function estimateOf(value: number | null, ci: number[] | null, n: number, summary: string): Estimate {
  const [low, high] = ci ?? []
  if (value === null || low === undefined || high === undefined) return { summary }
  return { mean: value, low, high, n }
}

/**
 * What α says, by the limits of Krippendorff: 0.8 for conclusions, 0.667 for tentative ones. The whole interval must be on
 * one side of a limit: of twelve answers it often reaches from chance to perfect agreement.
 */
export function agreementInWords({ low, high }: MeanEstimate): string {
  if (low >= 0.8) return 'Raters mean the same'
  if (low >= 0.667) return 'Raters mostly mean the same'
  if (high < 0.667) return low <= 0 ? 'Raters may agree only by chance' : 'Raters often do not mean the same'
  return 'Not clear yet whether raters mean the same'
}

/** The raters in the address, and the ratings if they are there, too. */
export function filterOf({ rater_a, rater_b, rating_a, rating_b }: AgreementSearch): {
  raters: Two | undefined
  ratings: Two | undefined
} {
  if (!rater_a || !rater_b) return { raters: undefined, ratings: undefined }
  return { raters: [rater_a, rater_b], ratings: rating_a && rating_b ? [rating_a, rating_b] : undefined }
}

/** The other way round, for the address. The panel is closed, because its disagreement may not be listed any more. */
export function searchOfFilter(raters: Two | undefined, ratings: Two | undefined): Partial<AgreementSearch> {
  return {
    rater_a: raters?.[0],
    rater_b: raters?.[1],
    rating_a: ratings?.[0],
    rating_b: ratings?.[1],
    item: undefined,
  }
}

/** The pair in the address; without one, the pair that differs most often. */
export function shownPair(pairs: Pair[], raters: Two | undefined): Pair | undefined {
  const chosen = raters && pairs.find(({ a, b }) => raters.includes(a) && raters.includes(b))
  if (chosen) return chosen.a === raters[0] ? chosen : transpose(chosen)
  return pairs.toSorted((left, right) => differences(right) - differences(left))[0]
}

/** How many traces the two rated differently. */
export function differences({ ratings }: Pair): number {
  return ratings.reduce((sum, { a, b, count }) => (a === b ? sum : sum + count), 0)
}

/** The two ratings to show in a row: those of the chosen raters, otherwise the ones that are farthest apart. */
export function twoRatings(row: DisagreementRow, raters: Two | undefined, order: string[]): PersonRating[] {
  if (raters) return raters.flatMap((id) => row.ratings.filter(({ userId }) => userId === id))
  const ranked = row.ratings.toSorted((left, right) => order.indexOf(right.rating) - order.indexOf(left.rating))
  return [...ranked.slice(0, 1), ...ranked.slice(1).slice(-1)]
}

function transpose(pair: Pair): Pair {
  const ratings = pair.ratings.map(({ a, b, count }) => ({ a: b, b: a, count }))
  return { ...pair, a: pair.b, b: pair.a, ratings }
}
