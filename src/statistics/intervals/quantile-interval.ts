import { logChoose } from '../distributions/log-gamma.ts'
import type { Interval } from '../interval.ts'

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
