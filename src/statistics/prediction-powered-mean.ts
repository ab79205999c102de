import { countClusters } from './effective-size.ts'
import type { Interval } from './interval.ts'
import { twoSidedCriticalValue } from './normal-distribution.ts'
import { maxMagnitude, overflowSafeScale } from './overflow-scale.ts'

export type JudgedScores = {
  /** The judge's scores of the cases that people have not labelled. */
  readonly judged: readonly number[]
  /** Cases with a score of both. */
  readonly labeled: readonly { readonly judge: number; readonly people: number; readonly cluster?: string }[]
  /** By judged case, what it belongs to: cases of one cluster, labelled or not, are not independent. Left out, each stands alone. */
  readonly judgedClusters?: readonly string[] | null
  readonly confidence?: number
  /**
   * `tuned` weighs the judge by how far it follows people, so that a useless one costs nothing; `full` trusts its scores as
   * in the first paper.
   */
  readonly weight?: 'tuned' | 'full'
}

export type PredictionPoweredMean = {
  readonly mean: number
  /** Undefined where nothing varies: no width would claim certainty. */
  readonly interval: Interval | undefined
  /** λ, how much the judge counts: 0 is the plain mean of the labels, 1 the full correction. */
  readonly judgeWeight: number
}

/**
 * The mean that people would have given to all cases, from many scores of a judge and a few labels of people: the mean label,
 * plus λ times how far the judge's mean on the unlabelled cases is from its mean on the labelled ones. A biased judge makes
 * the interval wider, never wrong. Undefined with less than two labels, or without judged cases.
 *
 * Angelopoulos, A. N., Bates, S., Fannjiang, C., Jordan, M. I. & Zrnic, T. (2023), Prediction-powered inference, Science 382,
 * 669–674 (λ = 1); with the λ that minimises the variance of Angelopoulos, A. N., Duchi, J. C. & Zrnic, T.
 * (2023), PPI++, arXiv 2311.01453, kept between 0 and 1. With clusters the variance is that of their sums of influence, as in the
 * sandwich of Liang, K.-Y. & Zeger, S. L. (1986), Biometrika 73, 13–22.
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
 * Of the sum of the means of samples, each with its weight. What a value adds to its mean is added up by cluster, over all samples, and
 * squared: for values that stand alone that is the variance of each mean, added. K / (K − 1) is for the mean having been estimated.
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
