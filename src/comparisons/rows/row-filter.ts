/**
 * Sorts the rows of a comparison into kinds, for one metric or for all quality metrics. Each row has exactly one kind, so
 * the counts add up to the number of rows.
 */
import type { Metric } from '../pairing/compared-metrics.ts'
import { alignRepetitions, isScored } from '../pairing/measure-pairs.ts'
import { changeOf, failedMetrics, type Row } from './comparison-rows.ts'

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
