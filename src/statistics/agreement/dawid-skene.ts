import type { Slices } from '../slices.ts'

/** The ratings of each unit with their raters. A rater may have rated a unit several times. */
export type RatedUnits = readonly (readonly { readonly rater: string; readonly rating: string }[])[]

type Consensus = {
  /** The estimated share of units whose true rating is each of the categories. */
  readonly shares: readonly number[]
  /** For each unit, the probability that its true rating is each of the categories. */
  readonly posteriors: readonly (readonly number[])[]
  /** For each rater, the probability of each rating (column) given the true one (row). */
  readonly confusions: ReadonlyMap<string, readonly (readonly number[])[]>
}

/**
 * The true ratings that explain best what several raters gave, if each rater has error rates of their own: raters who often
 * agree with the others count more. Estimated by expectation maximization, beginning with the shares of votes, so that the
 * result depends on nothing but the ratings. Every rating must be one of the categories. Undefined without ratings.
 *
 * Dawid, A. P. & Skene, A. M. (1979), Maximum likelihood estimation of observer error-rates using the EM algorithm, Applied
 * Statistics 28, 20–28. `smoothing` is added to each cell of the confusion matrices (Laplace): without it, a rater with few
 * ratings has error rates of exactly 0, which outvote all others.
 */
export function* dawidSkene(
  units: RatedUnits,
  { categories, smoothing = 1 / categories.length }: { categories: readonly string[]; smoothing?: number },
): Slices<Consensus | undefined> {
  const places = new Map(categories.map((category, place) => [category, place]))
  const rated = units.map((unit) => unit.map(({ rater, rating }) => ({ rater, place: places.get(rating) ?? NaN })))
  if (rated.flat().length === 0) return undefined
  let posteriors = rated.map((unit) =>
    categories.map((_, place) => unit.filter((one) => one.place === place).length / (unit.length || 1)),
  )
  for (let iteration = 0; ; iteration += 1) {
    const confusions = confusionsOf(rated, posteriors, { size: categories.length, smoothing })
    const shares = categories.map((_, place) => meanOf(posteriors.map((of) => of[place] ?? 0)))
    const next = rated.map((unit) => posteriorOf(unit, shares, confusions))
    const change = Math.max(...next.map((of, unit) => distance(of, posteriors[unit] ?? [])))
    posteriors = next
    if (change < CHANGE_MIN || iteration === ITERATIONS_MAX) return { shares, posteriors, confusions }
    yield
  }
}

const CHANGE_MIN = 1e-8
const ITERATIONS_MAX = 300

type Rated = readonly { readonly rater: string; readonly place: number }[]
type Matrix = number[][]

function confusionsOf(
  units: readonly Rated[],
  posteriors: readonly (readonly number[])[],
  { size, smoothing }: { size: number; smoothing: number },
): Map<string, Matrix> {
  const confusions = new Map<string, Matrix>()
  for (const [index, unit] of units.entries()) {
    for (const { rater, place } of unit) {
      const known = confusions.get(rater)
      const matrix = known ?? Array.from({ length: size }, () => new Array<number>(size).fill(smoothing))
      if (!known) confusions.set(rater, matrix)
      for (const [truth, row] of matrix.entries()) row[place] = (row[place] ?? 0) + (posteriors[index]?.[truth] ?? 0)
    }
  }
  for (const row of [...confusions.values()].flat()) {
    const sum = row.reduce((total, count) => total + count, 0)
    for (const [place, count] of row.entries()) row[place] = sum === 0 ? 0 : count / sum
  }
  return confusions
}

function posteriorOf(unit: Rated, shares: readonly number[], confusions: ReadonlyMap<string, Matrix>): number[] {
  // Logarithms: the product of a thousand error rates is 0.
  const logs = shares.map((share, truth) =>
    unit.reduce(
      (sum, { rater, place }) => sum + Math.log(confusions.get(rater)?.[truth]?.[place] ?? 0),
      Math.log(share),
    ),
  )
  const greatest = Math.max(...logs)
  const relative = logs.map((log) => Math.exp(log - greatest))
  const sum = relative.reduce((total, one) => total + one, 0)
  return relative.map((one) => one / sum)
}

function distance(a: readonly number[], b: readonly number[]): number {
  return Math.max(...a.map((value, place) => Math.abs(value - (b[place] ?? 0))))
}

function meanOf(values: readonly number[]): number {
  return values.reduce((sum, value) => sum + value, 0) / values.length
}
