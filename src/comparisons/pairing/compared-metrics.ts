/** Selects the metrics that both runs have, and how each metric is read from a trace. */

import { type RatingScheme, scoreOfRatings } from '../../evaluators/rating-scheme.ts'
import { DEFAULT_INFO, type EvaluatorInfo } from '../../scores/evaluator-info.ts'
import { EVERY_REPETITION, type EvaluatorScores, type Measured, UNDECIDED } from '../../scores/evaluator-scores.ts'
import { changedJudge } from '../../scores/judged-with.ts'
import { changedEvaluator, measuredAs, warningAbout } from '../../scores/stored-config.ts'
import { type MetricScale, NO_PREFERENCE } from '../evidence/evidence.ts'
import type { RunCase, TraceFacts } from './pair-items.ts'
import type { RunData } from './read-run-data.ts'

/** The values of a metric for the traces of one run. */
export type Column = {
  all(one: RunCase): Measured
  /**
   * The score of a trace that has exactly one, which is the common case, without allocating an object. Otherwise NaN.
   */
  only(one: RunCase): number
  /** Valid together with `only`: 1 if passed, 0 if failed, or `UNDECIDED`. */
  passed(one: RunCase): number
}

export type Metric = MetricScale & {
  readonly name: string
  /** Null if the evaluation does not report it; then it is derived from the values. */
  readonly kind: EvaluatorInfo['kind']
  readonly role: 'quality' | 'reported'
  /**
   * True for the metrics that every trace has, such as the duration. The name is not sufficient because an evaluator
   * may have the same name.
   */
  readonly isFromTraces: boolean
  /** The evaluations that the scores are read from; null for metrics of traces and for ratings. A preference has one. */
  readonly evaluations: { readonly baseline: string | null; readonly candidate: string | null } | null
  readonly baseline: Column
  readonly candidate: Column
  /** True for ratings: people rate some of the items, so that an item without a rating is not a missing answer. */
  readonly isSampled: boolean
  /** False for ratings and for what is measured of the trace, such as the duration: it is not corrected by ratings. */
  readonly isJudged: boolean
  /** What is compared if it differs from what the name says, or null. */
  readonly measuredAs: string | null
  /** False lets the caller skip the search for failures. */
  readonly hasFailed: boolean
  /** A caveat about the comparison of the two runs, or null. */
  readonly warning: string | null
  /** Of a preference: whether the evaluation included the item. */
  readonly isEvaluated?: ((itemId: string) => boolean) | undefined
}

const COLUMN_DEFAULTS = {
  evaluations: null,
  hasFailed: false,
  isSampled: false,
  isJudged: false,
  measuredAs: null,
  warning: null,
}

export type NotCompared = {
  name: string
  reason: string
  /** What would make it comparable: to evaluate this run as this evaluation of the other run did. */
  evaluate: { runId: string; evaluationId: string } | null
}

type MetricSelection = { metrics: Metric[]; notCompared: NotCompared[] }

type Sides = { baseline: RunData; candidate: RunData }

/** What can be compared after another evaluation comes first in `notCompared`. */
export function selectMetrics(sides: Sides, scheme: RatingScheme): MetricSelection {
  const { metrics, notCompared } = evaluatorMetrics(sides)
  const usedNames = new Set([...metrics, ...notCompared].map(({ name }) => name))
  for (const metric of [...ratingMetric(sides, scheme), ...traceMetrics()]) {
    if (!usedNames.has(metric.name)) metrics.push(metric)
    else notCompared.push({ name: metric.name, reason: 'an evaluator has the same name', evaluate: null })
  }
  return { metrics, notCompared }
}

/**
 * Excludes the metrics that are derived from ratings. Even a mean over a few items would influence a user who has not
 * rated yet.
 */
export function withholdRatings(
  { metrics, notCompared }: MetricSelection,
  { baseline, candidate }: Sides,
): MetricSelection {
  const people = new Set([RATING_METRIC, ...baseline.peopleEvaluators, ...candidate.peopleEvaluators])
  const withheld = metrics
    .filter(({ name }) => people.has(name))
    .map(({ name }) => ({ name, reason: WITHHELD_REASON, evaluate: null }))
  return { metrics: metrics.filter(({ name }) => !people.has(name)), notCompared: [...notCompared, ...withheld] }
}

