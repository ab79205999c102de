/**
 * Computes the evidence for one metric from the values of its items: the difference or the ratio, what the items say about
 * it, wins and losses, and the power. Swapping the two runs mirrors everything, unless items are missing.
 *
 * Values near the greatest double are compared in a larger unit, because their differences are infinite: 1e308 − (−1e308).
 * A result beyond the greatest double is reported as that double.
 */

import { yieldToEventLoop } from '../../base/event-loop.ts'
import { isBinaryScale } from '../../evaluators/evaluator.ts'
import { clusterRobustMean } from '../../statistics/groups/cluster-robust-mean.ts'
import type { Interval } from '../../statistics/interval.ts'
import { overflowSafeScale, sumOf } from '../../statistics/sums.ts'
import { type ItemValues, ROUNDING_SHARE } from '../pairing/item-values.ts'
import type { IncompleteItem } from '../pairing/measure-items.ts'
import { marginOn, SIGNIFICANCE } from '../verdicts/verdict.ts'
import { type Power, powerOfMeans, powerOfRates } from './comparison-power.ts'
import { estimateGroupedMean, estimateMean } from './estimate-mean.ts'
import { type CompareOptions, type Evidence, type Inference, NO_PREFERENCE } from './evidence.ts'
import { type Gains, infer, inferSequentially, inferTotals } from './infer.ts'

type Items = {
  readonly values: ItemValues
  readonly incomplete?: readonly IncompleteItem[]
  /** The number of values of each run, counting repetitions. */
  readonly counts?: Evidence['values']
}

export async function compareMetric(items: Items, options: CompareOptions): Promise<Evidence> {
  const { values, counts = { baseline: values.length, candidate: values.length } } = items
  const hasBinaryScale = isBinaryScale(options)
  const groups = options.groupOf && values.itemIds.map(options.groupOf)
  const compared = options.isRatio ? compareRatios(values, options) : compareDifferences(items, options)
  const estimate = (side: readonly number[]) => estimateSide(side, groups, { ...options, hasBinaryScale })
  const sides = options.isPreference
    ? sharesOf(compared)
    : { baseline: await estimate(values.baseline), candidate: await estimate(values.candidate) }
  const robust = groups && clusterRobustMean({ values: values.differences(options), groups })
  return {
    items: values.length,
    values: counts,
    isBinary: options.isPreference || (hasBinaryScale && values.length > 0 && values.isBinary()),
    ...sides,
    ...compared,
    ...(robust && { groups: robust.groups, designEffect: robust.designEffect ?? null }),
  }
}

type Compared = Pick<
  Evidence,
  'difference' | 'totalRatio' | 'withoutRatio' | 'inference' | 'wins' | 'ties' | 'losses' | 'power'
>

function compareDifferences({ values, incomplete = [] }: Items, options: CompareOptions): Compared {
  const { scale, margin, isPreference } = options
  // A share differs from ½ by at most ½: twice that is 1, 0 or −1, as of yes/no values.
  const unit = isPreference ? 1 / NO_PREFERENCE : overflowSafeScale(values.changeMax(scale))
  const gains: Gains = {
    ...gainsOf(values, options, unit),
    ...(incomplete.length > 0 &&
      values.length > 0 && { atWorst: gainsOf(withWorst(values, incomplete, options), options, unit) }),
  }
  const isRate = isPreference || (isBinaryScale(options) && values.isBinary())
  const isYesNo = isRate && gains.values.every(Number.isInteger)
  const range = isPreference ? 1 : unit * values.changeMax(scale)
  const kind = isYesNo && !gains.groups ? ({ kind: 'yes/no' } as const) : ({ kind: 'scores', range, isRate } as const)
  const sequentially = () => inferSequentially(gains, scale || isPreference ? { range } : {})
  const inference = values.length < 2 ? null : options.isSequential ? sequentially() : infer(gains, kind)
  const counts = countWins(gains.values)
  const inUnits = unit * (marginOn(options, margin) ?? 0)
  const size = { items: values.length, differing: counts.wins + counts.losses, margin: inUnits }
  const power =
    kind.kind === 'yes/no' && !options.isSequential
      ? powerOfRates(size)
      : powerOfMeans(inference?.detectable ?? null, size)
  return {
    difference: values.length === 0 ? null : inUnit(sumOf(values.differences({ unit, scale })) / values.length, unit),
    totalRatio: null,
    withoutRatio: 0,
    inference: inference && inferenceInUnit(inference, unit),
    ...counts,
    power: powerInUnit(power, unit),
  }
}

/** If more than this share of the items has 0 in one of the runs, their totals are compared. */
const WITHOUT_RATIO_MAX = 0.02

/** An item that is 0 in one of the runs has no ratio, but a direction. */
function compareRatios(values: ItemValues, options: CompareOptions): Compared {
  const { higherIsBetter, groupOf, isSequential, margin } = options
  const direction = higherIsBetter ? 1 : -1
  const ratios = logRatios(values)
  const withoutRatio = values.length - ratios.values.length
  const isByTotals = withoutRatio > WITHOUT_RATIO_MAX * values.length
  const gains = {
    values: ratios.values.map((value) => (value === 0 ? 0 : direction * value)),
    groups: groupOf && ratios.itemIds.map(groupOf),
  }
  const changes = gainsOf(values, options, 1)
  const totals = isByTotals ? inferTotals({ ...values, groups: changes.groups }, direction) : null
  const sequentially = () => inferSequentially(isByTotals ? changes : gains, { gain: totals?.gain })
  const inferred = () => (isSequential ? sequentially() : (totals ?? infer(gains, { kind: 'log ratios' })))
  const inference = (isByTotals ? totals === null : gains.values.length < 2) ? null : inferred()
  const counts = countWins(changes.values)
  const size = { items: gains.values.length, differing: counts.wins + counts.losses, margin: marginOn(options, margin) }
  const power = powerOfMeans(inference?.detectable ?? null, size)
  const [before, after] = [sumOf(values.baseline), sumOf(values.candidate)]
  return {
    difference: values.length === 0 ? null : (after - before) / values.length,
    totalRatio: before > 0 ? after / before : null,
    withoutRatio,
    inference,
    ...counts,
    power: powerOfRatio(power),
  }
}

