import { logChoose } from './distributions.ts'
import type { Interval } from './interval.ts'

type Quartiles = { readonly q1: number; readonly median: number; readonly q3: number }

/**
 * The values below which a quarter, a half and three quarters lie; undefined without values.
 *
 * Hyndman, R. J. & Fan, Y. (1996), Sample quantiles in statistical packages, The American Statistician 50, 361–365,
 * definition 7: linear between the two values next to (n − 1)p. It is what R, NumPy and spreadsheets show.
 */
export function quartiles(values: readonly number[]): Quartiles | undefined {
  const sorted = Float64Array.from(values).sort()
  if (sorted.length === 0) return undefined
  // NaN is sorted to the end.
  const suspect = [sorted.at(0), sorted.at(-1)].find((value) => !Number.isFinite(value))
  if (suspect !== undefined) throw new RangeError(`Quartiles need finite values, not ${suspect}.`)
  return { q1: quantile(sorted, 0.25), median: quantile(sorted, 0.5), q3: quantile(sorted, 0.75) }
}

function quantile(sorted: Float64Array, p: number): number {
  const position = (sorted.length - 1) * p
  const below = sorted[Math.floor(position)] ?? NaN
  const above = sorted[Math.ceil(position)] ?? NaN
  return below + (position - Math.floor(position)) * (above - below)
}

/**
 * The ranks, counted from 1, of the two values of a sorted sample between which a quantile of the population is, with at least this
 * confidence; undefined if the sample is too small for it. It needs no assumption about the distribution.
 *
 * Nair, K. R. (1940), Table of confidence interval for the median in samples from any continuous population, Sankhyā 4, 551–558, for any
 * quantile: the number of values below it has the binomial distribution. Each tail has at most half of the remaining probability.
 */
export function quantileRanks(n: number, share: number, confidence = 0.95): Interval | undefined {
  if (!(Number.isInteger(n) && n >= 0)) throw new RangeError(`A sample has a whole number of values, not ${n}.`)
  if (!(share > 0 && share < 1)) throw new RangeError(`A quantile is between 0 and 1, not ${share}.`)
  const tail = (1 - confidence) / 2
  const spread = Math.sqrt(n * share * (1 - share))
  let below = 0
  let lower: number | undefined
  // The probability of less is below 1e-20.
  for (let count = Math.max(0, Math.floor(n * share - 10 * spread)); count < n; count += 1) {
    below += Math.exp(logChoose(n, count) + count * Math.log(share) + (n - count) * Math.log(1 - share))
    if (below <= tail) lower = count + 1
    if (below >= 1 - tail) return lower === undefined ? undefined : [lower, count + 1]
  }
  return undefined
}
