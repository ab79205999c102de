import { studentCriticalValue } from '../distributions.ts'
import { countClusters } from '../groups/effective-size.ts'
import type { Interval } from '../interval.ts'
import { maxMagnitude, overflowSafeScale, sumOf } from '../sums.ts'

/** A case with a score of the judge and of the raters. */
type LabeledScore = {
  readonly judge: number
  readonly people: number
  readonly cluster?: string
  /** The weight of the case in the mean. Default: 1. */
  readonly weight?: number
  /**
   * How much more likely this case was to be labeled than the average case; labels count by the inverse. Default: 1.
   */
  readonly chance?: number
}

export type JudgedScores = {
  /** The scores of the judge for the unlabeled cases. */
  readonly judged: readonly number[]
  readonly labeled: readonly LabeledScore[]
  /**
   * The cluster of each judged case: cases of one cluster, labeled or not, are not independent. Default: no clusters.
   */
  readonly judgedClusters?: readonly string[] | null
  /** The weight of each judged case in the mean. Default: 1 each. */
  readonly judgedWeights?: readonly number[] | null
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
 * the interval but does not invalidate it. Undefined with fewer than two labels; without unlabeled cases it is the mean
 * of the labels.
 *
 * Angelopoulos, A. N., Bates, S., Fannjiang, C., Jordan, M. I. & Zrnic, T. (2023), Prediction-powered inference,
 * Science 382, 669–674 (λ = 1); with the λ that minimizes the variance of Angelopoulos, A. N., Duchi, J. C. & Zrnic, T.
 * (2023), PPI++, arXiv 2311.01453, limited to [0, 1]. With clusters the variance is that of their sums of influence, as
 * in the sandwich estimator of Liang, K.-Y. & Zeger, S. L. (1986), Biometrika 73, 13–22. The papers use the normal
 * distribution; t with one degree of freedom less than there are labeled clusters covers better with few labels.
 */
export function predictionPoweredMean(scores: JudgedScores): PredictionPoweredMean | undefined {
  const { labeled, judged, confidence = 0.95, weight = 'tuned' } = scores
  if (labeled.length < 2) return undefined
  const all = [...labeled.flatMap(({ judge, people }) => [judge, people]), ...judged]
  const invalid = all.find((score) => !Number.isFinite(score))
  if (invalid !== undefined) throw new RangeError(`A mean needs finite scores, not ${invalid}.`)

  const scale = overflowSafeScale(maxMagnitude(all))
  const people = labeled.map((label) => scale * label.people)
  const onLabeled: Weighted = {
    values: labeled.map((label) => scale * label.judge),
    weights: labeled.map((label) => label.weight ?? 1),
  }
  const onUnlabeled: Weighted = {
    values: judged.map((score) => scale * score),
    weights: judged.map((_, index) => scores.judgedWeights?.[index] ?? 1),
  }
  const onAll: Weighted = {
    values: [...onLabeled.values, ...onUnlabeled.values],
    weights: [...onLabeled.weights, ...onUnlabeled.weights],
  }
  const labelWeights = labeled.map((label) => (label.weight ?? 1) / (label.chance ?? 1))
  const unlabeledShare = sumOf(onUnlabeled.weights) / sumOf(onAll.weights)
  const judgeWeight =
    unlabeledShare === 0
      ? 0
      : weight === 'full'
        ? 1
        : tunedWeight({ people, labelWeights, onLabeled, onAll }, unlabeledShare)
  // The same estimate, written with the judge's mean on all cases: that mean does not depend on the choice of labels.
  const factor = unlabeledShare === 0 ? 0 : judgeWeight / unlabeledShare
  const residuals = {
    values: people.map((score, index) => score - factor * at(onLabeled.values, index)),
    weights: labelWeights,
  }
  const mean = weightedMean(residuals) + factor * weightedMean(onAll)

  const isRandom = labeled.every(({ chance = 1 }) => chance === 1)
  const labelClusters = labeled.map(({ cluster }) => cluster)
  const variance = varianceOfClusters([
    {
      clusters: labelClusters,
      influences: sumOfEach(
        influencesOf(residuals, weightedMean(residuals), 1),
        influencesOf(
          onLabeled,
          weightedMean(isRandom ? onLabeled : onAll),
          (factor * sumOf(onLabeled.weights)) / sumOf(onAll.weights),
        ),
      ),
    },
    {
      clusters: judged.map((_, index) => scores.judgedClusters?.[index]),
      influences: influencesOf(onUnlabeled, weightedMean(isRandom ? onUnlabeled : onAll), judgeWeight),
    },
  ])
  const degrees = Math.max(1, countClusters(labelClusters) - 1)
  const reach = studentCriticalValue(confidence, degrees) * Math.sqrt(variance)
  const isFlat = reach <= 1e-12 * maxMagnitude(people)
  const interval: Interval | undefined = isFlat ? undefined : [(mean - reach) / scale, (mean + reach) / scale]
  return { mean: mean / scale, interval, judgeWeight }
}

type Weighted = { readonly values: readonly number[]; readonly weights: readonly number[] }

/** How much each value moves the weighted mean of its sample, times a factor. */
function influencesOf({ values, weights }: Weighted, center: number, factor: number): number[] {
  const total = sumOf(weights)
  return values.map((value, index) => ((factor * at(weights, index)) / total) * (value - center))
}

type Influences = { readonly influences: readonly number[]; readonly clusters: readonly (string | undefined)[] }

/**
 * The variance of an estimate: the influences are summed by cluster over both samples and squared. The factor K / (K −
 * 1) accounts for the estimated mean of each sample.
 */
function varianceOfClusters(samples: readonly Influences[]): number {
  const byCluster = new Map<string, number>()
  let squares = 0
  for (const { influences, clusters } of samples) {
    const count = countClusters(clusters)
    const correction = count < 2 ? 0 : Math.sqrt(count / (count - 1))
    for (const [index, value] of influences.entries()) {
      const influence = correction * value
      const cluster = clusters[index]
      if (cluster === undefined) squares += influence ** 2
      else byCluster.set(cluster, (byCluster.get(cluster) ?? 0) + influence)
    }
  }
  for (const influence of byCluster.values()) squares += influence ** 2
  return squares
}

type Samples = { people: readonly number[]; labelWeights: readonly number[]; onLabeled: Weighted; onAll: Weighted }

/** Cov(people, judge) / ((1 + n/N) Var(judge)), the variance over all cases. */
function tunedWeight({ people, labelWeights, onLabeled, onAll }: Samples, unlabeledShare: number): number {
  const spread = covarianceOf(onAll.values, onAll.values, onAll.weights)
  if (spread === 0) return 0
  const weight = (unlabeledShare * covarianceOf(people, onLabeled.values, labelWeights)) / spread
  return Math.min(1, Math.max(0, weight))
}

/** With n − 1 in the denominator; 0 for a single value. */
function covarianceOf(a: readonly number[], b: readonly number[], weights: readonly number[]): number {
  if (a.length < 2) return 0
  const meanA = weightedMean({ values: a, weights })
  const meanB = weightedMean({ values: b, weights })
  const products = a.map((value, index) => (value - meanA) * (at(b, index) - meanB))
  return (weightedMean({ values: products, weights }) * a.length) / (a.length - 1)
}

/** 0 without values. */
function weightedMean({ values, weights }: Weighted): number {
  const total = sumOf(weights)
  return total === 0 ? 0 : values.reduce((sum, value, index) => sum + value * at(weights, index), 0) / total
}

function sumOfEach(first: readonly number[], second: readonly number[]): number[] {
  return first.map((value, index) => value + at(second, index))
}

function at(values: readonly number[], index: number): number {
  return values[index] ?? Number.NaN
}
