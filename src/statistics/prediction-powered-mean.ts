import { countClusters } from './effective-size.ts'
import type { Interval } from './interval.ts'
import { twoSidedCriticalValue } from './normal-distribution.ts'
import { maxMagnitude, overflowSafeScale } from './overflow-scale.ts'

export type JudgedScores = {
  /** The scores of the judge for the unlabeled cases. */
  readonly judged: readonly number[]
  /** Cases with a score of the judge and of the raters. */
  readonly labeled: readonly { readonly judge: number; readonly people: number; readonly cluster?: string }[]
  /**
   * The cluster of each judged case: cases of one cluster, labeled or not, are not independent. Default: no clusters.
   */
  readonly judgedClusters?: readonly string[] | null
  readonly confidence?: number
  /**
   * `tuned` weights the judge by its correlation with the raters, so that a useless judge does not widen the interval;
   * `full` trusts its scores as in the first paper.
   */
  readonly weight?: 'tuned' | 'full'
}

export type PredictionPoweredMean = {
  readonly mean: number
  /** Undefined if nothing varies: an interval of zero width would claim certainty. */
  readonly interval: Interval | undefined
  /** λ, the weight of the judge: 0 is the plain mean of the labels, 1 the full correction. */
  readonly judgeWeight: number
}

/**
 * The mean that raters would give to all cases, from many scores of a judge and a few labels: the mean label, plus λ
 * times the difference between the judge's mean on the unlabeled cases and on the labeled ones. A biased judge widens
 * the interval but does not invalidate it. Undefined with fewer than two labels, or without judged cases.
 *
 * Angelopoulos, A. N., Bates, S., Fannjiang, C., Jordan, M. I. & Zrnic, T. (2023), Prediction-powered inference,
 * Science 382, 669–674 (λ = 1); with the λ that minimizes the variance of Angelopoulos, A. N., Duchi, J. C. & Zrnic, T.
 * (2023), PPI++, arXiv 2311.01453, limited to [0, 1]. With clusters the variance is that of their sums of influence, as
 * in the sandwich estimator of Liang, K.-Y. & Zeger, S. L. (1986), Biometrika 73, 13–22.
 */
export function predictionPoweredMean(scores: JudgedScores): PredictionPoweredMean | undefined {
  const { labeled, confidence = 0.95, weight = 'tuned' } = scores
  const z = twoSidedCriticalValue(confidence)
  const n = labeled.length
  if (n < 2 || scores.judged.length === 0) return undefined
  const all = [...labeled.flatMap(({ judge, people }) => [judge, people]), ...scores.judged]
  const invalid = all.find((score) => !Number.isFinite(score))
  if (invalid !== undefined) throw new RangeError(`A mean needs finite scores, not ${invalid}.`)

  const scale = overflowSafeScale(maxMagnitude(all))
  const people = labeled.map((label) => scale * label.people)
  const judgeOnLabeled = labeled.map((label) => scale * label.judge)
  const judged = scores.judged.map((score) => scale * score)
  const judgeWeight = weight === 'full' ? 1 : tunedWeight(people, judgeOnLabeled, judged)
  const mean = meanOf(people) + judgeWeight * (meanOf(judged) - meanOf(judgeOnLabeled))
  const residuals = people.map((score, index) => score - judgeWeight * (judgeOnLabeled[index] ?? NaN))
  const variance = varianceOfSum([
    { values: residuals, weight: 1, clusters: labeled.map(({ cluster }) => cluster) },
    { values: judged, weight: judgeWeight, clusters: scores.judgedClusters ?? [] },
  ])
  const reach = z * Math.sqrt(variance)
  const isFlat = reach <= 1e-12 * maxMagnitude(people)
  const interval: Interval | undefined = isFlat ? undefined : [(mean - reach) / scale, (mean + reach) / scale]
  return { mean: mean / scale, interval, judgeWeight }
}

type Sample = { values: readonly number[]; weight: number; clusters: readonly (string | undefined)[] }

/**
 * The variance of a weighted sum of sample means. The contributions of the values are summed by cluster over all
 * samples and squared; without clusters this is the sum of the variances of the means. The factor K / (K − 1) accounts
 * for the estimated mean.
 */
function varianceOfSum(samples: readonly Sample[]): number {
  const byCluster = new Map<string, number>()
  let squares = 0
  for (const { values, weight, clusters } of samples) {
    const mean = meanOf(values)
    const count = countClusters(values.map((_, index) => clusters[index]))
    const factor = count < 2 ? 0 : (weight / values.length) * Math.sqrt(count / (count - 1))
    for (const [index, value] of values.entries()) {
      const influence = factor * (value - mean)
      const cluster = clusters[index]
      if (cluster === undefined) squares += influence ** 2
      else byCluster.set(cluster, (byCluster.get(cluster) ?? 0) + influence)
    }
  }
  for (const influence of byCluster.values()) squares += influence ** 2
  return squares
}

/** Cov(people, judge) / ((1 + n/N) Var(judge)), the variance over all cases. */
function tunedWeight(people: readonly number[], judgeOnLabeled: readonly number[], judged: readonly number[]): number {
  const spread = varianceOf([...judgeOnLabeled, ...judged])
  if (spread === 0) return 0
  const weight = covarianceOf(people, judgeOnLabeled) / ((1 + people.length / judged.length) * spread)
  return Math.min(1, Math.max(0, weight))
}

function meanOf(values: readonly number[]): number {
  return values.reduce((sum, value) => sum + value, 0) / values.length
}

/** With n − 1 in the denominator; 0 for a single value. */
function varianceOf(values: readonly number[]): number {
  return covarianceOf(values, values)
}

function covarianceOf(a: readonly number[], b: readonly number[]): number {
  if (a.length < 2) return 0
  const meanA = meanOf(a)
  const meanB = meanOf(b)
  return a.reduce((sum, value, index) => sum + (value - meanA) * ((b[index] ?? NaN) - meanB), 0) / (a.length - 1)
}
