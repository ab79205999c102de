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

/** `correct  1 → 0.5, -0.5 (95 % CI -0.62 to -0.36), 60 items, 30 turned to fail and 0 to pass: regressed` */
export function metricLine(metric: ReportMetric): string {
  const { name, baseline, candidate, difference, ci, items, toFail, toPass, verdict } = metric
  const means = baseline === null ? formatNumber(candidate) : `${formatNumber(baseline)} → ${formatNumber(candidate)}`
  const interval = ci ? ` (95 % CI ${ci.map(formatNumber).join(' to ')})` : ''
  const change = difference === null ? '' : `, ${difference > 0 ? '+' : ''}${formatNumber(difference)}`
  const turned = toFail === null ? '' : `, ${toFail} turned to fail and ${toPass} to pass`
  return `${name}  ${means}${change}${interval}, ${items} items${turned}${verdict === null ? '' : `: ${VERDICTS[verdict]}`}`
}

/** Three significant digits, never in exponents for values that people read. */
function formatNumber(value: number | null | undefined): string {
  if (value === null || value === undefined) return ''
  return String(Number(value.toPrecision(3)))
}
