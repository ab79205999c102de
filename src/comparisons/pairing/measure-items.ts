/**
 * Collects the values of all items for one metric: one value per item and run, the mean of its repetitions, however many
 * each run has. An item that was tried ten times counts as much as one that was tried once.
 *
 * An item without a value in one of the runs is incomplete: it has no trace, the trace has no output, or the evaluator
 * failed. A candidate that answers only the easy questions would otherwise look better than one that answers all of them.
 * People rate a sample: an item that was answered and not rated is not incomplete.
 */
import { pauseEvery } from '../../base/event-loop.ts'
import { isBinaryScale, ORDER_LABEL } from '../../evaluators/evaluator.ts'
import {
  EVERY_REPETITION,
  type Measured,
  type Measurement,
  measurementsOf,
  UNDECIDED,
} from '../../scores/evaluator-scores.ts'
import type { Column, Metric } from './compared-metrics.ts'
import { ItemValues } from './item-values.ts'
import type { CasePair, ItemCases, PairedItems, RunCase } from './pair-items.ts'

/**
 * Items whose majority of repetitions passed in the baseline and fails in the candidate, and vice versa. Counts are
 * exact, lists are truncated.
 */
export type Flips = { toFail: string[]; toFailCount: number; toPass: string[]; toPassCount: number }

/** Of `n` judged pairs of answers, how often the choice changed with the order in which the two were shown. */
export type OrderFlips = { readonly count: number; readonly n: number }

export type LabelPair = { readonly itemId: string; readonly baseline: string; readonly candidate: string }

/** An item that has a value in one of the runs. */
export type IncompleteItem = {
  readonly itemId: string
  readonly baseline: number | undefined
  readonly candidate: number | undefined
}

export type MissingCounts = {
  /** Items to which the metric applies. */
  readonly items: number
  /** Items without a value in at least one run. */
  readonly incomplete: number
  /** Items without a value in this run. */
  readonly baseline: number
  readonly candidate: number
  /** Incomplete items of which an evaluator failed. */
  readonly failed: number
  /** Incomplete items that neither run answered. */
  readonly neither: number
}

export type MeasuredItems = {
  readonly values: ItemValues
  readonly incomplete: readonly IncompleteItem[]
  readonly missing: MissingCounts
  /** The number of values of each run, counting repetitions. */
  readonly counts: { readonly baseline: number; readonly candidate: number }
  readonly labels: readonly LabelPair[]
  /** Items that have a label in one of the runs only. */
  readonly unlabeled: number
  /** The number of scores that failed. */
  readonly failed: number
  /** Null for a metric without a pass mark. */
  readonly flips: Flips | null
  /** Null unless a judge chose between the answers of the two runs. */
  readonly orderFlips: OrderFlips | null
  /** The improvement of the candidate per pair of traces relative to the scale, averaged over repetitions; 0 if unknown. */
  readonly gains: Float64Array
}

const ITEMS_PER_SLICE = 2_500

export async function measureItems(metric: Metric, { items, pairs }: PairedItems): Promise<MeasuredItems> {
  const values = new ItemValues()
  const incomplete: IncompleteItem[] = []
  const missing = { items: 0, incomplete: 0, baseline: 0, candidate: 0, failed: 0, neither: 0 }
  const counts = { baseline: 0, candidate: 0 }
  const judged: JudgedItem[] = []
  let [failed, unlabeled] = [0, 0]
  const pause = pauseEvery(ITEMS_PER_SLICE)
  for (const item of items) {
    const yielded = pause()
    if (yielded) await yielded
    const [before, after] = [sideOf(item.baseline, metric.baseline), sideOf(item.candidate, metric.candidate)]
    failed += before.failed + after.failed
    const { itemId } = item
    if ((before.labels === 0) !== (after.labels === 0)) unlabeled += 1
    const state = stateOf(before, after, { metric, item })
    if (state === 'not counted') continue
    missing.items += 1
    if (state === 'complete') {
      values.add(itemId, meanOf(before), meanOf(after))
      counts.baseline += before.count
      counts.candidate += after.count
      judged.push({ itemId, before, after })
      continue
    }
    missing.incomplete += 1
    const lacks = metric.isPreference
      ? unansweredIn(item)
      : { baseline: before.count === 0, candidate: after.count === 0 }
    if (lacks.baseline) missing.baseline += 1
    if (lacks.candidate) missing.candidate += 1
    if (before.failed + after.failed > 0) missing.failed += 1
    if (lacks.baseline && lacks.candidate) missing.neither += 1
    // An item that neither run answered says nothing about the difference.
    else incomplete.push({ itemId, baseline: knownMean(before), candidate: knownMean(after) })
    if (before.count > 0 && isError(item.candidate)) judged.push({ itemId, before, after: FAILED })
    if (after.count > 0 && isError(item.baseline)) judged.push({ itemId, before: FAILED, after })
  }
  return {
    values,
    incomplete,
    missing,
    counts,
    labels: values.length > 0 ? [] : await labelPairs(metric, pairs),
    unlabeled,
    failed,
    flips: flipsOf(metric, values, judged),
    orderFlips: metric.isPreference ? countOrderFlips(metric, items) : null,
    gains: await pairGains(metric, pairs, values.changeMax(metric.scale)),
  }
}

