import type { Interval } from '../interval.ts'
import { sumOf } from '../sums.ts'

/** Bets of different size, because the size that wins most depends on the difference, which is not known. */
export const STAKES = [0.1, 0.2, 0.3, 0.4, 0.5, 0.7, 0.97]

/** Differences between −1 and 1, and how often each occurs. */
type Counted = { readonly values: readonly number[]; readonly counts: readonly number[] }

/**
 * Evidence about the mean of values between −1 and 1 that stays valid however often it is looked at while values are
 * added: the capital of a gambler who bets against a mean m with several stakes at once. If m is true, the capital ever
 * reaches 20 in at most 5 of 100 games. It does not depend on the order of the values.
 *
 * `atWorst`: what bets on a higher mean are paid by, if some values are missing. They count there at their worst.
 *
 * Waudby-Smith, I. & Ramdas, A. (2024), Estimating means of bounded random variables by betting, Journal of the Royal
 * Statistical Society B 86, 1–27; Ville, J. (1939), Étude critique de la notion de collectif.
 */
export function unplannedLooks(differences: Float64Array, atWorst = differences) {
  const complete = countValues(differences)
  const worst = atWorst === differences ? complete : countValues(atWorst)
  const rising = (mean: number) => Math.exp(logRising(worst, mean))
  const eValue = (mean: number) => (rising(mean) + Math.exp(logFalling(complete, mean))) / 2
  /** All means against which the evidence is less than this. The evidence is convex in the mean. */
  const plausible = (threshold: number): Interval => {
    const isPlausible = (mean: number) => eValue(mean) < threshold
    return [lastPlausible(meanOf(atWorst), -1, isPlausible), lastPlausible(meanOf(differences), 1, isPlausible)]
  }
  return {
    /** The evidence against this mean: the mean of the capitals of both directions. */
    eValue,
    /** The evidence against this mean and all lower ones. It falls with the mean. */
    rising,
    plausible,
    interval: (alpha: number): Interval => plausible(1 / alpha),
    /** The lowest mean against which the evidence that it is higher is less than this. */
    lowest: (threshold: number) => lastPlausible(meanOf(atWorst), -1, (mean) => rising(mean) < threshold),
  }
}

/** Without values, bets have neither won nor lost, and the search may begin anywhere. */
function meanOf(values: Float64Array): number {
  return sumOf(values) / Math.max(1, values.length)
}

function countValues(differences: Float64Array): Counted {
  const found = new Map<number, number>()
  for (const value of differences) found.set(value, (found.get(value) ?? 0) + 1)
  return { values: [...found.keys()], counts: [...found.values()] }
}

/** The capital of bets that the mean is higher. */
function logRising(counted: Counted, mean: number): number {
  return logMeanExp(STAKES.map((stake) => logCapital(counted, mean, stake / (1 + mean))))
}

/** The capital of bets that the mean is lower. */
function logFalling(counted: Counted, mean: number): number {
  return logMeanExp(STAKES.map((stake) => logCapital(counted, mean, -stake / (1 - mean))))
}

function logCapital({ values, counts }: Counted, mean: number, stake: number): number {
  if (!Number.isFinite(stake)) return values.every((value) => value === mean) ? 0 : Infinity
  let [sum, product] = [0, 1]
  for (let index = 0; index < values.length; index += 1) {
    const count = counts[index] ?? 0
    const won = stake * ((values[index] ?? 0) - mean)
    if (count > 1) sum += count * Math.log1p(won)
    else {
      // Scores of which no two are equal: a logarithm for each would need five times as long.
      product *= 1 + won
      if (product < PRODUCT_MIN || product > 1 / PRODUCT_MIN) {
        sum += Math.log(product)
        product = 1
      }
    }
  }
  return sum + Math.log(product)
}

/** One more factor, which is at least 0.03, cannot lose digits. */
const PRODUCT_MIN = 1e-200

function logMeanExp(logs: readonly number[]): number {
  const most = Math.max(...logs)
  if (!Number.isFinite(most)) return most
  return most + Math.log(logs.reduce((sum, log) => sum + Math.exp(log - most), 0) / logs.length)
}

const BISECTIONS = 45

function lastPlausible(center: number, bound: number, isPlausible: (mean: number) => boolean): number {
  if (isPlausible(bound)) return bound
  let [inside, outside] = [center, bound]
  // Zero is tested itself, because a verdict depends on its side.
  if (inside * outside < 0) {
    if (isPlausible(0)) inside = 0
    else outside = 0
  }
  for (let step = 0; step < BISECTIONS; step += 1) {
    const middle = (inside + outside) / 2
    if (isPlausible(middle)) inside = middle
    else outside = middle
  }
  return inside
}