/** A ratio exists if both values are positive; of two values that are equal but for rounding it is 1. */
export function logRatios({ itemIds, baseline, candidate }: ItemValues): { itemIds: string[]; values: Float64Array } {
  const kept: { itemId: string; value: number }[] = []
  for (const [index, itemId] of itemIds.entries()) {
    const [before, after] = [baseline[index] ?? 0, candidate[index] ?? 0]
    if (Math.abs(after - before) <= ROUNDING_SHARE * before) kept.push({ itemId, value: 0 })
    else if (before > 0 && after > 0) kept.push({ itemId, value: Math.log(after) - Math.log(before) })
  }
  return { itemIds: kept.map(({ itemId }) => itemId), values: Float64Array.from(kept, ({ value }) => value) }
}

function powerOfRatio({ detectableDifference, casesFor }: Power): Power {
  return {
    detectableDifference: detectableDifference && Math.expm1(detectableDifference),
    casesFor: casesFor && { ...casesFor, difference: Math.expm1(casesFor.difference) },
  }
}

/** The share of the candidate is read from the same p-function as the difference, so that both exclude ½ or neither does. */
function sharesOf({ difference, inference }: Compared): Pick<Evidence, 'baseline' | 'candidate'> {
  const ends = inference?.interval(SIGNIFICANCE) ?? null
  return {
    baseline: {
      mean: difference === null ? null : NO_PREFERENCE,
      ci: null,
      method: 'none: the share without a preference',
    },
    candidate: {
      mean: difference === null ? null : NO_PREFERENCE + difference,
      ci: ends && [NO_PREFERENCE + ends[0], NO_PREFERENCE + ends[1]],
      method: inference?.intervalMethod ?? 'none: fewer than two items',
    },
  }
}

type SideOptions = Pick<CompareOptions, 'scale'> & { hasBinaryScale: boolean }

async function estimateSide(values: readonly number[], groups: readonly string[] | undefined, options: SideOptions) {
  await yieldToEventLoop()
  if (!groups) return estimateMean(Float64Array.from(values), options)
  const { mean, ci, method } = estimateGroupedMean({ values: Float64Array.from(values), groups }, options)
  return { mean, ci, method }
}

/** By how much each item is better in the candidate. */
function gainsOf(values: ItemValues, { higherIsBetter, groupOf, scale }: CompareOptions, unit: number) {
  const direction = higherIsBetter ? 1 : -1
  return {
    values: values.differences({ unit, scale }).map((value) => (value === 0 ? 0 : direction * value)),
    groups: groupOf && values.itemIds.map(groupOf),
  }
}

/**
 * Missing values at the worst end of the scale in the candidate and at the best one in the baseline: the lower bound of
 * Horowitz, J. L. & Manski, C. F. (2000), Nonparametric analysis of randomized experiments with missing covariate and
 * outcome data, JASA 95, 77–84. Without a scale, the least and the greatest value of either run are used.
 */
function withWorst(values: ItemValues, incomplete: readonly IncompleteItem[], options: CompareOptions): ItemValues {
  const [low, high] = options.scale ?? rangeOf(values, incomplete)
  const [worst, best] = options.higherIsBetter ? [low, high] : [high, low]
  const filled = options.isPreference
    ? incomplete.map(({ itemId }) => ({ itemId, baseline: NO_PREFERENCE, candidate: worst }))
    : incomplete.map(({ itemId, baseline = best, candidate = worst }) => ({ itemId, baseline, candidate }))
  return values.with(filled)
}

function rangeOf(values: ItemValues, incomplete: readonly IncompleteItem[]): Interval {
  let [least, most] = [Infinity, -Infinity]
  const add = (value: number | undefined) => {
    if (value === undefined) return
    least = Math.min(least, value)
    most = Math.max(most, value)
  }
  values.baseline.forEach(add)
  values.candidate.forEach(add)
  for (const { baseline, candidate } of incomplete) {
    add(baseline)
    add(candidate)
  }
  return [least, most]
}

function countWins(gains: Float64Array) {
  let [wins, losses] = [0, 0]
  for (const gain of gains) {
    if (gain > 0) wins += 1
    else if (gain < 0) losses += 1
  }
  return { wins, ties: gains.length - wins - losses, losses }
}

function inferenceInUnit(inference: Inference, unit: number): Inference {
  if (unit === 1) return inference
  const ends = (interval: Interval | null): Interval | null =>
    interval && [inUnit(interval[0], unit), inUnit(interval[1], unit)]
  return {
    ...inference,
    gain: inUnit(inference.gain, unit),
    interval: (alpha) => ends(inference.interval(alpha)),
    marginInterval: (alpha) => ends(inference.marginInterval(alpha)),
  }
}

function powerInUnit({ detectableDifference, casesFor }: Power, unit: number): Power {
  return {
    detectableDifference: detectableDifference === null ? null : inUnit(detectableDifference, unit),
    casesFor: casesFor && { ...casesFor, difference: inUnit(casesFor.difference, unit) },
  }
}

function inUnit(value: number, unit: number): number {
  return Math.max(-Number.MAX_VALUE, Math.min(Number.MAX_VALUE, value / unit))
}