function evaluatorMetrics({ baseline, candidate }: Sides): MetricSelection {
  const metrics: Metric[] = []
  const notCompared: NotCompared[] = []
  for (const name of [...new Set([...namesOf(baseline), ...namesOf(candidate)])].sort()) {
    const preference = preferenceOf(name, { baseline, candidate })
    const excluded = preference ? undefined : notComparedAs(name, { baseline, candidate })
    if (excluded) {
      notCompared.push(excluded)
      continue
    }
    const { kind, scale, higherIsBetter } = infoOf(name, { baseline, candidate })
    const isOfTrace = TRACE_TYPES.includes(String(baseline.options(name)?.type))
    const [before, after] = [baseline.scores.get(name), candidate.scores.get(name)]
    const isSampled = [...baseline.peopleEvaluators, ...candidate.peopleEvaluators].includes(name)
    metrics.push({
      name,
      kind,
      scale,
      higherIsBetter,
      isRatio: isOfTrace && scale === null,
      role: 'quality',
      isFromTraces: false,
      evaluations: {
        baseline: baseline.evaluationOf.get(name) ?? null,
        candidate: candidate.evaluationOf.get(name) ?? null,
      },
      baseline: columnOf(before),
      candidate: columnOf(after),
      hasFailed: before?.hasFailed === true || after?.hasFailed === true,
      isSampled,
      isJudged: !isSampled && !isOfTrace,
      measuredAs: measuredAs(name, baseline.options, candidate.options),
      warning: warningAbout(name, baseline.options, candidate.options),
      ...preference,
    })
  }
  const isOfOne = ({ name }: NotCompared) => namesOf(baseline).includes(name) !== namesOf(candidate).includes(name)
  return { metrics, notCompared: notCompared.toSorted((a, b) => Number(isOfOne(b)) - Number(isOfOne(a))) }
}

/**
 * The columns of a judge that compared the answers of one run with those of the other. It has no value for the other run,
 * whose share is ½ where both are equally good. Undefined if the evaluator is none, or compared with a third run.
 */
function preferenceOf(name: string, { baseline, candidate }: Sides) {
  const hasJudged = (one: RunData, other: RunData) => one.options(name)?.baselineRunId === other.run.runId
  const isOfCandidate = hasJudged(candidate, baseline)
  if (!isOfCandidate && !hasJudged(baseline, candidate)) return undefined
  const judged = isOfCandidate ? candidate : baseline
  const evaluationId = judged.evaluationOf.get(name) ?? ''
  const scores = judged.scores.get(name)
  const [share, half] = [columnOf(scores), constantColumn(NO_PREFERENCE)]
  return {
    isPreference: true,
    baseline: isOfCandidate ? half : share,
    candidate: isOfCandidate ? share : half,
    hasFailed: scores?.hasFailed === true,
    measuredAs: 'share of preferences, against ½',
    evaluations: isOfCandidate
      ? { baseline: null, candidate: evaluationId }
      : { baseline: evaluationId, candidate: null },
    isEvaluated: (itemId: string) => judged.itemHashes.get(evaluationId)?.has(itemId) === true,
  }
}

/** The types of evaluators that measure the trace and not its output. */
const TRACE_TYPES = ['latency', 'cost', 'tokens']

function columnOf(scores: EvaluatorScores | undefined): Column {
  if (!scores) return plainColumn(() => undefined)
  return {
    all: ({ index }) => scores.at(index),
    only: ({ index }) => scores.only(index),
    passed: ({ index }) => scores.passed(index),
  }
}

/** Includes evaluators without any score: only the evaluation results name those. */
function namesOf({ evaluators, scores }: RunData): string[] {
  return [...evaluators.keys(), ...scores.keys()]
}

/** Undefined if it can be compared. */
function notComparedAs(name: string, { baseline, candidate }: Sides): NotCompared | undefined {
  const [before, after] = [baseline.evaluationOf.get(name), candidate.evaluationOf.get(name)]
  const isOfOtherRun = [baseline, candidate].some(({ options }) => options(name)?.baselineRunId !== undefined)
  if (isOfOtherRun) return { name, reason: 'its judge compared with another run', evaluate: null }
  const likeCandidate = { runId: baseline.run.runId, evaluationId: after ?? '' }
  if (!namesOf(candidate).includes(name)) {
    const reason = 'only the baseline was evaluated with it: evaluate the candidate the same way'
    return { name, reason, evaluate: { runId: candidate.run.runId, evaluationId: before ?? '' } }
  }
  if (!namesOf(baseline).includes(name)) {
    const reason = 'only the candidate was evaluated with it: evaluate the baseline the same way'
    return { name, reason, evaluate: likeCandidate }
  }
  const difference = differenceOf(name, { baseline, candidate })
  if (difference === undefined) return undefined
  return { name, reason: `${difference}: evaluate the baseline like the candidate`, evaluate: likeCandidate }
}

