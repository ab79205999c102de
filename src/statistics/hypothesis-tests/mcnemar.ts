import { logChoose } from '../distributions/log-gamma.ts'

/** Discordant pairs: `gained` pairs are positive on the second side only, `lost` on the first only. */
export type Discordant = { readonly gained: number; readonly lost: number }

/**
 * Tests whether as many cases were gained as lost. Concordant cases do not affect the test.
 *
 * McNemar, Q. (1947), Note on the sampling error of the difference between correlated proportions or percentages,
 * Psychometrika 12, 153–157, in its exact form: the smaller of the two numbers is binomial with probability ½.
 * Two-sided, p is twice the smaller tail; 1 if nothing differs. The statistic is the smaller of the two numbers, as in
 * statsmodels.
 */
export function exactMcNemar({ gained, lost }: Discordant): { readonly statistic: number; readonly p: number } {
  if (!(Number.isInteger(gained) && Number.isInteger(lost) && gained >= 0 && lost >= 0)) {
    throw new RangeError(`Gained and lost cases are counted in whole numbers, not ${gained} and ${lost}.`)
  }
  const statistic = Math.min(gained, lost)
  if (gained === lost) return { statistic, p: 1 }
  const p = 2 * halfBinomialTail(statistic, gained + lost)
  return { statistic, p: Math.min(1, Math.max(Number.MIN_VALUE, p)) }
}

/**
 * The probability of k or fewer heads in n throws, k < n/2. Uses logarithms because 2ⁿ overflows from 1,024 throws on,
 * and sums downwards from k because the terms shrink and the sum can stop early.
 */
function halfBinomialTail(k: number, n: number): number {
  let term = 1
  let sum = 1
  for (let heads = k; heads > 0 && term > Number.EPSILON * sum; heads--) {
    term *= heads / (n - heads + 1)
    sum += term
  }
  return Math.exp(logChoose(n, k) - n * Math.LN2 + Math.log(sum))
}
