/** Which metrics two runs have in common, and how each is read from a trace of either. */
import { majorityRating } from '../evaluators/majority-rating.ts'
import { type RatingScheme, scoreOfRating } from '../evaluators/rating-scheme.ts'
import { DEFAULT_INFO, type EvaluatorInfo } from '../scores/evaluator-info.ts'
import { warningAbout } from '../scores/evaluator-options.ts'
import { type EvaluatorScores, type Measured, UNDECIDED } from '../scores/evaluator-scores.ts'
import type { MetricScale } from './compare-metric.ts'
import type { RunCase, TraceFacts } from './pair-items.ts'
import { RATING_METRIC, WITHHELD_REASON } from './rating-metric.ts'
import type { RunData } from './read-run-data.ts'

/** What the traces of one side got. */
type Column = {
  all(one: RunCase): Measured
  /** The score of one that got it once, as nearly all do, without making an object of it; else not a number. */
  only(one: RunCase): number
  /** Beside `only`: 1 passed, 0 not, or `UNDECIDED`. */
  passed(one: RunCase): number
}

export type Metric = MetricScale & {
  readonly name: string
  /** Null where nobody has told: then the values do. */
  readonly kind: EvaluatorInfo['kind']
  readonly role: 'quality' | 'reported'
  /** Whether it is what every trace tells. The name does not say so: an evaluator may have the same one. */
  readonly isFromTraces: boolean
  readonly baseline: Column
  readonly candidate: Column
  /** Whether any measurement failed: most often none did, and nobody need look. */
  readonly hasFailed: boolean
  /** What to keep in mind about the two sides; null if nothing. */
  readonly warning: string | null
}

const COLUMN_DEFAULTS = { hasFailed: false, warning: null }

export type MetricSelection = { metrics: Metric[]; notCompared: { name: string; reason: string }[] }

export function selectMetrics(sides: { baseline: RunData; candidate: RunData }, scheme: RatingScheme): MetricSelection {
  const { metrics, notCompared } = evaluatorMetrics(sides)
  const usedNames = new Set([...metrics, ...notCompared].map(({ name }) => name))
  for (const metric of [...ratingMetric(sides, scheme), ...traceMetrics()]) {
    if (!usedNames.has(metric.name)) metrics.push(metric)
    else notCompared.push({ name: metric.name, reason: 'an evaluator has the same name' })
  }
  return { metrics, notCompared }
}

/** Leaves out what tells of people's ratings: even a mean over few items would tell too much to somebody who is still to rate. */
export function withholdRatings(
  { metrics, notCompared }: MetricSelection,
  { baseline, candidate }: { baseline: RunData; candidate: RunData },
): MetricSelection {
  const people = new Set([RATING_METRIC, ...baseline.peopleEvaluators, ...candidate.peopleEvaluators])
  const withheld = metrics.filter(({ name }) => people.has(name)).map(({ name }) => ({ name, reason: WITHHELD_REASON }))
  return { metrics: metrics.filter(({ name }) => !people.has(name)), notCompared: [...notCompared, ...withheld] }
}

function evaluatorMetrics({ baseline, candidate }: { baseline: RunData; candidate: RunData }): MetricSelection {
  const metrics: Metric[] = []
  const notCompared: MetricSelection['notCompared'] = []
  for (const name of [...new Set([...namesOf(baseline), ...namesOf(candidate)])].sort()) {
    const reason = notComparedReason(name, { baseline, candidate })
    if (reason !== undefined) {
      notCompared.push({ name, reason })
      continue
    }
    const { kind, scale, higherIsBetter } = infoOf(name, { baseline, candidate })
    const [before, after] = [baseline.scores.get(name), candidate.scores.get(name)]
    metrics.push({
      name,
      kind,
      scale,
      higherIsBetter,
      role: 'quality',
      isFromTraces: false,
      baseline: columnOf(before),
      candidate: columnOf(after),
      hasFailed: before?.hasFailed === true || after?.hasFailed === true,
      warning: warningAbout(name, baseline.options, candidate.options),
    })
  }
  return { metrics, notCompared }
}

function columnOf(scores: EvaluatorScores | undefined): Column {
  if (!scores) return plainColumn(() => undefined)
  return {
    all: ({ index }) => scores.at(index),
    only: ({ index }) => scores.only(index),
    passed: ({ index }) => scores.passed(index),
  }
}

/** Evaluators that failed or skipped everything are told of by the evaluation alone. */
function namesOf({ evaluators, scores }: RunData): string[] {
  return [...evaluators.keys(), ...scores.keys()]
}

function notComparedReason(
  name: string,
  { baseline, candidate }: { baseline: RunData; candidate: RunData },
): string | undefined {
  if (!namesOf(candidate).includes(name)) return 'only the evaluation of the baseline has it'
  if (!namesOf(baseline).includes(name)) return 'only the evaluation of the candidate has it'
  const [before, after] = [baseline.evaluators.get(name), candidate.evaluators.get(name)]
  if (!before || !after) return undefined
  const isSame =
    String(before.scale) === String(after.scale) &&
    before.higherIsBetter === after.higherIsBetter &&
    (before.kind === 'categorical') === (after.kind === 'categorical')
  return isSame ? undefined : 'the two evaluations measure it on different scales'
}

/** Of an evaluation that is not completed nothing is told yet: then the other one speaks for it. */
function infoOf(name: string, { baseline, candidate }: { baseline: RunData; candidate: RunData }): EvaluatorInfo {
  return candidate.evaluators.get(name) ?? baseline.evaluators.get(name) ?? DEFAULT_INFO
}

/** What most people said, as far as the application's scheme knows what it is worth. Without any rating there is no such metric. */
function ratingMetric(
  { baseline, candidate }: { baseline: RunData; candidate: RunData },
  scheme: RatingScheme,
): Metric[] {
  if (baseline.ratings.size === 0 && candidate.ratings.size === 0) return []
  const ratingScores = scheme.ratings.map(({ score }) => score)
  const [low, high] = [Math.min(...ratingScores), Math.max(...ratingScores)]
  const column = ({ ratings }: RunData): Column => {
    return plainColumn(({ ref }) => {
      const majority = majorityRating(ratings.get(ref) ?? [])
      return majority === null ? undefined : scoreOfRating(scheme, majority)
    })
  }
  const scale = low < high ? ([low, high] as const) : null
  const columns = { baseline: column(baseline), candidate: column(candidate), ...COLUMN_DEFAULTS }
  return [
    { name: RATING_METRIC, kind: null, higherIsBetter: true, scale, role: 'quality', isFromTraces: false, ...columns },
  ]
}

/** What every trace tells. Whether it failed is a matter of quality; the rest is reported. */
function traceMetrics(): Metric[] {
  const of = (name: string, read: (trace: TraceFacts) => number | null): Metric => {
    const column = plainColumn(({ trace }) => (trace === null ? undefined : (read(trace) ?? undefined)))
    const columns = { baseline: column, candidate: column, ...COLUMN_DEFAULTS }
    return {
      name,
      kind: 'numeric',
      higherIsBetter: false,
      scale: null,
      role: 'reported',
      isFromTraces: true,
      ...columns,
    }
  }
  const error = of('error', ({ isError }) => (isError ? 1 : 0))
  return [
    { ...error, kind: 'binary', scale: [0, 1], role: 'quality' },
    of('durationMs', ({ durationMs }) => durationMs),
    of('costUsd', ({ costUsd }) => costUsd),
    of('totalTokens', ({ totalTokens }) => totalTokens),
  ]
}

/** Of values that a trace has once, without a line between pass and fail. */
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
