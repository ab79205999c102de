import { twoSidedCriticalValue } from '../distributions.ts'
import type { Interval } from '../interval.ts'
import { intervalOf, type PFunction } from '../paired/p-function.ts'
import { pairedScores } from '../paired/paired-means.ts'
import { maxMagnitude, overflowSafeScale, sumOf } from '../sums.ts'

export type JudgedDifferences = {
  /** Items that people rated in both runs: the difference of the judge's scores and the difference of the ratings. */
  readonly labeled: readonly { readonly judge: number; readonly people: number }[]
  /** The difference of the judge's scores for the items that are not rated in both runs. */
  readonly judged: readonly number[]
  /** The most that a difference could be: the length of the scale, which is the same for both. */
  readonly range: number
}

type CorrectedDifference = {
  readonly difference: number
  readonly interval: Interval
  /** For margins: also wide enough for a breakage that the rated items can hide. */
  readonly marginInterval: Interval
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
 * normal distribution for the sum; with few ratings and rare breakage that covers too little. Here the limits of the rated
 * part are those of scores (`pairedScores`), and the two parts are added as in Zou, G. Y. & Donner, A. (2008), Construction
 * of confidence limits about effect measures: a general approach, Statistics in Medicine 27, 1693–1702.
 */
export function pairedPredictionPowered(differences: JudgedDifferences, alpha = 0.05): CorrectedDifference | undefined {
  const { labeled } = differences
  if (labeled.length < 2) return undefined
  const all = [...labeled.flatMap(({ judge, people }) => [judge, people]), ...differences.judged]
  const invalid = all.find((value) => !Number.isFinite(value))
  if (invalid !== undefined) throw new RangeError(`A mean needs finite differences, not ${invalid}.`)

  const scale = overflowSafeScale(Math.max(differences.range, maxMagnitude(all)))
  const people = labeled.map((one) => scale * one.people)
  const judgeOnLabeled = labeled.map((one) => scale * one.judge)
  const judged = differences.judged.map((value) => scale * value)
  const judgeWeight = tunedWeight(people, judgeOnLabeled, judged)
  const residuals = Float64Array.from(people, (value, index) => value - judgeWeight * (judgeOnLabeled[index] ?? NaN))
  const ofJudged = judgeWeight === 0 ? 0 : judgeWeight * nonEmptyMean(judged)
  const z = twoSidedCriticalValue(1 - alpha)
  const reachOfJudged = judgeWeight === 0 ? 0 : z * judgeWeight * Math.sqrt(covariance(judged, judged) / judged.length)
  // A rating and the score next to it may differ by the whole scale in opposite directions.
  const options = { range: 2 * scale * differences.range, canBreak: true }
  const { sensitive, safe } = pairedScores({ values: residuals }, options)
  const added = (rated: PFunction): Interval => {
    const center = rated.estimate + ofJudged
    const [low, high] = intervalOf(rated, alpha)
    return [
      (center - Math.hypot(reachOfJudged, rated.estimate - low)) / scale,
      (center + Math.hypot(reachOfJudged, high - rated.estimate)) / scale,
    ]
  }
  const difference = (sensitive.estimate + ofJudged) / scale
  return { difference, interval: added(sensitive), marginInterval: added(safe), judgeWeight }
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
