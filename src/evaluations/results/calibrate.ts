/** Corrects the numbers of an evaluator for its errors, which are measured where people have rated the same cases. */
import { insufficientLabelsReason, type Label, listJudgeLabels } from '../../agreement/judge-labels.ts'
import type { Evaluator } from '../../evaluators/evaluator.ts'
import type { EvaluationScope } from '../../scores/score-queries.ts'
import { effectiveSize } from '../../statistics/effective-size.ts'
import type { Interval } from '../../statistics/interval.ts'
import { judgeAccuracy } from '../../statistics/judge-accuracy.ts'
import { predictionPoweredMean } from '../../statistics/prediction-powered-mean.ts'
import { correctedRate } from '../../statistics/rogan-gladen.ts'
import type { Queries } from '../../storage/db.ts'
import type { ScoreColumns } from './score-columns.ts'

type WithInterval = { value: number; ci: Interval; n: number }

export type Corrected = {
  /**
   * The share that people would pass; null with too few labels, or where the verdicts of the judge do not depend on
   * those of people.
   */
  rate: number | null
  ci: Interval | null
  sensitivity: WithInterval | null
  specificity: WithInterval | null
  /** The number of cases that people have rated, too. */
  labels: number
  method: string
  /** The mean rating that people would give, from scores instead of passes; null where scores have no scale. */
  mean: { value: number; ci: Interval; method: string } | null
}

/**
 * Returns the ratings of the cases that an evaluator has judged; none for `humanRating` itself and for evaluators that
 * only measure.
 */
export async function listLabels(
  q: Queries,
  { workspaceId, evaluationId, evaluator }: EvaluationScope & { evaluator: Evaluator },
): Promise<Label[]> {
  // Latency and cost do not predict ratings.
  const isMeasured = evaluator.needs.every((need) => need === 'trace')
  if (evaluator.type === 'humanRating' || isMeasured) return []
  return listJudgeLabels(q, { workspaceId, evaluationId, evaluator: evaluator.name })
}

type Calibrating = { evaluator: Evaluator; labels: readonly Label[]; verdicts: ScoreColumns; seed: string }

/** Returns null if there is nothing to correct: the evaluator has no pass threshold, or there are no ratings. */
export function calibrate({ evaluator, labels, verdicts, seed }: Calibrating): Corrected | null {
  const { judged } = verdicts
  if (judged.n === 0 || labels.length === 0) return null
  const tooFew = insufficientLabelsReason(labels)
  if (tooFew !== undefined) return { ...NOT_KNOWN, labels: labels.length, method: tooFew }
  const { sensitivity, specificity } = judgeAccuracy(labels)
  const corrected = correctedRate({
    ...asItems(verdicts),
    truePositives: countOf(sensitivity),
    positivesLabeled: sensitivity?.units ?? 0,
    trueNegatives: countOf(specificity),
    negativesLabeled: specificity?.units ?? 0,
    seed,
  })
  return {
    rate: corrected?.rate ?? null,
    ci: corrected?.interval ?? null,
    sensitivity: sensitivity ? { value: sensitivity.value, ci: sensitivity.interval, n: sensitivity.n } : null,
    specificity: specificity ? { value: specificity.value, ci: specificity.interval, n: specificity.n } : null,
    labels: labels.length,
    method: corrected
      ? 'Rogan & Gladen 1978, 95 % by bootstrap over both samples'
      : 'none: the labels are all of one kind, or the judge says yes as often to what people refuse',
    mean: meanOf(evaluator, { verdicts, labels }),
  }
}

/**
 * Counts independent units. Several cases of one item, or several repetitions of one case, are not independent;
 * counting each would make the interval too narrow.
 */
function asItems({ judged, attempts }: ScoreColumns): { positives: number; n: number } {
  const units = attempts.size === 0 ? judged.n : effectiveSize([...attempts.values()].map(({ n }) => n))
  return { positives: countOf({ value: judged.c / judged.n, units }), n: units }
}

/** A fraction where items have several cases, else an integer: rounding removes the error of the division. */
function countOf({ value, units }: { value: number; units: number } = { value: 0, units: 0 }): number {
  const count = value * units
  const whole = Math.round(count)
  return Math.abs(count - whole) < 1e-9 * units ? Math.min(whole, units) : count
}

const NOT_KNOWN = { rate: null, ci: null, sensitivity: null, specificity: null, mean: null }

/** Scores are converted to the scale of ratings, where 0 is bad and 1 is good. */
function meanOf(
  { scale, higherIsBetter }: Evaluator,
  { verdicts, labels }: { verdicts: ScoreColumns; labels: readonly Label[] },
): Corrected['mean'] {
  if (scale === null || !higherIsBetter) return null
  const [least, most] = scale
  const shareOf = (score: number) => (score - least) / (most - least)
  const labeled = labels.flatMap(({ score, people, cluster }) =>
    score === null ? [] : { judge: shareOf(score), people: people ? 1 : 0, cluster },
  )
  const judged = verdicts.unlabelled.values.map(shareOf)
  // If every case is rated, there is nothing to predict: the mean rating is known.
  const found = predictionPoweredMean({ judged, labeled, judgedClusters: verdicts.unlabelled.clusters })
  if (!found?.interval) return null
  const [low, high] = found.interval
  const method = 'prediction-powered mean, 95 % (Angelopoulos et al. 2023)'
  return { value: asShare(found.mean), ci: [asShare(low), asShare(high)], method }
}

/** The estimate may lie outside of 0 to 1; the nearest bound is then the better estimate. */
function asShare(value: number): number {
  return Math.min(1, Math.max(0, value))
}
