/** Corrects the numbers of an evaluator for its errors, which are measured where people have rated the same cases. */
import { countJudgedCases, hasVerdicts } from '../../agreement/agreement-queries.ts'
import {
  insufficientLabelsReason,
  type Label,
  listJudgeLabels,
  listScoreLabels,
  type ScoreLabel,
} from '../../agreement/judge-labels.ts'
import { runInSlices } from '../../base/event-loop.ts'
import { type Evaluator, isExternal } from '../../evaluators/evaluator.ts'
import type { EvaluationScope } from '../../scores/score-queries.ts'
import { doubleSamplingRate, type VerdictCounts } from '../../statistics/calibration/double-sampling-rate.ts'
import { allocateLabels, type LabelCounts } from '../../statistics/calibration/label-allocation.ts'
import { predictionPoweredMean } from '../../statistics/calibration/prediction-powered-mean.ts'
import { countClusters, effectiveWeight } from '../../statistics/groups/effective-size.ts'
import type { Interval } from '../../statistics/interval.ts'
import { wilsonIntervalOfShare } from '../../statistics/rate-intervals.ts'
import type { Queries } from '../../storage/db.ts'
import type { ScoreColumns } from './score-columns.ts'

type WithInterval = { value: number; ci: Interval; n: number }

export type Corrected = {
  /**
   * The share of items that people would pass. For an evaluator with scores and no pass threshold: the mean rating that
   * people would give, on the scale of the evaluator. Null with too few labels.
   */
  rate: number | null
  ci: Interval | null
  /** If there is no rate, the reason. */
  method: string
  /** The number of cases that people have rated, too, and that are used. */
  labels: number
  /** The number of rated cases that are not used, because the queue did not draw them at random. */
  excluded: number
  sensitivity: WithInterval | null
  specificity: WithInterval | null
  ppv: WithInterval | null
  npv: WithInterval | null
  /** How many of the next 20 labels should be of passed and of failed cases; null without a pass threshold. */
  nextLabels: LabelCounts | null
}

/** The labels of an evaluator: by verdict, or by score if it has no pass threshold. */
export type Labels =
  | { readonly kind: 'verdicts'; readonly labels: readonly Drawn<Label>[]; readonly excluded: number }
  | { readonly kind: 'scores'; readonly labels: readonly Drawn<ScoreLabel>[]; readonly excluded: number }

type Drawn<L> = L & { chance: number }

/** Returns undefined for `humanRating` itself, for evaluators that only measure, and without any rating. */
export async function listLabels(
  q: Queries,
  { workspaceId, evaluationId, evaluator, sameAs }: EvaluationScope & { evaluator: Evaluator; sameAs: SameAs },
): Promise<Labels | undefined> {
  // Latency and cost do not predict ratings.
  const isMeasured = !isExternal(evaluator) && evaluator.needs.every((need) => need === 'trace')
  if (evaluator.type === 'humanRating' || isMeasured) return undefined
  const scope = { workspaceId, evaluationId, evaluator: evaluator.name }
  if (await hasVerdicts(q, scope)) {
    const verdicts = countedAs(sameAs, await listJudgeLabels(q, scope))
    if (verdicts.length === 0) return undefined
    const cases = await countJudgedCases(q, { ...scope, basis: 'passed' })
    return { kind: 'verdicts', ...drawnLabels(verdicts, cases) }
  }
  if (evaluator.scale === null || !evaluator.higherIsBetter) return undefined
  const scores = countedAs(sameAs, await listScoreLabels(q, scope))
  if (scores.length === 0) return undefined
  const cases = await countJudgedCases(q, { ...scope, basis: 'score' })
  return { kind: 'scores', ...drawnLabels(scores, cases) }
}

/** The labels of cases that were drawn at random. If all cases have one, none was chosen. */
function drawnLabels<L extends { chance: number | undefined }>(labels: readonly L[], cases: number) {
  if (labels.length >= cases) return { labels: labels.map((label) => ({ ...label, chance: 1 })), excluded: 0 }
  const drawn = labels.flatMap((label) => (label.chance === undefined ? [] : [{ ...label, chance: label.chance }]))
  return { labels: drawn, excluded: labels.length - drawn.length }
}