/** The values of one item in one run. `balance` is the number of repetitions that passed less those that did not. */
type SideOfItem = { sum: number; count: number; failed: number; labels: number; decided: number; balance: number }

function sideOf(cases: readonly RunCase[], column: Column): SideOfItem {
  const side = { sum: 0, count: 0, failed: 0, labels: 0, decided: 0, balance: 0 }
  for (const one of cases) {
    const only = column.only(one)
    if (Number.isNaN(only)) for (const measurement of measurementsOf(column.all(one))) add(side, measurement)
    else addScore(side, only, column.passed(one))
  }
  return side
}

function add(side: SideOfItem, { state, score, passed, label }: Measurement): void {
  if (state === 'failed') side.failed += 1
  else if (score !== null) addScore(side, score, passed ?? UNDECIDED)
  else if (label !== null) side.labels += 1
}

function addScore(side: SideOfItem, score: number, passed: number): void {
  side.sum += score
  side.count += 1
  if (passed === UNDECIDED) return
  side.decided += 1
  side.balance += passed === 1 ? 1 : -1
}

type Counted = { metric: Metric; item: ItemCases }

function stateOf(
  before: SideOfItem,
  after: SideOfItem,
  { metric: { isSampled, isPreference, isEvaluated }, item }: Counted,
): 'complete' | 'incomplete' | 'not counted' {
  if (before.count > 0 && after.count > 0) return 'complete'
  if (isPreference) {
    const isExcluded = item.baseline.some(isAnswered) && item.candidate.some(isAnswered) && !isEvaluated?.(item.itemId)
    return isExcluded ? 'not counted' : 'incomplete'
  }
  const hasLabels = before.labels + after.labels > 0
  const isUntried = item.baseline.length + item.candidate.length === 0
  const isUnrated =
    isSampled &&
    (isUntried ||
      (before.count === 0 && item.baseline.some(isAnswered)) ||
      (after.count === 0 && item.candidate.some(isAnswered)))
  if (hasLabels || isUnrated) return 'not counted'
  if (before.count + after.count + before.failed + after.failed > 0) return 'incomplete'
  // Nothing was measured: the metric does not apply to an item that was answered, for example because nothing is expected.
  return [...item.baseline, ...item.candidate].some(isAnswered) ? 'not counted' : 'incomplete'
}

function isAnswered({ trace }: RunCase): boolean {
  return trace !== null && !trace.isError
}

/** An error is a failure: the item was tried, and every trace ended with an error. */
function isError(cases: readonly RunCase[]): boolean {
  return cases.length > 0 && cases.every(({ trace }) => trace?.isError === true)
}

/** Which run is the reason that a judge of both answers has no value: the candidate if both answered. */
function unansweredIn({ baseline, candidate }: ItemCases) {
  const isOfBaseline = !baseline.some(isAnswered)
  return { baseline: isOfBaseline, candidate: !isOfBaseline || !candidate.some(isAnswered) }
}

/** Finite: the sum of two values near the greatest double is not. */
function meanOf({ sum, count }: SideOfItem): number {
  return Math.max(-Number.MAX_VALUE, Math.min(Number.MAX_VALUE, sum / count))
}

function knownMean(side: SideOfItem): number | undefined {
  return side.count === 0 ? undefined : meanOf(side)
}

/** An item with a value in both runs, or in one of them and an error in the other. */
type JudgedItem = { itemId: string; before: SideOfItem | Failed; after: SideOfItem | Failed }

const FAILED = 'failed'
type Failed = typeof FAILED

const FLIPS_LISTED_MAX = 100

/** Uses the pass mark of the evaluator. Without one, for values that are all 0 or 1, the better value passes. */
function flipsOf(metric: Metric, values: ItemValues, judged: readonly JudgedItem[]): Flips | null {
  const isDecided = (side: SideOfItem | Failed) => side === FAILED || side.decided > 0
  const decided = judged.filter(({ before, after }) => isDecided(before) && isDecided(after))
  if (decided.length > 0) return countFlips(decided, ({ balance }) => balance)
  if (values.length === 0 || !isBinaryScale(metric) || !values.isBinary()) return null
  return countFlips(judged, (side) => ((meanOf(side) === 1) === metric.higherIsBetter ? 1 : -1))
}

