import { normalCdf } from '../distributions.ts'
import type { GroupedValues } from './cluster-robust-mean.ts'

export type ClusteredSignedRank = {
  /** The number of groups whose signed ranks do not cancel. */
  readonly groups: number
  /** The sum of the signed ranks of all differences. */
  readonly statistic: number
  /** Two-sided, above 0. */
  readonly p: number
  /** The smallest p that this number of groups can produce. */
  readonly minAttainableP: number
  readonly method: 'exact' | 'normal'
}

/** Differences closer than this share of the greatest one are tied, and those as close to zero are zero. */
const ROUNDING_SHARE = 1e-12
const EXACT_GROUPS_MAX = 200
/** Bounds the time of the exact distribution to a few milliseconds. Larger sums are divided first. */
const EXACT_STEPS_MAX = 1_000_000

/**
 * Tests whether paired differences are symmetric around zero if differences of one group are not independent: the signs
 * of a group change together. Undefined if all differences are zero.
 *
 * Rosner, B., Glynn, R. J. & Lee, M.-L. T. (2006), The Wilcoxon signed rank test for paired comparisons of clustered
 * data, Biometrics 62, 185–192: the absolute differences are ranked, with mid-ranks for ties, and the signed ranks of a
 * group are added. All 2^groups assignments of signs are counted by dynamic programming; above 200 groups the normal
 * distribution with the variance of the permutations is used. With one difference per group it is Wilcoxon's test, and if
 * all differences are −1, 0 or 1, too, the exact McNemar test.
 */
export function clusteredSignedRank({ values, groups }: GroupedValues): ClusteredSignedRank | undefined {
  const ranks = doubledRanks(values)
  if (ranks === undefined) return undefined
  const sums = new Map<string, number>()
  for (const [index, rank] of ranks.entries()) {
    const group = groups[index] ?? ''
    if (rank !== 0) sums.set(group, (sums.get(group) ?? 0) + rank)
  }
  const differing = Float64Array.from(sums.values()).filter((sum) => sum !== 0)
  let [total, squares] = [0, 0]
  for (const sum of differing) {
    total += sum
    squares += sum ** 2
  }
  const isExact = differing.length <= EXACT_GROUPS_MAX
  const p = total === 0 ? 1 : isExact ? exactP(differing) : 2 * normalCdf(-Math.abs(total) / Math.sqrt(squares))
  return {
    groups: differing.length,
    statistic: total / 2,
    p: Math.min(1, Math.max(Number.MIN_VALUE, p)),
    minAttainableP: Math.min(1, 2 ** (1 - differing.length)),
    method: isExact ? 'exact' : 'normal',
  }
}

/** Twice the signed mid-rank of each difference, a whole number; 0 for differences of zero. Undefined if all are. */
function doubledRanks(differences: Float64Array): Float64Array | undefined {
  let greatest = 0
  for (const difference of differences) {
    if (!Number.isFinite(difference)) throw new RangeError(`Ranks need finite differences, not ${difference}.`)
    greatest = Math.max(greatest, Math.abs(difference))
  }
  const tolerance = ROUNDING_SHARE * greatest
  const sorted = differences
    .map(Math.abs)
    .filter((size) => size > tolerance)
    .sort()
  if (sorted.length === 0) return undefined
  const ranks = doubledRanksOf(sorted, tolerance)
  return differences.map((difference) => {
    const size = Math.abs(difference)
    return size > tolerance ? Math.sign(difference) * (ranks[indexIn(sorted, size)] ?? 0) : 0
  })
}

/** Tied sizes get the mean of their ranks. */
function doubledRanksOf(sorted: Float64Array, tolerance: number): Float64Array {
  const ranks = new Float64Array(sorted.length)
  for (let start = 0; start < sorted.length; ) {
    let end = start + 1
    while (end < sorted.length && (sorted[end] ?? 0) - (sorted[end - 1] ?? 0) <= tolerance) end += 1
    ranks.fill(start + 1 + end, start, end)
    start = end
  }
  return ranks
}

/** The first index of a size that is in the list. */
function indexIn(sorted: Float64Array, size: number): number {
  let [low, high] = [0, sorted.length - 1]
  while (low < high) {
    const middle = (low + high) >> 1
    if ((sorted[middle] ?? 0) < size) low = middle + 1
    else high = middle
  }
  return low
}

/** The probability of a sum as far from zero as the observed one or farther if each sign is + or − by chance. */
function exactP(sums: Float64Array): number {
  const sizes = smallWholeNumbers(sums.map(Math.abs))
  let [total, positive] = [0, 0]
  for (const [index, size] of sizes.entries()) {
    total += size
    if ((sums[index] ?? 0) > 0) positive += size
  }
  // chance[s]: the probability that the sums with the sign + add up to s. It is symmetric.
  const chance = new Float64Array(total + 1)
  chance[0] = 1
  let reached = 0
  for (const size of sizes) {
    reached += size
    for (let sum = reached; sum >= size; sum--) chance[sum] = 0.5 * ((chance[sum] ?? 0) + (chance[sum - size] ?? 0))
    for (let sum = Math.min(size, reached + 1) - 1; sum >= 0; sum--) chance[sum] = 0.5 * (chance[sum] ?? 0)
  }
  const end = Math.min(positive, total - positive)
  let tail = 0
  for (let sum = 0; sum <= end; sum++) tail += chance[sum] ?? 0
  return 2 * tail
}

/**
 * Divides by the greatest common divisor, which changes nothing, and rounds if the distribution would still be too long
 * to compute: the sizes of at most 200 groups then add up to at least 5,000.
 */
function smallWholeNumbers(sizes: Float64Array): Float64Array {
  const divisor = sizes.reduce(greatestCommonDivisor, 0)
  const reduced = sizes.map((size) => size / divisor)
  const total = reduced.reduce((sum, size) => sum + size, 0)
  const factor = Math.min(1, EXACT_STEPS_MAX / sizes.length / total)
  return factor === 1 ? reduced : reduced.map((size) => Math.max(1, Math.round(size * factor)))
}

function greatestCommonDivisor(a: number, b: number): number {
  let [divisor, rest] = [a, b]
  while (rest !== 0) [divisor, rest] = [rest, divisor % rest]
  return divisor
}
