import type { Interval } from '../interval.ts'
import type { Slices } from '../slices.ts'
import { agreementWithInterval } from './agreement-interval.ts'

/** The ratings of two raters for each unit that both have rated. */
export type RatingPairs = readonly (readonly [string, string])[]

export type Kappa = {
  readonly n: number
  /** Undefined without pairs, and if both raters use only one and the same rating. */
  readonly kappa: number | undefined
  /** 95 %, see `agreementWithInterval`. */
  readonly interval: Interval | undefined
}

export type KappaOptions = {
  /** For ordered ratings: all of them, lowest first. Neighboring ratings then disagree less than distant ones. */
  readonly order?: readonly string[] | undefined
  /** For clustered pairs: the effective number of independent pairs. */
  readonly units?: number
}

/**
 * The agreement of two raters beyond chance: 1 is perfect, 0 is chance. Throws if a rating is not in the order.
 *
 * Cohen, J. (1960), A coefficient of agreement for nominal scales, Educational and Psychological Measurement 20, 37–46;
 * for ordered ratings Cohen, J. (1968), Weighted kappa, Psychological Bulletin 70, 213–220, with quadratic weights
 * (Fleiss & Cohen 1973). Both are 1 − (observed disagreement) / (disagreement expected by chance).
 */
export function* cohenKappa(pairs: RatingPairs, { order, units = pairs.length }: KappaOptions = {}): Slices<Kappa> {
  const categories = order ?? [...new Set(pairs.flat())].sort()
  const disagreement = order ? quadraticDisagreement() : nominalDisagreement(categories.length)
  const { value, interval } = yield* agreementWithInterval({
    kinds: cellsOf(pairs, categories).map(([row, column, count]) => ({
      count,
      adds: disagreement.pairOf(row, column),
    })),
    categories: categories.length,
    units,
    seed: 'kappa',
    ...disagreement,
  })
  return { n: pairs.length, kappa: value, interval }
}

type Cell = [row: number, column: number, count: number]

/** Only the combinations that occur: a rating may be any text, and the full table of 10,000 texts would not fit. */
function cellsOf(pairs: RatingPairs, categories: readonly string[]): Cell[] {
  const indexes = new Map(categories.map((category, index) => [category, index]))
  const indexOf = (rating: string) => {
    const index = indexes.get(rating)
    if (index === undefined) throw new RangeError(`A rating must be in the order given, and ${rating} is not.`)
    return index
  }
  const cells = new Map<number, Cell>()
  for (const [first, second] of pairs) {
    const [row, column] = [indexOf(first), indexOf(second)]
    const cell = cells.get(row * categories.length + column)
    if (cell) cell[2] += 1
    else cells.set(row * categories.length + column, [row, column, 1])
  }
  return [...cells].sort(([a], [b]) => a - b).map(([, cell]) => cell)
}

/** Totals: the ratings of each rater by category, then the pairs that differ, and all pairs. */
function nominalDisagreement(categories: number) {
  const differing = 2 * categories
  return {
    totals: differing + 2,
    pairOf: (row: number, column: number): [number, number][] => [
      [row, 1],
      [categories + column, 1],
      [differing, row === column ? 0 : 1],
      [differing + 1, 1],
    ],
    evaluate: (totals: Float64Array) => {
      const n = at(totals, differing + 1)
      let alike = 0
      for (let category = 0; category < categories; category++) {
        alike += (at(totals, category) * at(totals, categories + category)) / n
      }
      return kappaFrom(at(totals, differing), n - alike)
    },
  }
}

/** Disagreement is the squared distance (i − j)². Totals: all pairs, Σ i, Σ j, Σ (i² + j²), Σ (i − j)². */
function quadraticDisagreement() {
  return {
    totals: 5,
    pairOf: (row: number, column: number): [number, number][] => [
      [0, 1],
      [1, row],
      [2, column],
      [3, row * row + column * column],
      [4, (row - column) ** 2],
    ],
    evaluate: (totals: Float64Array) =>
      kappaFrom(at(totals, 4), at(totals, 3) - (2 * at(totals, 1) * at(totals, 2)) / at(totals, 0)),
  }
}

/** Undefined without pairs, and where the expected disagreement is 0 but for rounding. */
function kappaFrom(observed: number, expected: number): number | undefined {
  return expected > 1e-9 ? 1 - observed / expected : undefined
}

function at(values: Float64Array, index: number): number {
  return values[index] ?? 0
}
