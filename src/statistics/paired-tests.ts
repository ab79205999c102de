/** Tests whether paired values differ, and the correction of several tests. */
import { logChoose, normalCdf } from './distributions.ts'

type SignedRankTest = {
  /** The number of differences other than zero; Wilcoxon excludes the zeros. */
  readonly n: number
  /** V: the sum of the ranks of the positive differences. */
  readonly statistic: number
  /** Two-sided. Never 0: smaller values are rounded up to the smallest positive double. */
  readonly p: number
  readonly method: 'exact' | 'normal'
}

/** The exact distribution of 300 differing pairs needs about 10 ms; beyond, the normal one differs in the fourth digit. */
const exactPairsMax = 300

/**
 * Differences closer than this share of the greatest one are tied, and those as close to zero are zero: 0.1 + 0.2 − 0.3
 * is 5.6e-17 and not evidence, and 0.3 − 0.2 must have the same rank as 0.2 − 0.1.
 */
const roundingShare = 1e-12

/**
 * Tests whether paired differences are symmetric around zero. Undefined if all differences are zero.
 *
 * Wilcoxon, F. (1945), Individual comparisons by ranking methods, Biometrics Bulletin 1, 80–83. Tied differences share
 * their mean rank. Up to 300 differences, all 2ⁿ sign assignments of these ranks are counted: the permutation
 * distribution of Pratt, J. W. & Gibbons, J. D. (1981), Concepts of Nonparametric Theory, section 3.7. The normal
 * approximation calls five equal gains significant (p = 0.037), although chance alone has one sign in 1 of 16. Above
 * 300, it is used with the variance corrected for ties and a continuity correction, as in R's `wilcox.test`.
 */
export function wilcoxonSignedRank(differences: readonly number[] | Float64Array): SignedRankTest | undefined {
  const { n, statistic, tieSum, doubledRanks } = rank(differences)
  if (n === 0) return undefined
  const isExact = n <= exactPairsMax
  const p = isExact ? exactP(doubledRanks, 2 * statistic) : normalP(n, statistic, tieSum)
  return { n, statistic, p: Math.min(1, Math.max(Number.MIN_VALUE, p)), method: isExact ? 'exact' : 'normal' }
}

type Ranked = {
  readonly n: number
  readonly statistic: number
  /** Σ t³ − t over the groups of t tied differences. */
  readonly tieSum: number
  /** Twice the rank of each difference other than zero: mean ranks end in a half. */
  readonly doubledRanks: Uint32Array
}

function rank(differences: readonly number[] | Float64Array): Ranked {
  const magnitudes = new Float64Array(differences.length)
  let greatest = 0
  for (let index = 0; index < differences.length; index++) {
    const difference = differences[index] ?? 0
    if (!Number.isFinite(difference)) throw new RangeError(`Ranks need finite differences, not ${difference}.`)
    magnitudes[index] = Math.abs(difference)
    greatest = Math.max(greatest, Math.abs(difference))
  }
  const tolerance = roundingShare * greatest
  magnitudes.sort()
  const n = magnitudes.length - countUpTo(magnitudes, tolerance)
  const ordered = magnitudes.subarray(magnitudes.length - n)
  const positive = Float64Array.from(differences)
    .filter((difference) => difference > tolerance)
    .sort()

  const doubledRanks = new Uint32Array(n)
  let statistic = 0
  let tieSum = 0
  let counted = 0
  for (let start = 0; start < n; ) {
    let end = start + 1
    while (end < n && at(ordered, end) - at(ordered, end - 1) <= tolerance) end += 1
    const last = at(ordered, end - 1)
    let positiveHere = 0
    while (counted < positive.length && at(positive, counted) <= last) {
      counted += 1
      positiveHere += 1
    }
    const ties = end - start
    doubledRanks.fill(start + 1 + end, start, end)
    statistic += (positiveHere * (start + 1 + end)) / 2
    tieSum += ties ** 3 - ties
    start = end
  }
  return { n, statistic, tieSum, doubledRanks }
}

function countUpTo(sorted: Float64Array, limit: number): number {
  let count = 0
  while (count < sorted.length && at(sorted, count) <= limit) count += 1
  return count
}

/**
 * Twice the smaller tail, both of which include the statistic itself. `chances[sum]` is the probability of that sum of
 * doubled ranks; the ranks are added one by one, each with either sign. Only the lower half is computed, because the
 * distribution is symmetric.
 */
function exactP(doubledRanks: Uint32Array, doubledStatistic: number): number {
  let total = 0
  for (const rank of doubledRanks) total += rank
  const end = Math.min(doubledStatistic, total - doubledStatistic)
  const chances = new Float64Array(end + 1)
  chances[0] = 1
  let reached = 0
  for (const rank of doubledRanks) {
    reached = Math.min(end, reached + rank)
    for (let sum = reached; sum >= rank; sum--) chances[sum] = (at(chances, sum) + at(chances, sum - rank)) / 2
    for (let sum = Math.min(rank - 1, reached); sum >= 0; sum--) chances[sum] = at(chances, sum) / 2
  }
  let tail = 0
  for (const chance of chances) tail += chance
  return 2 * tail
}

function normalP(n: number, statistic: number, tieSum: number): number {
  const distance = Math.abs(statistic - (n * (n + 1)) / 4)
  const variance = (n * (n + 1) * (2 * n + 1)) / 24 - tieSum / 48
  return 2 * normalCdf(-Math.max(0, distance - 0.5) / Math.sqrt(variance))
}

function at(values: Float64Array, index: number): number {
  return values[index] ?? 0
}

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
 * 65–70, as adjusted p-values like those of R's `p.adjust(method = "holm")`.
 */
export function holmAdjusted(ps: readonly number[]): number[] {
  const invalid = ps.find((p) => !(p >= 0 && p <= 1))
  if (invalid !== undefined) throw new RangeError(`A p lies between 0 and 1, not at ${invalid}.`)
  const ascending = ps.map((p, index) => ({ p, index })).sort((a, b) => a.p - b.p)
  const adjusted = new Array<number>(ps.length).fill(1)
  let greatestSoFar = 0
  for (const [rank, { p, index }] of ascending.entries()) {
    // A test is never easier than the one before it: once one is not rejected, none after it is.
    greatestSoFar = Math.max(greatestSoFar, Math.min(1, (ps.length - rank) * p))
    adjusted[index] = greatestSoFar
  }
  return adjusted
}
