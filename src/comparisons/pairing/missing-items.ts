/**
 * Finds the items that cannot be compared on a metric because a run has no value for them: it has no trace of the item,
 * the trace has no output, or the evaluator failed. A candidate that answers only the easy questions would otherwise
 * look better than one that answers all of them.
 *
 * An item that has no value in either run is not counted unless the evaluator failed: the metric does not apply to it,
 * for example because nothing is expected of it. People rate a sample: an item that was answered and not rated is not
 * counted either.
 */
import { pauseEvery } from '../../base/event-loop.ts'
import { type Measurement, measurementsOf } from '../../scores/evaluator-scores.ts'
import type { Interval } from '../../statistics/interval.ts'
import type { Column, Metric } from './compared-metrics.ts'
import type { ValuePairs } from './measure-pairs.ts'
import type { PairedItems, RunCase } from './pair-items.ts'

export type MissingItems = {
  /** Items that have a value in at least one run, or an evaluator that failed. */
  readonly items: number
  /** Items without a value in at least one run. */
  readonly incomplete: number
  /** Items without a value in this run. */
  readonly baseline: number
  readonly candidate: number
  /** Incomplete items of which an evaluator failed. */
  readonly failed: number
  /**
   * The interval of the difference if all items counted: its lower end with the missing values at the end of the scale
   * that makes the difference smallest, its upper end with the opposite. Without a scale, the least and the greatest
   * value of either run are used. Null if nothing is missing, or without values.
   */
  readonly ci: Interval | null
}

const ITEMS_PER_SLICE = 2_500

type IntervalOf = (pairs: ValuePairs) => Promise<Interval | null>

/** `intervalOf` computes the interval of the difference of these pairs. */
export async function findMissingItems(
  { metric, paired, values, missing }: { metric: Metric; paired: PairedItems; values: ValuePairs; missing: number },
  intervalOf: IntervalOf,
): Promise<MissingItems> {
  const hasUnpaired = [...paired.onlyBaseline, ...paired.onlyCandidate].some(({ itemId }) => itemId !== null)
  if (!hasUnpaired && missing === 0) return { ...NONE_MISSING, items: values.countItems() }
  const known = await readItems(metric, paired)
  const counts = { items: 0, incomplete: 0, baseline: 0, candidate: 0, failed: 0 }
  const incomplete: IncompleteItem[] = []
  for (const [itemId, { baseline, candidate }] of known) {
    const state = stateOf(baseline, candidate)
    if (state === 'not counted') continue
    counts.items += 1
    if (state === 'complete') continue
    counts.incomplete += 1
    if (baseline.count === 0) counts.baseline += 1
    if (candidate.count === 0) counts.candidate += 1
    if (baseline.hasFailed || candidate.hasFailed) counts.failed += 1
    incomplete.push({ itemId, baseline: boundedMean(baseline), candidate: boundedMean(candidate) })
  }
  if (incomplete.length === 0 || values.length === 0) return { ...counts, ci: null }
  return { ...counts, ci: await boundedInterval({ scale: metric.scale, values, incomplete }, intervalOf) }
}

const NONE_MISSING = { incomplete: 0, baseline: 0, candidate: 0, failed: 0, ci: null }

type IncompleteItem = { itemId: string; baseline: number | undefined; candidate: number | undefined }

/** The values of one item in one run. */
type SideOfItem = { sum: number; count: number; hasFailed: boolean; isUnrated: boolean }
type ItemValues = { baseline: SideOfItem; candidate: SideOfItem }

async function readItems(
  metric: Metric,
  { pairs, onlyBaseline, onlyCandidate }: PairedItems,
): Promise<Map<string, ItemValues>> {
  const known = new Map<string, ItemValues>()
  const pause = pauseEvery(ITEMS_PER_SLICE)
  const add = (side: 'baseline' | 'candidate', one: RunCase) => {
    if (one.itemId === null) return
    let item = known.get(one.itemId)
    if (!item) {
      item = { baseline: emptySide(), candidate: emptySide() }
      known.set(one.itemId, item)
    }
    addCase(item[side], metric[side], one, metric.isSampled)
  }
  for (const { baseline, candidate } of pairs) {
    add('baseline', baseline)
    add('candidate', candidate)
    const yielded = pause()
    if (yielded) await yielded
  }
  for (const one of onlyBaseline) add('baseline', one)
  for (const one of onlyCandidate) add('candidate', one)
  return known
}

function emptySide(): SideOfItem {
  return { sum: 0, count: 0, hasFailed: false, isUnrated: false }
}

function addCase(side: SideOfItem, column: Column, one: RunCase, isSampled: boolean): void {
  const only = column.only(one)
  if (!Number.isNaN(only)) {
    side.sum += only
    side.count += 1
    return
  }
  const measurements = measurementsOf(column.all(one))
  for (const { state, score } of measurements) {
    if (state === 'failed') side.hasFailed = true
    else if (score !== null) {
      side.sum += score
      side.count += 1
    }
  }
  const isAnswered = one.trace !== null && !one.trace.isError
  if (isSampled && isAnswered && !measurements.some(isScored)) side.isUnrated = true
}

function isScored({ state, score }: Measurement): boolean {
  return state === 'scored' && score !== null
}

function stateOf(baseline: SideOfItem, candidate: SideOfItem): 'complete' | 'incomplete' | 'not counted' {
  if (baseline.count > 0 && candidate.count > 0) return 'complete'
  const isUnrated = [baseline, candidate].some((side) => side.count === 0 && side.isUnrated)
  if (isUnrated) return 'not counted'
  const isApplicable = baseline.count > 0 || candidate.count > 0 || baseline.hasFailed || candidate.hasFailed
  return isApplicable ? 'incomplete' : 'not counted'
}

/** Finite: the sum of two values near the greatest double is not. */
function boundedMean({ sum, count }: SideOfItem): number | undefined {
  return count === 0 ? undefined : Math.max(-Number.MAX_VALUE, Math.min(Number.MAX_VALUE, sum / count))
}

/**
 * Computes the interval twice, with the missing values filled in both ways: the bounds of Horowitz, J. L. & Manski, C.
 * F. (2000), Nonparametric analysis of randomized experiments with missing covariate and outcome data, JASA 95, 77–84,
 * with the sampling error of either bound.
 */
export async function boundedInterval(
  { scale, values, incomplete }: Pick<Metric, 'scale'> & { values: ValuePairs; incomplete: readonly IncompleteItem[] },
  intervalOf: IntervalOf,
): Promise<Interval | null> {
  const [low, high] = scale ?? values.range(incomplete)
  const filled = (baseline: number, candidate: number) =>
    values.withItems(
      incomplete.map((item) => ({
        itemId: item.itemId,
        baseline: item.baseline ?? baseline,
        candidate: item.candidate ?? candidate,
      })),
    )
  const least = await intervalOf(filled(high, low))
  const greatest = await intervalOf(filled(low, high))
  return least && greatest ? [least[0], greatest[1]] : null
}
