import type { Kind } from '../bootstrap/bootstrap-totals.ts'

export type AlphaLevel = 'nominal' | 'ordinal' | 'interval'

/** Units with the same ratings: their number, and the sorted indexes of the ratings in the scale. */
export type Pattern = { count: number; readonly indexes: readonly number[] }

/** Computes α from sums over units, so that resampling units needs additions only. */
export type DisagreementTotals = {
  readonly totals: number
  readonly addsOf: (indexes: readonly number[]) => Kind['adds']
  readonly alphaOf: (totals: Float64Array) => number | undefined
}

/**
 * α = 1 − (n − 1) Σ o(c,k) δ²(c,k) / Σ n(c) n(k) δ²(c,k) over the values c and k, where n(c) counts the ratings with value c and
 * o(c,k) the pairs of ratings c and k within units, each pair of a unit of m ratings as 1/(m − 1): Krippendorff (2011).
 */
export function disagreementTotals(
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
