import type { Kind } from '../bootstrap/bootstrap-totals.ts'
import type { Interval } from '../interval.ts'
import type { Slices } from '../slices.ts'
import { agreementWithInterval } from './agreement-interval.ts'

/** The ratings of each unit in any order, without missing ratings. */
export type Ratings = readonly (readonly string[])[]

export type AlphaOptions = {
  /** For ordered ratings: all of them, lowest first. */
  readonly order?: readonly string[] | undefined
  /** Same seed and same ratings, in any order, give the same interval. */
  readonly seed: string
}

type Alpha = {
  /** The number of units with two or more ratings; the others are ignored because they cannot show agreement. */
  readonly units: number
  /** Undefined without such units, and if all ratings are equal. */
  readonly alpha: number | undefined
  /** 95 %, see `agreementWithInterval`. */
  readonly interval: Interval | undefined
}

/**
 * The agreement of any number of raters beyond chance, for incomplete ratings: 1 is perfect, 0 is chance. Throws if a
 * rating is not in the order.
 *
 * Krippendorff, K. (2011), Computing Krippendorff's alpha-reliability, University of Pennsylvania; Krippendorff, K.
 * (2004), Content Analysis, chapter 11. α = 1 − (observed disagreement) / (expected disagreement) with the squared
 * difference of nominal ratings, or of ranks (ordinal).
 *
 * The interval weighs units: a new sample would consist of new units, and unlike Krippendorff's own resampling of pairs
 * it does not assume that the pairs within a unit are independent.
 */
export function* krippendorffAlpha(ratings: Ratings, { order, seed }: AlphaOptions): Slices<Alpha> {
  const rated = ratings.filter((unit) => unit.length > 1)
  const scale = scaleOf(rated, order)
  const { totals, addsOf, evaluate } = order ? ordinalTotals(scale.length) : nominalTotals(scale.length)
  const { value, interval } = yield* agreementWithInterval({
    kinds: patternsOf(rated, scale).map(({ count, indexes }) => ({ count, adds: addsOf(indexes) })),
    totals,
    pairOf: (first, second) => addsOf([first, second]),
    categories: scale.length,
    evaluate,
    seed,
  })
  return { units: rated.length, alpha: value, interval }
}

/** The distinct ratings, lowest first if they are ordered. */
function scaleOf(units: Ratings, order?: readonly string[]): string[] {
  const used = new Set(units.flat())
  if (!order) return [...used].sort()
  const unknown = [...used].find((rating) => !order.includes(rating))
  if (unknown !== undefined) throw new RangeError(`A rating must be in the order given, and ${unknown} is not.`)
  return order.filter((rating) => used.has(rating))
}

function patternsOf(units: Ratings, scale: readonly string[]): Pattern[] {
  const placeOf = new Map(scale.map((rating, index) => [rating, index]))
  const patterns = new Map<string, Pattern>()
  for (const unit of units) {
    const indexes = unit.map((rating) => placeOf.get(rating) ?? 0).sort((a, b) => a - b)
    const name = indexes.join()
    const known = patterns.get(name)
    if (known) known.count += 1
    else patterns.set(name, { count: 1, indexes })
  }
  // Sorted independently of the order of the units because draws pick by index.
  return [...patterns].sort(([a], [b]) => (a < b ? -1 : 1)).map(([, pattern]) => pattern)
}

/** Units with the same ratings: their number, and the sorted indexes of the ratings in the scale. */
type Pattern = { count: number; readonly indexes: readonly number[] }

/**
 * α = 1 − (n − 1) Σ o(c,k) δ²(c,k) / Σ n(c) n(k) δ²(c,k) over the values c and k, where n(c) counts the ratings with value c and
 * o(c,k) the pairs of ratings c and k within units, each pair of a unit of m ratings as 1/(m − 1): Krippendorff (2011).
 * Computed from sums over units, so that weighting units needs additions only.
 */
type DisagreementTotals = {
  readonly totals: number
  readonly addsOf: (indexes: readonly number[]) => Kind['adds']
  readonly evaluate: (totals: Float64Array) => number | undefined
}

/** δ² is 1 for any two different values. Totals: the count of each value, then the pairs of different values. */
function nominalTotals(values: number): DisagreementTotals {
  const addsOf = (indexes: readonly number[]): Kind['adds'] => {
    const counts = countIndexes(indexes)
    const alike = counts.reduce((sum, [, count]) => sum + count * count, 0)
    return [...counts, [values, (indexes.length ** 2 - alike) / (indexes.length - 1)]]
  }
  const evaluate = (totals: Float64Array) => {
    let n = 0
    let alike = 0
    for (let value = 0; value < values; value++) {
      const count = at(totals, value)
      n += count
      alike += count * count
    }
    return alphaFrom({ n, observed: at(totals, values), expected: n * n - alike })
  }
  return { totals: values + 1, addsOf, evaluate }
}

/**
 * δ(c,k) is the number of ratings from c to k with both ends counted half, which is the distance of their mean ranks.
 * Ranks change with every resample, so the totals contain the count of each value, then the count of each pair of
 * different values.
 */
function ordinalTotals(values: number): DisagreementTotals {
  const indexOfPair = (low: number, high: number) => values + low * values + high
  const addsOf = (indexes: readonly number[]): Kind['adds'] => {
    const counts = countIndexes(indexes)
    const met = pairsWithin(counts).map(([low, high]): [number, number] => [
      indexOfPair(low[0], high[0]),
      (2 * low[1] * high[1]) / (indexes.length - 1),
    ])
    return [...counts, ...met]
  }
  const ranks = new Float64Array(values)
  const evaluate = (totals: Float64Array) => {
    let n = 0
    let sum = 0
    let squares = 0
    for (let value = 0; value < values; value++) {
      const count = at(totals, value)
      const rank = n + count / 2
      ranks[value] = rank
      n += count
      sum += count * rank
      squares += count * rank * rank
    }
    let observed = 0
    for (let low = 0; low < values; low++) {
      for (let high = 0; high < values; high++) {
        observed += at(totals, indexOfPair(low, high)) * (at(ranks, high) - at(ranks, low)) ** 2
      }
    }
    return alphaFrom({ n, observed, expected: spread(n, sum, squares) })
  }
  return { totals: values + values * values, addsOf, evaluate }
}

function alphaFrom({ n, observed, expected }: { n: number; observed: number; expected: number }): number | undefined {
  return expected === 0 ? undefined : 1 - ((n - 1) * observed) / expected
}

/** Σ (x − y)² over all pairs of n numbers with this sum and this sum of squares; 0 where they differ by rounding only. */
function spread(n: number, sum: number, squares: number): number {
  const half = n * squares - sum * sum
  return half > 1e-12 * n * squares ? 2 * half : 0
}

type Count = [index: number, count: number]

function countIndexes(indexes: readonly number[]): Count[] {
  const counts = new Map<number, number>()
  for (const index of indexes) counts.set(index, (counts.get(index) ?? 0) + 1)
  return [...counts]
}

function pairsWithin(counts: readonly Count[]): [low: Count, high: Count][] {
  return counts.flatMap((low, index) => counts.slice(index + 1).map((high): [Count, Count] => [low, high]))
}

function at(values: Float64Array, index: number): number {
  return values[index] ?? 0
}
