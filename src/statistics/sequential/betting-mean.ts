import type { Interval } from '../interval.ts'
import type { Slices } from '../slices.ts'

export type BettingMean = {
  /** The evidence against a mean of 0. */
  readonly eValue: number
  /** 1 if the evidence is for a mean above 0, −1 for one below. */
  readonly direction: number
  /** Contains the mean at all numbers of values at once, with this confidence. */
  readonly interval: Interval
}

type BettingOptions = {
  /** The greatest magnitude that a value can have. */
  readonly bound: number
  readonly confidence?: number
}

/**
 * The mean of bounded values with an interval and an e-value that stay valid however often they are looked at while
 * values are added. The values must be in the order in which they became known; undefined without values.
 *
 * Waudby-Smith, I. & Ramdas, A. (2024), Estimating means of bounded random variables by betting, Journal of the Royal
 * Statistical Society B 86, 1–27: one gambler bets that the mean is above m, another that it is below. The stakes depend
 * on earlier values only (the predictable plug-in of their section 4.2), so that the capital of either is a fair game if
 * m is the mean. The interval has every m for which neither has multiplied the capital by 2 / (1 − confidence); the
 * e-value is the mean capital of both at m = 0. Stakes are limited to 0.9 for all m, so that the capital is monotone in m
 * and the ends are found by bisection.
 */
export function* bettingMean(
  values: readonly number[],
  { bound, confidence = 0.95 }: BettingOptions,
): Slices<BettingMean | undefined> {
  if (!(bound > 0 && bound < Infinity)) throw new RangeError(`A bound is a number above 0, not ${bound}.`)
  if (values.length === 0) return undefined
  // Mapped to [0, 1], where 0 is ½.
  const shares = Float64Array.from(values, (value) => Math.min(1, Math.max(0, (value / bound + 1) / 2)))
  const stakes = predictableStakes(shares, confidence)
  const above = logCapital(shares, stakes, { mean: 0.5, side: 1 })
  const below = logCapital(shares, stakes, { mean: 0.5, side: -1 })
  const goal = Math.log(2 / (1 - confidence))
  const low = yield* leastPlausible(shares, stakes, { goal, side: 1 })
  const high = yield* leastPlausible(shares, stakes, { goal, side: -1 })
  return {
    eValue: Math.min(Number.MAX_VALUE, (Math.exp(above) + Math.exp(below)) / 2),
    direction: Math.sign(above - below),
    interval: [bound * (2 * low - 1), bound * (2 * high - 1)],
  }
}

const stakeMax = 0.9
/** The interval is exact to 2⁻⁴⁰ of the range. */
const bisections = 40
const stepsPerSlice = 200_000

/** √(2 ln(2/α) / (σ̂² t ln(1 + t))) with the variance of the values before t, which starts at ¼. */
function predictableStakes(shares: Float64Array, confidence: number): Float64Array {
  const factor = 2 * Math.log(2 / (1 - confidence))
  const stakes = new Float64Array(shares.length)
  let [sum, squares] = [0.5, 0.25]
  for (let index = 0; index < shares.length; index += 1) {
    const time = index + 1
    stakes[index] = Math.min(stakeMax, Math.sqrt(factor / ((squares / time) * time * Math.log(1 + time))))
    const share = shares[index] ?? 0
    sum += share
    squares += (share - sum / (time + 1)) ** 2
  }
  return stakes
}

function logCapital(
  shares: Float64Array,
  stakes: Float64Array,
  { mean, side }: { mean: number; side: 1 | -1 },
): number {
  let capital = 0
  for (let index = 0; index < shares.length; index += 1) {
    capital += Math.log1p(side * (stakes[index] ?? 0) * ((shares[index] ?? 0) - mean))
  }
  return capital
}

/** The end of the interval on which the gambler of this side has just reached the goal. */
function* leastPlausible(
  shares: Float64Array,
  stakes: Float64Array,
  { goal, side }: { goal: number; side: 1 | -1 },
): Slices<number> {
  let [refuted, plausible] = side === 1 ? [0, 1] : [1, 0]
  if (logCapital(shares, stakes, { mean: refuted, side }) < goal) return refuted
  let steps = 0
  for (let step = 0; step < bisections; step += 1) {
    const middle = (refuted + plausible) / 2
    if (logCapital(shares, stakes, { mean: middle, side }) >= goal) refuted = middle
    else plausible = middle
    steps += shares.length
    if (steps > stepsPerSlice) {
      steps = 0
      yield
    }
  }
  return refuted
}
