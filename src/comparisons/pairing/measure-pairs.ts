/** Collects the comparable values of all pairs of traces for one metric. */
import { pauseEvery } from '../../base/event-loop.ts'
import { isBinaryScale } from '../../evaluators/evaluator.ts'
import { type Measured, type Measurement, measurementsOf, UNDECIDED } from '../../scores/evaluator-scores.ts'
import { maxMagnitude } from '../../statistics/sums.ts'
import type { Metric } from './compared-metrics.ts'
import type { CasePair } from './pair-items.ts'

/**
 * Items whose majority of repetitions passed in the baseline and fails in the candidate, and vice versa. Counts are
 * exact, lists are truncated.
 */
export type Flips = { toFail: string[]; toFailCount: number; toPass: string[]; toPassCount: number }

export type LabelPair = { readonly itemId: string; readonly baseline: string; readonly candidate: string }

export type MeasuredPairs = {
  readonly values: ValuePairs
  readonly labels: readonly LabelPair[]
  /** Measurements without a counterpart, and pairs without any measurement. */
  readonly missing: number
  readonly failed: number
  /** Null for a metric without a pass mark. */
  readonly flips: Flips | null
  /** The improvement of the candidate per pair relative to the scale, averaged over repetitions; 0 if unknown. */
  readonly gains: Float64Array
}

const PAIRS_PER_SLICE = 2_500
const FLIPS_LISTED_MAX = 100

type PassPair = { readonly itemId: string; readonly before: boolean; readonly after: boolean }

export async function measurePairs(metric: Metric, pairs: readonly CasePair[]): Promise<MeasuredPairs> {
  const collector: PairCollector = { values: new ValuePairs(), labels: [], passPairs: [], missing: 0, failed: 0 }
  const gains = new Float64Array(pairs.length)
  const pause = pauseEvery(PAIRS_PER_SLICE)
  let index = 0
  for (const pair of pairs) {
    gains[index] = addPair(collector, metric, pair)
    index += 1
    const yielded = pause()
    if (yielded) await yielded
  }
  const { values, labels, passPairs, missing, failed } = collector
  // If some pairs have scores, pairs with labels only are not compared.
  const unscored = values.length > 0 ? labels.length : 0
  return {
    values,
    labels,
    missing: missing + unscored,
    failed,
    flips: flipsOf(metric, values, passPairs),
    gains: scaleGains(gains, metric, values),
  }
}

type PairCollector = { values: ValuePairs; labels: LabelPair[]; passPairs: PassPair[]; missing: number; failed: number }

/** Returns the mean of candidate − baseline over the repetitions. */
function addPair(collector: PairCollector, metric: Metric, pair: CasePair): number {
  const { itemId, baseline, candidate } = pair
  const before = metric.baseline.only(baseline)
  const after = metric.candidate.only(candidate)
  // Fast path: one score on each side needs no alignment.
  if (Number.isNaN(before) || Number.isNaN(after)) return addRepetitions(collector, metric, pair)
  collector.values.add(itemId, before, after)
  const passedBefore = metric.baseline.passed(baseline)
  const passedAfter = metric.candidate.passed(candidate)
  if (passedBefore !== UNDECIDED && passedAfter !== UNDECIDED)
    collector.passPairs.push({ itemId, before: passedBefore === 1, after: passedAfter === 1 })
  return after - before
}

function addRepetitions(collector: PairCollector, metric: Metric, { itemId, baseline, candidate }: CasePair): number {
  const repetitions = alignRepetitions(metric.baseline.all(baseline), metric.candidate.all(candidate))
  if (repetitions.length === 0) collector.missing += 1
  let [gain, count] = [0, 0]
  for (const one of repetitions) {
    const found = addRepetition(collector, itemId, one)
    if (found === undefined) continue
    gain += found
    count += 1
  }
  return count === 0 ? 0 : gain / count
}