/** By item that repeats an earlier one: that item. */
type SameAs = ReadonlyMap<string, string>

function countedAs<One extends { cluster: string }>(sameAs: SameAs, labels: readonly One[]): One[] {
  return labels.map((label) => ({ ...label, cluster: sameAs.get(label.cluster) ?? label.cluster }))
}

type Calibrating = { evaluator: Evaluator; labels: Labels | undefined; verdicts: ScoreColumns; seed: string }

/** Returns null if there is nothing to correct: there are no ratings, or the evaluator has neither verdicts nor a scale. */
export async function calibrate({ evaluator, labels, verdicts, seed }: Calibrating): Promise<Corrected | null> {
  if (labels === undefined) return null
  const { excluded } = labels
  const tooFew = reasonAgainst(labels)
  if (labels.kind === 'scores') {
    const common = { ...NOT_KNOWN, labels: labels.labels.length, excluded }
    return tooFew === undefined
      ? { ...common, ...meanRating(evaluator, labels.labels, verdicts) }
      : { ...common, method: tooFew }
  }
  const counts = countByVerdict(labels.labels, verdicts)
  const nextLabels = allocateLabels(counts, NEXT_LABELS)
  const common = { ...NOT_KNOWN, labels: labels.labels.length, excluded, nextLabels }
  if (tooFew !== undefined) return { ...common, method: tooFew }
  return { ...common, ...(await passRate(labels.labels, { verdicts, counts, seed })) }
}

/** Why a rate cannot be corrected by these labels; undefined if it can. */
function reasonAgainst({ labels, excluded }: Labels): string | undefined {
  const tooFew = insufficientLabelsReason(labels)
  if (tooFew === undefined || excluded === 0) return tooFew
  const are = excluded === 1 ? 'rated case was' : 'rated cases were'
  return `${tooFew}; ${excluded} ${are} not drawn at random and not used: rate in the order random or calibration of the queue`
}

const NEXT_LABELS = 20
const NOT_KNOWN = {
  rate: null,
  ci: null,
  sensitivity: null,
  specificity: null,
  ppv: null,
  npv: null,
  nextLabels: null,
}

const BY_VERDICT = 'P(pass) · PPV + P(fail) · (1 − NPV), 95 % by draws (Tenenbein 1970; Begg & Greenes 1983)'
const ALL_LABELED = 'every case is labeled: the share of items, Wilson score interval, 95 % (Wilson 1927)'

type VerdictTable = { passed: VerdictCounts; failed: VerdictCounts }

async function passRate(
  labels: readonly Drawn<Label>[],
  { verdicts, counts, seed }: { verdicts: ScoreColumns; counts: VerdictTable; seed: string },
): Promise<Partial<Corrected> & { method: string }> {
  const found = await runInSlices(doubleSamplingRate({ ...counts, seed }))
  if (!found) return { method: 'none: nothing was judged' }
  const itemsOf = (isCounted: (label: Label) => boolean) =>
    countClusters(labels.filter(isCounted).map(({ cluster }) => cluster))
  const figure = (name: 'sensitivity' | 'specificity' | 'ppv' | 'npv', isCounted: (label: Label) => boolean) => {
    const n = itemsOf(isCounted)
    return n === 0 ? null : { value: found[name].value, ci: found[name].interval, n }
  }
  return {
    ...rateOf(labels, verdicts, found.rate),
    sensitivity: figure('sensitivity', ({ people }) => people),
    specificity: figure('specificity', ({ people }) => !people),
    ppv: figure('ppv', ({ judge }) => judge),
    npv: figure('npv', ({ judge }) => !judge),
  }
}

