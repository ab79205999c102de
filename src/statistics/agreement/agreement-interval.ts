import { type Kind, sumKinds } from '../bootstrap/bootstrap-totals.ts'
import type { Interval } from '../interval.ts'
import { nextGamma } from '../random/random-beta.ts'
import { nextRandom, seededRandom } from '../random/seeded-random.ts'
import type { Slices } from '../slices.ts'

type Agreement = {
  /** The rated units by kind, in an order that does not depend on that of the units. */
  readonly kinds: readonly Kind[]
  readonly totals: number
  /** What a unit with these two ratings adds, by their indexes. */
  readonly pairOf: (first: number, second: number) => Kind['adds']
  readonly categories: number
  /** Undefined if all ratings are equal. */
  readonly evaluate: (totals: Float64Array) => number | undefined
  /** The effective number of independent units, if they are clustered. */
  readonly units?: number
  readonly seed: string
}

/**
 * A coefficient of agreement with its 95 % interval, which is undefined for fewer than ten units: seeded weightings of
 * the units by the Bayesian bootstrap (Rubin, D. B. (1981), Annals of Statistics 9, 130–134), to which one pair in
 * agreement and half a pair in disagreement are added, each with random ratings. Without them a sample that shows no
 * disagreement, or a rare rating once, would have no width: intervals by Fisher's z and by BCa contained the true value
 * in 31 and 29 of 100 samples of 100 units of which 95 % have the same rating (κ 0), these in 98.
 */
export function* agreementWithInterval(agreement: Agreement): Slices<{ value?: number; interval?: Interval }> {
  const { kinds, totals, pairOf, categories, evaluate, seed } = agreement
  const value = evaluate(sumKinds(kinds, totals))
  if (value === undefined) return {}
  const n = kinds.reduce((sum, { count }) => sum + count, 0)
  const { units = n } = agreement
  if (units < UNITS_MIN * (1 - 1e-12)) return { value }

  const random = seededRandom(seed)
  const pick = (choices: number) => Math.floor(nextRandom(random) * choices)
  const sums = new Float64Array(totals)
  const add = (adds: Kind['adds'], weight: number) => {
    for (const [total, amount] of adds) sums[total] = (sums[total] ?? 0) + weight * amount
  }
  const steps = kinds.reduce((sum, { adds }) => sum + adds.length + STEPS_PER_DRAW, totals)
  const draws = new Float64Array(Math.round(Math.min(DRAWS_MAX, Math.max(DRAWS_MIN, STEPS_MAX / steps))))
  const perSlice = Math.ceil(STEPS_PER_SLICE / steps)
  for (let draw = 0; draw < draws.length; draw++) {
    if (draw > 0 && draw % perSlice === 0) yield
    sums.fill(0)
    for (const { count, adds } of kinds) add(adds, nextGamma(random, (count * units) / n))
    const [same, other] = [pick(categories), pick(categories)]
    add(pairOf(same, same), nextGamma(random, 1))
    add(pairOf(other, (other + 1 + pick(categories - 1)) % categories), nextGamma(random, 0.5))
    draws[draw] = evaluate(sums) ?? value
  }
  draws.sort()
  const ends = [0.025, 0.975].map((level) => draws[Math.round(level * (draws.length - 1))] ?? value)
  // Few units with a strong disagreement may lie outside of what the added pairs allow.
  return { value, interval: [Math.min(value, ...ends), Math.max(value, ...ends)] }
}

const UNITS_MIN = 10
const DRAWS_MIN = 200
const DRAWS_MAX = 4_000
/** A random weight costs as much as this many additions. */
const STEPS_PER_DRAW = 20
const STEPS_MAX = 5_000_000
const STEPS_PER_SLICE = 300_000