function addRepetition(
  collector: PairCollector,
  itemId: string,
  { before, after }: RepetitionPair,
): number | undefined {
  if (before?.state === 'failed' || after?.state === 'failed') collector.failed += 1
  if (isScored(before) && isScored(after)) {
    collector.values.add(itemId, before.score, after.score)
    if (before.passed !== null && after.passed !== null)
      collector.passPairs.push({ itemId, before: before.passed === 1, after: after.passed === 1 })
    return after.score - before.score
  }
  if (isLabeled(before) && isLabeled(after))
    collector.labels.push({ itemId, baseline: before.label, candidate: after.label })
  else collector.missing += 1
  return undefined
}

type RepetitionPair = { readonly before: Measurement | undefined; readonly after: Measurement | undefined }

/** Pairs the measurements of two traces by repetition. A measurement without a counterpart is paired with undefined. */
export function alignRepetitions(before: Measured, after: Measured): RepetitionPair[] {
  const [ones, others] = [measurementsOf(before), measurementsOf(after)]
  const counterparts = new Map(others.map((measurement) => [measurement.repetition, measurement]))
  const known = new Set(ones.map(({ repetition }) => repetition))
  return [
    ...ones.map((one) => ({ before: one, after: counterparts.get(one.repetition) })),
    ...others.filter(({ repetition }) => !known.has(repetition)).map((one) => ({ before: undefined, after: one })),
  ]
}

export function isScored(one: Measurement | undefined): one is Measurement & { score: number } {
  return one !== undefined && one.state === 'scored' && one.score !== null
}

function isLabeled(one: Measurement | undefined): one is Measurement & { label: string } {
  return one !== undefined && one.state === 'scored' && one.score === null && one.label !== null
}

/** Uses the pass mark of the evaluator. Without one, for values that are all 0 or 1, the better value passes. */
function flipsOf(metric: Metric, values: ValuePairs, passPairs: readonly PassPair[]): Flips | null {
  if (passPairs.length > 0) return countFlips(passPairs)
  if (values.length === 0 || !isBinaryScale(metric) || !values.isBinary()) return null
  const { higherIsBetter } = metric
  const passes = (value: number) => (value === 1) === higherIsBetter
  return countFlips(
    values.itemIds.map((itemId, index) => ({
      itemId,
      before: passes(values.baseline[index] ?? NaN),
      after: passes(values.candidate[index] ?? NaN),
    })),
  )
}

/** Pairs are ordered by item, so that the pairs of one item are adjacent. */
function countFlips(passPairs: readonly PassPair[]): Flips {
  const toFail: string[] = []
  const toPass: string[] = []
  let [passedBefore, passedAfter] = [0, 0]
  for (let index = 0; index < passPairs.length; index += 1) {
    const passPair = passPairs[index]
    if (passPair === undefined) continue
    passedBefore += passPair.before ? 1 : -1
    passedAfter += passPair.after ? 1 : -1
    if (passPairs[index + 1]?.itemId === passPair.itemId) continue
    if (passedBefore > 0 && passedAfter < 0) toFail.push(passPair.itemId)
    if (passedBefore < 0 && passedAfter > 0) toPass.push(passPair.itemId)
    passedBefore = 0
    passedAfter = 0
  }
  return {
    toFail: toFail.slice(0, FLIPS_LISTED_MAX),
    toFailCount: toFail.length,
    toPass: toPass.slice(0, FLIPS_LISTED_MAX),
    toPassCount: toPass.length,
  }
}

/**
 * Divides by the length of the scale, or by the greatest value if there is no scale, so that metrics are comparable.
 */
function scaleGains(gains: Float64Array, { scale, higherIsBetter }: Metric, values: ValuePairs): Float64Array {
  const length = values.changeMax(scale)
  if (length === 0) return gains
  const factor = (higherIsBetter ? 1 : -1) / length
  return gains.map((gain) => gain * factor)
}

/** Differences below this share of the greatest value are rounding errors. */
const ROUNDING_SHARE = 1e-12

/**
 * The value pairs of one metric. Several pairs of one item are repetitions. Stored in columns because one object per
 * pair and metric would slow down the garbage collector for tens of thousands of pairs.
 */
export class ValuePairs {
  readonly itemIds: string[] = []
  readonly baseline: number[] = []
  readonly candidate: number[] = []