function differenceOf(name: string, { baseline, candidate }: Sides): string | undefined {
  const [before, after] = [baseline.evaluators.get(name), candidate.evaluators.get(name)]
  const changed =
    changedEvaluator(name, baseline.options, candidate.options) ??
    changedJudge(baseline.judgedWith(name), candidate.judgedWith(name))
  if (!before || !after) return changed
  const isSame =
    String(before.scale) === String(after.scale) &&
    before.higherIsBetter === after.higherIsBetter &&
    (before.kind === 'categorical') === (after.kind === 'categorical')
  return isSame ? changed : 'the two evaluations measure it on different scales'
}

/** An evaluation that is not completed has no results yet; the info then comes from the other one. */
function infoOf(name: string, { baseline, candidate }: Sides): EvaluatorInfo {
  return candidate.evaluators.get(name) ?? baseline.evaluators.get(name) ?? DEFAULT_INFO
}

/** The score of the ratings of each trace, if the rating scheme has one. Omitted if neither run has ratings. */
function ratingMetric({ baseline, candidate }: Sides, scheme: RatingScheme): Metric[] {
  if (baseline.ratings.size === 0 && candidate.ratings.size === 0) return []
  const ratingScores = scheme.ratings.map(({ score }) => score)
  const [low, high] = [Math.min(...ratingScores), Math.max(...ratingScores)]
  const column = ({ ratings }: RunData): Column => {
    return plainColumn(({ ref }) => scoreOfRatings(scheme, ratings.get(ref) ?? []))
  }
  const scale = low < high ? ([low, high] as const) : null
  const columns = { baseline: column(baseline), candidate: column(candidate), ...COLUMN_DEFAULTS, isSampled: true }
  return [
    {
      name: RATING_METRIC,
      kind: null,
      higherIsBetter: true,
      isRatio: false,
      scale,
      role: 'quality',
      isFromTraces: false,
      ...columns,
    },
  ]
}

/** The metrics that every trace has. The error rate counts as quality, the others are reported. */
function traceMetrics(): Metric[] {
  const of = (name: (typeof TRACE_METRICS)[number], read: (trace: TraceFacts) => number | null): Metric => {
    const column = plainColumn(({ trace }) => (trace === null ? undefined : (read(trace) ?? undefined)))
    const defaults = {
      kind: 'numeric',
      higherIsBetter: false,
      scale: null,
      role: 'reported',
      ...COLUMN_DEFAULTS,
    } as const
    return { ...defaults, name, isRatio: true, isFromTraces: true, baseline: column, candidate: column }
  }
  const error = of('error', ({ isError }) => (isError ? 1 : 0))
  return [
    { ...error, kind: 'binary', isRatio: false, scale: [0, 1], role: 'quality' },
    of('durationMs', ({ durationMs }) => durationMs),
    of('costUsd', ({ costUsd }) => costUsd),
    of('totalTokens', ({ totalTokens }) => totalTokens),
  ]
}

/** A column for metrics with one value per trace and no pass mark. */
export function plainColumn(read: (one: RunCase) => number | undefined): Column {
  return {
    all(one) {
      const score = read(one)
      return score === undefined ? undefined : { repetition: 1, state: 'scored', score, passed: null, label: null }
    },
    only: (one) => read(one) ?? NaN,
    passed: () => UNDECIDED,
  }
}

/** A column with the same value for every trace, and for every repetition of the other run. */
function constantColumn(score: number): Column {
  const all = { repetition: EVERY_REPETITION, state: 'scored', score, passed: null, label: null } as const
  return { all: () => all, only: () => score, passed: () => UNDECIDED }
}

/** The names of the metrics that every trace has. */
export const TRACE_METRICS = ['error', 'durationMs', 'costUsd', 'totalTokens'] as const

/** The name of the metric that is derived from ratings. */
export const RATING_METRIC = 'rating'

/** The reason for withholding metrics that are derived from ratings. */
export const WITHHELD_REASON = 'withheld: one of the runs is rated blindly'
