/** Tests whether paired values differ, and the correction of several tests. */
import { logChoose } from './distributions.ts'

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

/**
 * The p-values of several tests, corrected so that the probability of at least one false positive stays at the level of
 * a single test; in the given order. Compare them with the same level as before, such as 0.05.
 *
 * Holm, S. (1979), A simple sequentially rejective multiple test procedure, Scandinavian Journal of Statistics 6,
 * 65–70, as adjusted p-values like those of R's `p.adjust(method = "holm")`. `factorOf` is by how much the smallest of so
 * many p-values is multiplied, if not by their number.
 */
export function holmAdjusted(ps: readonly number[], factorOf = (tests: number): number => tests): number[] {
  const invalid = ps.find((p) => !(p >= 0 && p <= 1))
  if (invalid !== undefined) throw new RangeError(`A p lies between 0 and 1, not at ${invalid}.`)
  const ascending = ps.map((p, index) => ({ p, index })).sort((a, b) => a.p - b.p)
  const adjusted = new Array<number>(ps.length).fill(1)
  let greatestSoFar = 0
  for (const [rank, { p, index }] of ascending.entries()) {
    // A test is never easier than the one before it: once one is not rejected, none after it is.
    greatestSoFar = Math.max(greatestSoFar, Math.min(1, factorOf(ps.length - rank) * p))
    adjusted[index] = greatestSoFar
  }
  return adjusted
}
