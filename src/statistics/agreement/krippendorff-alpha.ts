import { type Kind, sumKinds, totalsInterval } from '../bootstrap/bootstrap-totals.ts'
import type { Interval } from '../interval.ts'
import type { Slices } from '../slices.ts'

/** The ratings of each unit in any order, without missing ratings. */
export type Ratings = readonly (readonly (string | number)[])[]

export type AlphaOptions = {
  readonly level: AlphaLevel
  /** For ordinal text ratings: all of them, lowest first. Without it ordinal ratings must be numbers. */
  readonly order?: readonly string[]
  /** Same seed and same ratings, in any order, give the same interval. */
  readonly seed: string
}

type Alpha = {
  /** The number of units with two or more ratings; the others are ignored because they cannot show agreement. */
  readonly units: number
  /** Undefined without such units, and if all ratings are equal. */
  readonly alpha: number | undefined
  /** 95 %, by resampling units. Also undefined for perfect agreement, which every resample repeats. */
  readonly interval: Interval | undefined
}

/**
 * The agreement of any number of raters beyond chance, for incomplete ratings: 1 is perfect, 0 is chance.
 *
 * Krippendorff, K. (2011), Computing Krippendorff's alpha-reliability, University of Pennsylvania; Krippendorff, K.
 * (2004), Content Analysis, chapter 11. α = 1 − (observed disagreement) / (expected disagreement) with the squared
 * difference of the level: nominal, of ranks (ordinal), or of numbers (interval).
 *
 * The interval is the BCa bootstrap over units: a new sample would consist of new units, and unlike Krippendorff's own
 * resampling of pairs it does not assume that the pairs within a unit are independent.
 */
export function* krippendorffAlpha(ratings: Ratings, { level, order, seed }: AlphaOptions): Slices<Alpha> {
  const rated = ratings.filter((unit) => unit.length > 1)
  const scale = scaleOf(rated, level, order)
  const patterns = patternsOf(rated, scale)
  const { totals, addsOf, alphaOf } = disagreementTotals(level, scale, patterns)
  const kinds = patterns.map(({ count, indexes }) => ({ count, adds: addsOf(indexes) }))
  const alpha = alphaOf(sumKinds(kinds, totals))
  if (alpha === undefined) return { units: rated.length, alpha, interval: undefined }
  const interval = yield* totalsInterval({ kinds, totals, evaluate: alphaOf, seed })
  return { units: rated.length, alpha, interval }
}

/** The distinct ratings, lowest first if they are ordered. */
function scaleOf(units: Ratings, level: AlphaLevel, order?: readonly string[]): (string | number)[] {
  const used = new Set(units.flat())
  if (level === 'ordinal' && order) {
    const rank = new Map(order.map((word, index) => [word, index]))
    const unknown = [...used].find((rating) => !rank.has(`${rating}`))
    if (unknown !== undefined) throw new RangeError(`A rating must be in the order given, and ${unknown} is not.`)
    return [...used].sort((a, b) => (rank.get(`${a}`) ?? 0) - (rank.get(`${b}`) ?? 0))
  }
  if (level === 'nominal') return [...used].sort((a, b) => (`${typeof a}${a}` < `${typeof b}${b}` ? -1 : 1))
  const notANumber = [...used].find((rating) => typeof rating !== 'number' || !Number.isFinite(rating))
  if (notANumber !== undefined) throw new RangeError(`Ratings of level ${level} must be numbers, not ${notANumber}.`)
  return [...used].sort((a, b) => Number(a) - Number(b))
}

