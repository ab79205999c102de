import { normalCdf, normalDensity } from '../distributions.ts'
import { sumOf } from '../sums.ts'

/**
 * Items, or groups of items that are not independent: the sum of the values of each, its number of items, and how many
 * there are that are equal in both.
 */
export type Units = {
  readonly sums: Float64Array
  readonly sizes: Float64Array
  readonly counts: Float64Array
}

/**
 * The probability that the mean of all items is at most x, given the items seen and one that was not seen, which lies at
 * −reach or at +reach with equal chance.
 *
 * The Bayesian bootstrap, in which each item has an exponential weight: Rubin, D. B. (1981), The Bayesian bootstrap,
 * Annals of Statistics 9, 130–134. The additional item stands for what a sample cannot show. With values of 0 and ±1 this
 * is the mid-p McNemar test, and if nothing differs it is the rule of three. An additional group has the average size.
 */
export function probabilityAtMost(x: number, units: Units, reach: number): number {
  return (withUnseen(x, units, -reach) + withUnseen(x, units, reach)) / 2
}

/** The probability that the mean of all items is at least x: computed itself, because 1 − p loses its digits. */
export function probabilityAtLeast(x: number, { sums, ...units }: Units, reach: number): number {
  return probabilityAtMost(-x, { ...units, sums: sums.map((sum) => -sum) }, reach)
}

function withUnseen(x: number, { sums, sizes, counts }: Units, unseen: number): number {
  const n = sums.length
  const values = new Float64Array(n + 1)
  const times = new Float64Array(n + 1)
  let [items, groups] = [0, 0]
  for (let index = 0; index < n; index += 1) {
    const size = sizes[index] ?? 0
    const count = counts[index] ?? 0
    values[index] = (sums[index] ?? 0) - x * size
    times[index] = count
    items += count * size
    groups += count
  }
  values[n] = (items / groups) * (unseen - x)
  times[n] = 1
  return weightedSumAtMostZero(values, times)
}

/**
 * The probability that Σ γᵢ aᵢ ≤ 0 for independent exponential weights γ, by the saddlepoint approximation of
 * Lugannani, R. & Rice, S. (1980), Saddle point approximation for the distribution of the sum of independent random
 * variables, Advances in Applied Probability 12, 475–490; see Davison, A. C. & Hinkley, D. V. (1997), Bootstrap Methods
 * and their Application, chapter 9. It needs no random draws and keeps its relative precision in the tails.
 */
export function weightedSumAtMostZero(values: Float64Array, counts: Float64Array): number {
  let [least, most] = [Infinity, -Infinity]
  for (const value of values) {
    least = Math.min(least, value)
    most = Math.max(most, value)
  }
  if (most <= 0) return 1
  if (least >= 0) return 0
  // At the solution, 1 − t aᵢ is at least the share of aᵢ among all, and counts are at least ½. Closer to the poles 1 / aᵢ,
  // where a step of Newton's method may lead, its further steps are smaller than the rounding.
  const inside = 1 - 0.25 / sumOf(counts)
  const t = saddlepoint(values, counts, [inside / least, inside / most])
  let [k0, k2] = [0, 0]
  for (let index = 0; index < values.length; index += 1) {
    const [value, count] = [values[index] ?? 0, counts[index] ?? 0]
    const share = value / (1 - t * value)
    k0 -= count * Math.log1p(-t * value)
    k2 += count * share * share
  }
  const r = Math.sign(t) * Math.sqrt(Math.max(0, -2 * k0))
  if (Math.abs(r) < NEAR_MEAN) return atMean(values, counts)
  return Math.max(0, Math.min(1, normalCdf(r) + normalDensity(r) * (1 / r - 1 / (t * Math.sqrt(k2)))))
}

const NEAR_MEAN = 1e-4

/** The limit of the approximation where the mean of the values is 0. */
function atMean(values: Float64Array, counts: Float64Array): number {
  let [k2, k3] = [0, 0]
  for (let index = 0; index < values.length; index += 1) {
    const [value, count] = [values[index] ?? 0, counts[index] ?? 0]
    k2 += count * value ** 2
    k3 += 2 * count * value ** 3
  }
  return 0.5 + k3 / (6 * Math.sqrt(2 * Math.PI) * k2 ** 1.5)
}

const NEWTON_STEPS_MAX = 100

/** The t with Σ aᵢ / (1 − t aᵢ) = 0, which rises from −∞ to ∞ between the two limits: Newton's method, kept inside. */
function saddlepoint(values: Float64Array, counts: Float64Array, [low, high]: [number, number]): number {
  let t = 0
  for (let step = 0; step < NEWTON_STEPS_MAX; step += 1) {
    let [slope, curve] = [0, 0]
    for (let index = 0; index < values.length; index += 1) {
      const [value, count] = [values[index] ?? 0, counts[index] ?? 0]
      const share = value / (1 - t * value)
      slope += count * share
      curve += count * share * share
    }
    if (slope > 0) high = t
    else low = t
    const newton = t - slope / curve
    const next = newton > low && newton < high ? newton : (low + high) / 2
    if (Math.abs(next - t) <= 1e-15 * Math.abs(next) || next === low || next === high) return next
    t = next
  }
  return t
}
