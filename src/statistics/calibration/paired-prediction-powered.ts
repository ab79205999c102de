import { studentCriticalValue } from '../distributions.ts'
import type { Interval } from '../interval.ts'
import { maxMagnitude, overflowSafeScale, sumOf } from '../sums.ts'

export type JudgedDifferences = {
  /** Items that people rated in both runs: the difference of the judge's scores and the difference of the ratings. */
  readonly labeled: readonly { readonly judge: number; readonly people: number }[]
  /** The difference of the judge's scores for the items that are not rated in both runs. */
  readonly judged: readonly number[]
  readonly confidence?: number
}

export type CorrectedDifference = {
  readonly difference: number
  /** Undefined if nothing varies: an interval of zero width would claim certainty. */
  readonly interval: Interval | undefined
  /** λ, the weight of the judge: 0 uses the ratings alone. */
  readonly judgeWeight: number
}

/**
 * The difference that people would see between two runs of the same items, from the judge's differences for all items
 * and the ratings of some: the mean rated difference, plus λ times what the judge sees in the other items beyond the
 * rated ones. A judge that is milder to one of the runs has the same bias in both samples, where it cancels. Undefined
 * with fewer than two rated items.
 *
 * Angelopoulos, A. N., Duchi, J. C. & Zrnic, T. (2023), PPI++: efficient prediction-powered inference, arXiv 2311.01453,
 * applied to paired differences: λ = Cov(people, judge) / ((1 + n/N) Var(judge)), limited to [0, 1]. The paper uses the
 * normal distribution; t with n − 1 degrees of freedom covers better with few ratings.
 */
export function pairedPredictionPowered(differences: JudgedDifferences): CorrectedDifference | undefined {
  const { labeled, confidence = 0.95 } = differences
  const n = labeled.length
  if (n < 2) return undefined
  const all = [...labeled.flatMap(({ judge, people }) => [judge, people]), ...differences.judged]
  const invalid = all.find((value) => !Number.isFinite(value))
  if (invalid !== undefined) throw new RangeError(`A mean needs finite differences, not ${invalid}.`)

  const scale = overflowSafeScale(maxMagnitude(all))
  const people = labeled.map((one) => scale * one.people)
  const judgeOnLabeled = labeled.map((one) => scale * one.judge)
  const judged = differences.judged.map((value) => scale * value)
  const judgeWeight = tunedWeight(people, judgeOnLabeled, judged)
  const residuals = people.map((value, index) => value - judgeWeight * (judgeOnLabeled[index] ?? NaN))
  const difference = nonEmptyMean(residuals) + (judgeWeight === 0 ? 0 : judgeWeight * nonEmptyMean(judged))
  const ofJudged = judgeWeight === 0 ? 0 : (judgeWeight ** 2 * covariance(judged, judged)) / judged.length
  const reach = studentCriticalValue(confidence, n - 1) * Math.sqrt(covariance(residuals, residuals) / n + ofJudged)
  const isFlat = reach <= 1e-12 * maxMagnitude(people)
  return {
    difference: difference / scale,
    interval: isFlat ? undefined : [(difference - reach) / scale, (difference + reach) / scale],
    judgeWeight,
  }
}

/** 0 without unrated items, where the ratings are all there is to know. */
function tunedWeight(people: readonly number[], judgeOnLabeled: readonly number[], judged: readonly number[]): number {
  const all = [...judgeOnLabeled, ...judged]
  const spread = covariance(all, all)
  if (judged.length < 2 || spread === 0) return 0
  const weight = covariance(people, judgeOnLabeled) / ((1 + people.length / judged.length) * spread)
  return Math.min(1, Math.max(0, weight))
}

function nonEmptyMean(values: readonly number[]): number {
  return sumOf(values) / values.length
}

function covariance(a: readonly number[], b: readonly number[]): number {
  const [meanA, meanB] = [nonEmptyMean(a), nonEmptyMean(b)]
  return a.reduce((sum, value, index) => sum + (value - meanA) * ((b[index] ?? NaN) - meanB), 0) / (a.length - 1)
}