  get length(): number {
    return this.itemIds.length
  }

  add(itemId: string, baseline: number, candidate: number): void {
    this.itemIds.push(itemId)
    this.baseline.push(baseline)
    this.candidate.push(candidate)
  }

  /** Candidate − baseline for each pair. Rounding errors count as 0: 0.3 and 0.1 + 0.2 are the same value. */
  differences(): Float64Array {
    const differences = Float64Array.from(this.candidate)
    const rounding = ROUNDING_SHARE * this.greatest()
    for (let index = 0; index < differences.length; index += 1) {
      const difference = (differences[index] ?? 0) - (this.baseline[index] ?? 0)
      differences[index] = Math.abs(difference) <= rounding ? 0 : difference
    }
    return differences
  }

  /** The greatest absolute value of both sides. */
  greatest(): number {
    return Math.max(maxMagnitude(this.baseline), maxMagnitude(this.candidate))
  }

  /** The most that one value could change: the length of the scale, or the greatest value if there is none. */
  changeMax(scale: readonly [number, number] | null): number {
    return scale ? scale[1] - scale[0] : this.greatest()
  }

  /** For values of 0 and 1: how many pairs are 1 on both sides, on one, or on none. */
  countRates(): { both: number; onlyCandidate: number; onlyBaseline: number; neither: number } {
    const counts = { both: 0, onlyCandidate: 0, onlyBaseline: 0, neither: 0 }
    for (let index = 0; index < this.length; index += 1) {
      const [before, after] = [this.baseline[index] === 1, this.candidate[index] === 1]
      if (before && after) counts.both += 1
      else if (after) counts.onlyCandidate += 1
      else if (before) counts.onlyBaseline += 1
      else counts.neither += 1
    }
    return counts
  }

  /** The least and the greatest value of both sides and of these further values. */
  range(more: readonly { baseline: number | undefined; candidate: number | undefined }[] = []): [number, number] {
    let [least, most] = [Infinity, -Infinity]
    const add = (value: number | undefined) => {
      if (value === undefined) return
      least = Math.min(least, value)
      most = Math.max(most, value)
    }
    this.baseline.forEach(add)
    this.candidate.forEach(add)
    for (const { baseline, candidate } of more) {
      add(baseline)
      add(candidate)
    }
    return [least, most]
  }

  /** The mean of candidate − baseline for each item. */
  differencesByItem(): Map<string, number> {
    const sums = new Map<string, { sum: number; count: number }>()
    for (const [index, difference] of this.differences().entries()) {
      const itemId = this.itemIds[index] ?? ''
      const known = sums.get(itemId)
      if (known) {
        known.sum += difference
        known.count += 1
      } else sums.set(itemId, { sum: difference, count: 1 })
    }
    return new Map(Array.from(sums, ([itemId, { sum, count }]) => [itemId, sum / count]))
  }

  countItems(): number {
    return this.isEachItemOnce() ? this.length : new Set(this.itemIds).size
  }

  /** A copy with further pairs, ordered by item. */
  withItems(more: readonly { itemId: string; baseline: number; candidate: number }[]): ValuePairs {
    const all = this.itemIds.map((itemId, index) => ({
      itemId,
      baseline: this.baseline[index] ?? NaN,
      candidate: this.candidate[index] ?? NaN,
    }))
    const merged = new ValuePairs()
    const ordered = [...all, ...more].sort((a, b) => (a.itemId < b.itemId ? -1 : a.itemId > b.itemId ? 1 : 0))
    for (const { itemId, baseline, candidate } of ordered) merged.add(itemId, baseline, candidate)
    return merged
  }

  /** True if all values are 0 or 1. */
  isBinary(): boolean {
    return this.baseline.every(isBit) && this.candidate.every(isBit)
  }

  /** Requires pairs that are ordered by item. */
  isEachItemOnce(): boolean {
    return this.itemIds.every((itemId, index) => index === 0 || (this.itemIds[index - 1] ?? '') < itemId)
  }
}

function isBit(value: number): boolean {
  return value === 0 || value === 1
}