function rateOf(
  labels: readonly Label[],
  verdicts: ScoreColumns,
  estimated: { value: number; interval: Interval },
): { rate: number; ci: Interval | null; method: string } {
  if (labels.length < verdicts.judged.n) {
    return { rate: estimated.value, ci: estimated.interval, method: BY_VERDICT }
  }
  const weighted = labels.map(({ people, cluster }) => ({ people, cluster, weight: weightOf(cluster, verdicts) }))
  const rate = asShare(sumOfWeights(weighted.filter(({ people }) => people)) / sumOfWeights(weighted))
  return { rate, ci: wilsonIntervalOfShare(rate, effectiveWeight(weighted)) ?? null, method: ALL_LABELED }
}

/**
 * Counts independent units. Several cases of one item are not independent; together they count as one. A label that was
 * more likely to be drawn counts less.
 */
function countByVerdict(labels: readonly Drawn<Label>[], verdicts: ScoreColumns): VerdictTable {
  const { judged, attempts } = verdicts
  // The share of each item that passed.
  const passShares = [...attempts.values()].map(({ n, c }) => c / n)
  const units = attempts.size === 0 ? judged.n : attempts.size
  const passes = attempts.size === 0 ? judged.c : passShares.reduce((sum, share) => sum + share, 0)
  const countsOf = (isPassed: boolean, cases: number): VerdictCounts => {
    const weighted = labels
      .filter(({ judge }) => judge === isPassed)
      .map(({ people, cluster, chance }) => ({ people, cluster, weight: weightOf(cluster, verdicts) / chance }))
    if (weighted.length === 0) return { cases, labeled: 0, good: 0 }
    const labeled = Math.min(effectiveWeight(weighted), cases)
    const share = sumOfWeights(weighted.filter(({ people }) => people)) / sumOfWeights(weighted)
    return { cases, labeled, good: Math.min(labeled, labeled * share) }
  }
  return { passed: countsOf(true, passes), failed: countsOf(false, units - passes) }
}

/** All cases of an item together have the weight 1. */
function weightOf(cluster: string, { attempts }: ScoreColumns): number {
  return 1 / (attempts.get(cluster)?.n ?? 1)
}

function sumOfWeights(weighted: readonly { weight: number }[]): number {
  return weighted.reduce((sum, { weight }) => sum + weight, 0)
}

/** Ratings are converted to the scale of the evaluator, so that the result compares with its mean. */
function meanRating(
  { scale }: Evaluator,
  labels: readonly Drawn<ScoreLabel>[],
  { unlabelled }: ScoreColumns,
): { rate: number | null; ci: Interval | null; method: string } {
  const [least, most] = scale ?? [0, 1]
  const shareOf = (score: number) => (score - least) / (most - least)
  const sizes = sizesOf([...labels.map(({ cluster }) => cluster), ...(unlabelled.clusters ?? [])])
  const found = predictionPoweredMean({
    labeled: labels.map(({ judge, people, cluster, chance }) => {
      return { judge: shareOf(judge), people, cluster, chance, weight: 1 / (sizes.get(cluster) ?? 1) }
    }),
    judged: unlabelled.values.map(shareOf),
    judgedClusters: unlabelled.clusters,
    judgedWeights: unlabelled.clusters?.map((cluster) => 1 / (sizes.get(cluster) ?? 1)) ?? null,
  })
  const onScale = (share: number) => least + (most - least) * asShare(share)
  const method =
    unlabelled.values.length === 0
      ? 'every case is labeled: the mean rating of items, 95 % by t'
      : 'prediction-powered mean rating of items, 95 % by t (Angelopoulos et al. 2023, PPI++)'
  if (!found) return { rate: null, ci: null, method: 'none: too few labels' }
  const ci: Interval | null = found.interval ? [onScale(found.interval[0]), onScale(found.interval[1])] : null
  return { rate: onScale(found.mean), ci, method }
}

function sizesOf(clusters: readonly string[]): Map<string, number> {
  const sizes = new Map<string, number>()
  for (const cluster of clusters) sizes.set(cluster, (sizes.get(cluster) ?? 0) + 1)
  return sizes
}

/** The estimate may lie outside of 0 to 1; the nearest bound is then the better estimate. */
function asShare(value: number): number {
  return Math.min(1, Math.max(0, value))
}