function patternsOf(units: Ratings, scale: readonly (string | number)[]): Pattern[] {
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

type AlphaLevel = 'nominal' | 'ordinal' | 'interval'

/** Units with the same ratings: their number, and the sorted indexes of the ratings in the scale. */
type Pattern = { count: number; readonly indexes: readonly number[] }

/** Computes α from sums over units, so that resampling units needs additions only. */
type DisagreementTotals = {
  readonly totals: number
  readonly addsOf: (indexes: readonly number[]) => Kind['adds']
  readonly alphaOf: (totals: Float64Array) => number | undefined
}

/**
 * α = 1 − (n − 1) Σ o(c,k) δ²(c,k) / Σ n(c) n(k) δ²(c,k) over the values c and k, where n(c) counts the ratings with value c and
 * o(c,k) the pairs of ratings c and k within units, each pair of a unit of m ratings as 1/(m − 1): Krippendorff (2011).
 */
function disagreementTotals(
  level: AlphaLevel,
  scale: readonly (string | number)[],
  patterns: readonly Pattern[],
): DisagreementTotals {
  if (level === 'nominal') return nominalTotals(scale.length)
  if (level === 'interval') return intervalTotals(scale.map(Number), patterns)
  return ordinalTotals(scale.length, patterns)
}

/** δ² is 1 for any two different values. Totals: the count of each value, then the pairs of different values. */
function nominalTotals(values: number): DisagreementTotals {
  const addsOf = (indexes: readonly number[]): Kind['adds'] => {
    const counts = countIndexes(indexes)
    const alike = counts.reduce((sum, [, count]) => sum + count * count, 0)
    return [...counts, [values, (indexes.length ** 2 - alike) / (indexes.length - 1)]]
  }
  const alphaOf = (totals: Float64Array) => {
    let n = 0
    let alike = 0
    for (let value = 0; value < values; value++) {
      const count = at(totals, value)
      n += count
      alike += count * count
    }
    return alphaFrom({ n, observed: at(totals, values), expected: n * n - alike })
  }
  return { totals: values + 1, addsOf, alphaOf }
}

/**
 * δ² is the squared difference of the numbers. Totals: the count, the sum, the sum of squares, and that of the pairs.
 */
function intervalTotals(scale: readonly number[], patterns: readonly Pattern[]): DisagreementTotals {
  // Centered and scaled by the range: α does not change, and n Σx² − (Σx)² keeps its digits for 1,000,000 to 1,000,005.
  const width = (scale.at(-1) ?? 0) - (scale.at(0) ?? 0) || 1
  const middle = meanOfPatterns(patterns, scale)
  const numbers = scale.map((number) => (number - middle) / width)
  const addsOf = (indexes: readonly number[]): Kind['adds'] => {
    const m = indexes.length
    const sum = indexes.reduce((total, index) => total + (numbers[index] ?? 0), 0)
    const squares = indexes.reduce((total, index) => total + (numbers[index] ?? 0) ** 2, 0)
    const squaredDeviations = indexes.reduce((total, index) => total + ((numbers[index] ?? 0) - sum / m) ** 2, 0)
    return [
      [0, m],
      [1, sum],
      [2, squares],
      [3, (2 * m * squaredDeviations) / (m - 1)],
    ]
  }
  const alphaOf = (totals: Float64Array) => {
    const n = at(totals, 0)
    return alphaFrom({ n, observed: at(totals, 3), expected: spread(n, at(totals, 1), at(totals, 2)) })
  }
  return { totals: 4, addsOf, alphaOf }
}

/**
 * δ(c,k) is the number of ratings from c to k with both ends counted half, which is the distance of their mean ranks.
 * Ranks change with every resample, so the totals contain the count of each value, then the count of each pair of
 * different values.
 */
function ordinalTotals(values: number, patterns: readonly Pattern[]): DisagreementTotals {
  const pairs = pairsOf(patterns)
  const indexOfPair = new Map(pairs.map(([low, high], index) => [`${low} ${high}`, values + index]))
  const addsOf = (indexes: readonly number[]): Kind['adds'] => {
    const counts = countIndexes(indexes)
    const met = pairsWithin(counts).map(([low, high]): [number, number] => [
      indexOfPair.get(`${low[0]} ${high[0]}`) ?? 0,
      (2 * low[1] * high[1]) / (indexes.length - 1),
    ])
    return [...counts, ...met]
  }
  const ranks = new Float64Array(values)
  const alphaOf = (totals: Float64Array) => {
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
    for (const [index, [low, high]] of pairs.entries()) {
      observed += at(totals, values + index) * (at(ranks, high) - at(ranks, low)) ** 2
    }
    return alphaFrom({ n, observed, expected: spread(n, sum, squares) })
  }
  return { totals: values + pairs.length, addsOf, alphaOf }
}

function alphaFrom({ n, observed, expected }: { n: number; observed: number; expected: number }): number | undefined {
  return expected === 0 ? undefined : 1 - ((n - 1) * observed) / expected
}

/** Σ (x − y)² over all pairs of n numbers with this sum and this sum of squares; 0 where they differ by rounding only. */
function spread(n: number, sum: number, squares: number): number {
  const half = n * squares - sum * sum
  return half > 1e-12 * n * squares ? 2 * half : 0
}

function meanOfPatterns(patterns: readonly Pattern[], scale: readonly number[]): number {
  let n = 0
  let sum = 0
  for (const { count, indexes } of patterns) {
    n += count * indexes.length
    for (const index of indexes) sum += count * (scale[index] ?? 0)
  }
  return n === 0 ? 0 : sum / n
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

function pairsOf(patterns: readonly Pattern[]): [low: number, high: number][] {
  const pairs = new Map<string, [number, number]>()
  for (const { indexes } of patterns) {
    for (const [[low], [high]] of pairsWithin(countIndexes(indexes))) pairs.set(`${low} ${high}`, [low, high])
  }
  return [...pairs.values()]
}

function at(values: Float64Array, index: number): number {
  return values[index] ?? 0
}
