import type { Outcome, ReportMetric } from './evaluation-report.ts'

export const OUTCOME_TITLES: Record<Outcome, string> = {
  passed: 'Gate passed',
  worse: 'Gate shut: worse',
  cannotTell: 'Gate shut: cannot tell',
  noGate: 'Evaluated',
}

const VERDICTS = {
  improved: 'improved',
  regressed: 'regressed',
  noClearDifference: 'no clear difference',
  tooFewCases: 'too few cases',
}

export const METRIC_COLUMNS = [
  'metric',
  'baseline',
  'candidate',
  'difference (95 % CI)',
  'items',
  'pass→fail',
  'fail→pass',
  'verdict',
]

export function metricCells(metric: ReportMetric): string[] {
  const { name, baseline, candidate, difference, ci, items, toFail, toPass, verdict } = metric
  const interval = ci ? ` (${ci.map(formatNumber).join(' to ')})` : ''
  return [
    name,
    formatNumber(baseline),
    difference === null ? `${formatNumber(candidate)}${interval}` : formatNumber(candidate),
    difference === null ? '' : `${difference > 0 ? '+' : ''}${formatNumber(difference)}${interval}`,
    String(items),
    toFail === null ? '' : String(toFail),
    toPass === null ? '' : String(toPass),
    verdict === null ? '' : VERDICTS[verdict],
  ]
}

/** Three significant digits, never in exponents for values that people read. */
function formatNumber(value: number | null | undefined): string {
  if (value === null || value === undefined) return ''
  return String(Number(value.toPrecision(3)))
}
