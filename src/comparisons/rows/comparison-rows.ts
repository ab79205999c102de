/**
 * The rows of a comparison. Regressions come first, sorted by the greatest loss on a quality metric relative to its
 * scale. Then follow items that only one run has, then improvements, greatest first, then unchanged items. The order is
 * total, so that pages are consistent.
 */

import { type Measurement, measurementsOf } from '../../scores/evaluator-scores.ts'
import type { Metric } from '../pairing/compared-metrics.ts'
import { alignRepetitions, isScored } from '../pairing/measure-items.ts'
import { compareText, type PairedItems, type RunCase } from '../pairing/pair-items.ts'

export type ComparisonRow = {
  itemId: string | null
  /** The id of the trace, or its reference if the trace has not arrived. Null if the run has no trace for the item. */
  baselineTraceId: string | null
  candidateTraceId: string | null
  /** Evaluators that failed in at least one of the two runs. */
  failed: string[]
  scores: RowScore[]
}

/** Contains the label if there is no score. */
type RowScore = {
  name: string
  repetition: number
  baseline: number | string | null
  candidate: number | string | null
  delta: number | null
}

export type Row = {
  itemId: string | null
  /** The number of the pair among those of its item, from 1. Null if it is no pair. */
  repetition: number | null
  baseline: RunCase | undefined
  candidate: RunCase | undefined
  group: number
  amount: number
}

/** `gains` contains, for each quality metric, the improvement of each pair in the order of the pairs. */
export function orderRows(
  { pairs, onlyBaseline, onlyCandidate }: PairedItems,
  gains: readonly Float64Array[],
): readonly Row[] {
  let repetition = 0
  const rows: Row[] = pairs.map(({ itemId, baseline, candidate }, index) => {
    // The pairs of an item are adjacent.
    repetition = pairs[index - 1]?.itemId === itemId ? repetition + 1 : 1
    let [worst, best] = [0, 0]
    for (const ofMetric of gains) {
      const gain = ofMetric[index] ?? 0
      worst = Math.min(worst, gain)
      best = Math.max(best, gain)
    }
    const group = worst < 0 ? WORSE : best > 0 ? BETTER : SAME
    return { itemId, repetition, baseline, candidate, group, amount: group === WORSE ? -worst : best }
  })
  const unpaired = { repetition: null, group: UNPAIRED, amount: 0 }
  for (const one of onlyBaseline) rows.push({ itemId: one.itemId, baseline: one, candidate: undefined, ...unpaired })
  for (const one of onlyCandidate) rows.push({ itemId: one.itemId, baseline: undefined, candidate: one, ...unpaired })
  return rows.sort(compareRows)
}

const [WORSE, UNPAIRED, BETTER, SAME] = [0, 1, 2, 3]

/** How a pair changed on the metrics that the rows are ordered by; undefined if it did not, or is no pair. */
function changeOf({ group }: Row): 'regressed' | 'improved' | undefined {
  if (group === WORSE) return 'regressed'
  return group === BETTER ? 'improved' : undefined
}

function compareRows(a: Row, b: Row): number {
  return (
    a.group - b.group ||
    b.amount - a.amount ||
    compareText(a.itemId ?? '', b.itemId ?? '') ||
    compareText(a.baseline?.ref ?? '', b.baseline?.ref ?? '') ||
    compareText(a.candidate?.ref ?? '', b.candidate?.ref ?? '')
  )
}

export function toComparisonRows(rows: readonly Row[], metrics: readonly Metric[]): ComparisonRow[] {
  return rows.map((row) => ({
    itemId: row.itemId,
    baselineTraceId: traceIdOf(row.baseline),
    candidateTraceId: traceIdOf(row.candidate),
    failed: failedMetrics(row, metrics),
    scores: metrics.flatMap((metric) => scoresOf(row, metric)),
  }))
}