/** `balance` is positive for a side that passes, negative for one that fails. */
function countFlips(items: readonly JudgedItem[], balance: (side: SideOfItem) => number): Flips {
  const balanceOf = (side: SideOfItem | Failed) => (side === FAILED ? -1 : balance(side))
  const flips = items.map(({ itemId, before, after }) => ({
    itemId,
    before: balanceOf(before),
    after: balanceOf(after),
  }))
  const toFail = flips.filter(({ before, after }) => before > 0 && after < 0).map(({ itemId }) => itemId)
  const toPass = flips.filter(({ before, after }) => before < 0 && after > 0).map(({ itemId }) => itemId)
  return {
    toFail: toFail.slice(0, FLIPS_LISTED_MAX),
    toFailCount: toFail.length,
    toPass: toPass.slice(0, FLIPS_LISTED_MAX),
    toPassCount: toPass.length,
  }
}

function countOrderFlips({ baseline, candidate }: Metric, items: readonly ItemCases[]): OrderFlips {
  const flips = { count: 0, n: 0 }
  const add = (cases: readonly RunCase[], column: Column) => {
    for (const { label } of cases.flatMap((one) => measurementsOf(column.all(one)))) {
      if (label === null) continue
      flips.n += 1
      if (label === ORDER_LABEL) flips.count += 1
    }
  }
  for (const item of items) {
    add(item.baseline, baseline)
    add(item.candidate, candidate)
  }
  return flips
}

async function labelPairs(metric: Metric, pairs: readonly CasePair[]): Promise<LabelPair[]> {
  const labels: LabelPair[] = []
  const pause = pauseEvery(ITEMS_PER_SLICE)
  for (const { itemId, baseline, candidate } of pairs) {
    const yielded = pause()
    if (yielded) await yielded
    for (const { before, after } of alignRepetitions(metric.baseline.all(baseline), metric.candidate.all(candidate)))
      if (isLabeled(before) && isLabeled(after)) labels.push({ itemId, baseline: before.label, candidate: after.label })
  }
  return labels
}

/** By pair of traces, for the order of the rows: relative to `length`, so that metrics are comparable. */
async function pairGains(metric: Metric, pairs: readonly CasePair[], length: number): Promise<Float64Array> {
  const direction = metric.higherIsBetter ? 1 : -1
  const gains = new Float64Array(pairs.length)
  const pause = pauseEvery(ITEMS_PER_SLICE)
  for (const [index, pair] of pairs.entries()) {
    const difference = pairDifference(metric, pair)
    const gain = difference === undefined ? errorGain(metric, pair, length) : direction * difference
    gains[index] = gain / (length || 1)
    const yielded = pause()
    if (yielded) await yielded
  }
  return gains
}

function pairDifference(metric: Metric, { baseline, candidate }: CasePair): number | undefined {
  const difference = metric.candidate.only(candidate) - metric.baseline.only(baseline)
  if (!Number.isNaN(difference)) return difference
  let [gain, count] = [0, 0]
  for (const { before, after } of alignRepetitions(metric.baseline.all(baseline), metric.candidate.all(candidate))) {
    if (!isScored(before) || !isScored(after)) continue
    gain += after.score - before.score
    count += 1
  }
  return count === 0 ? undefined : gain / count
}

/** The quality of an error is the worst of the scale. Without one, nothing could be worse. */
function errorGain(metric: Metric, { baseline, candidate }: CasePair, length: number): number {
  const { role, isPreference, scale, higherIsBetter } = metric
  if (role !== 'quality' || isPreference) return 0
  const toWorst = (side: SideOfItem) =>
    side.count === 0 ? 0 : scale ? Math.abs(meanOf(side) - scale[higherIsBetter ? 0 : 1]) : length
  if (isError([candidate])) return -toWorst(sideOf([baseline], metric.baseline))
  return isError([baseline]) ? toWorst(sideOf([candidate], metric.candidate)) : 0
}

type RepetitionPair = { readonly before: Measurement | undefined; readonly after: Measurement | undefined }

/** Pairs the measurements of two traces by repetition. A measurement without a counterpart is paired with undefined. */
export function alignRepetitions(before: Measured, after: Measured): RepetitionPair[] {
  const [ones, others] = [measurementsOf(before), measurementsOf(after)]
  const [one, other] = [ones[0], others[0]]
  if (one?.repetition === EVERY_REPETITION)
    return others.map((after) => ({ before: { ...one, repetition: after.repetition }, after }))
  if (other?.repetition === EVERY_REPETITION)
    return ones.map((before) => ({ before, after: { ...other, repetition: before.repetition } }))
  const counterparts = new Map(others.map((measurement) => [measurement.repetition, measurement]))
  const known = new Set(ones.map(({ repetition }) => repetition))
  return [
    ...ones.map((before) => ({ before, after: counterparts.get(before.repetition) })),
    ...others.filter(({ repetition }) => !known.has(repetition)).map((after) => ({ before: undefined, after })),
  ]
}

export function isScored(one: Measurement | undefined): one is Measurement & { score: number } {
  return one !== undefined && one.state === 'scored' && one.score !== null
}

function isLabeled(one: Measurement | undefined): one is Measurement & { label: string } {
  return one !== undefined && one.state === 'scored' && one.score === null && one.label !== null
}
