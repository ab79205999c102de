import type { Interval } from '../interval.ts'

/** Bets of different size, because the size that wins most depends on the difference, which is not known. */
const STAKES = [0.1, 0.2, 0.3, 0.4, 0.5, 0.7, 0.97]

/** Differences between −1 and 1, and how often each occurs. */
type Counted = { readonly values: readonly number[]; readonly counts: readonly number[] }

/**
 * Evidence about the mean of values between −1 and 1 that stays valid however often it is looked at while values are
 * added: the capital of a gambler who bets against a mean m with several stakes at once. If m is true, the capital ever
 * reaches 20 in at most 5 of 100 games. It does not depend on the order of the values.
 *
 * Waudby-Smith, I. & Ramdas, A. (2024), Estimating means of bounded random variables by betting, Journal of the Royal
 * Statistical Society B 86, 1–27; Ville, J. (1939), Étude critique de la notion de collectif.
 */
export function unplannedLooks(differences: Float64Array) {
  const counted = countValues(differences)
  const eValue = (mean: number) => (Math.exp(logRising(counted, mean)) + Math.exp(logFalling(counted, mean))) / 2
  return {
    /** The evidence against this mean. */
    eValue,
    /** All means against which the evidence is less than 1 / alpha. The evidence is convex in the mean. */
    interval: (alpha: number): Interval => {
      const isPlausible = (mean: number) => eValue(mean) < 1 / alpha
      const center = differences.reduce((sum, value) => sum + value, 0) / Math.max(1, differences.length)
      return [lastPlausible(center, -1, isPlausible), lastPlausible(center, 1, isPlausible)]
    },
  }
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
  let sum = 0
  for (const [index, value] of values.entries()) sum += (counts[index] ?? 0) * Math.log1p(stake * (value - mean))
  return sum
}

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