/** The number of rows with a failure in either run. */
export function countFailed(rows: readonly Row[], metrics: readonly Metric[]): number {
  const failing = metrics.filter(({ hasFailed }) => hasFailed)
  return failing.length === 0 ? 0 : rows.filter((row) => failedMetrics(row, failing).length > 0).length
}

function traceIdOf(one: RunCase | undefined): string | null {
  return one === undefined ? null : (one.traceDbId ?? one.ref)
}

function failedMetrics({ baseline, candidate }: Row, metrics: readonly Metric[]): string[] {
  const hasFailed = ({ state }: Measurement) => state === 'failed'
  return metrics
    .filter(
      (metric) =>
        (baseline !== undefined && measurementsOf(metric.baseline.all(baseline)).some(hasFailed)) ||
        (candidate !== undefined && measurementsOf(metric.candidate.all(candidate)).some(hasFailed)),
    )
    .map(({ name }) => name)
}

function scoresOf({ baseline, candidate }: Row, metric: Metric): RowScore[] {
  const measured = alignRepetitions(
    baseline && metric.baseline.all(baseline),
    candidate && metric.candidate.all(candidate),
  )
  return measured.map(({ before, after }) => ({
    name: metric.name,
    repetition: before?.repetition ?? after?.repetition ?? 1,
    baseline: before?.score ?? before?.label ?? null,
    candidate: after?.score ?? after?.label ?? null,
    delta: deltaOf(before?.score, after?.score),
  }))
}

function deltaOf(before: number | null | undefined, after: number | null | undefined): number | null {
  return typeof before === 'number' && typeof after === 'number' ? after - before : null
}

/**
 * Sorts the rows of a comparison into kinds, for one metric or for all quality metrics. Each row has exactly one kind, so
 * the counts add up to the number of rows.
 */
export const ROW_FILTERS = [
  'regressed',
  'improved',
  'tie',
  'only_baseline',
  'only_candidate',
  'failed',
  'not_measured',
] as const

export type RowFilter = (typeof ROW_FILTERS)[number]

export type RowCounts = Record<RowFilter, number>

type RowQuery = { metrics: readonly Metric[]; filter?: RowFilter | undefined; itemId?: string | undefined }

/** The rows of the kind and item, or all, and how many rows of each kind there are. `rows` must be ordered by the same metrics. */
export function filterRows(
  rows: readonly Row[],
  { metrics, filter, itemId }: RowQuery,
): { rows: readonly Row[]; counts: RowCounts } {
  const counts: RowCounts = {
    regressed: 0,
    improved: 0,
    tie: 0,
    only_baseline: 0,
    only_candidate: 0,
    failed: 0,
    not_measured: 0,
  }
  const failing = metrics.filter(({ hasFailed }) => hasFailed)
  const selected = rows.filter((row) => {
    const kind = kindOf(row, metrics, failing)
    counts[kind] += 1
    return (filter === undefined || kind === filter) && (itemId === undefined || row.itemId === itemId)
  })
  return { rows: selected, counts }
}

/** A difference that was measured counts, even if another repetition failed. */
function kindOf(row: Row, metrics: readonly Metric[], failing: readonly Metric[]): RowFilter {
  if (!row.baseline) return 'only_candidate'
  if (!row.candidate) return 'only_baseline'
  const change = changeOf(row)
  if (change) return change
  if (failing.length > 0 && failedMetrics(row, failing).length > 0) return 'failed'
  return metrics.some((metric) => isMeasured(row, metric)) ? 'tie' : 'not_measured'
}

function isMeasured({ baseline, candidate }: Row, metric: Metric): boolean {
  if (!baseline || !candidate) return false
  if (!Number.isNaN(metric.baseline.only(baseline)) && !Number.isNaN(metric.candidate.only(candidate))) return true
  const repetitions = alignRepetitions(metric.baseline.all(baseline), metric.candidate.all(candidate))
  return repetitions.some(({ before, after }) => isScored(before) && isScored(after))
}
