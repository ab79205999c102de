import { sumKinds, totalsInterval } from '../bootstrap/bootstrap-totals.ts'
import type { Interval } from '../interval.ts'
import { runSlices, runSlicesWithPauses, type Slices } from '../slices.ts'
import { type AlphaLevel, disagreementTotals, type Pattern } from './alpha-disagreement.ts'

/** The ratings of each unit in any order, without missing ratings. */
export type Ratings = readonly (readonly (string | number)[])[]

export type AlphaOptions = {
  readonly level: AlphaLevel
  /** For ordinal text ratings: all of them, lowest first. Without it ordinal ratings must be numbers. */
  readonly order?: readonly string[]
  /** Same seed and same ratings, in any order, give the same interval. */
  readonly seed: string
}

export type Alpha = {
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
export function krippendorffAlpha(units: Ratings, options: AlphaOptions): Alpha {
  return runSlices(alphaSlices(units, options))
}

/**
 * Returns the same result, and awaits `pause` after every few milliseconds of work. Use it for more than some hundred
 * distinct units.
 */
export async function krippendorffAlphaInSlices(
  pause: () => Promise<void>,
  units: Ratings,
  options: AlphaOptions,
): Promise<Alpha> {
  return runSlicesWithPauses(pause, alphaSlices(units, options))
}

function* alphaSlices(ratings: Ratings, { level, order, seed }: AlphaOptions): Slices<Alpha> {
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
