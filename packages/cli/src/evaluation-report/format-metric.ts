import type { Outcome, ReportMetric } from './evaluation-report.ts'

export const OUTCOME_TITLES: Record<Outcome, string> = {
  passed: 'Gate passed',
  worse: 'Gate shut: worse',
  cannotDecide: 'Gate shut: cannot decide',
  noGate: 'Evaluated',
}

const VERDICT_WORDS: Record<string, string> = {
  improved: 'improved',
  regressed: 'regressed',
  equivalent: 'equivalent',
  noClearDifference: 'no clear difference',
  tooFewCases: 'too few cases',
}

/** A verdict of a newer server is shown as it is. */
export function verdictText(verdict: string): string {
  return VERDICT_WORDS[verdict] ?? verdict
}

export const METRIC_COLUMNS = [
  'metric',
  'baseline',
  'candidate',
  'change (95 % CI)',
  'items',
  'pass→fail',
  'fail→pass',
  'verdict',
]

export function metricCells(metric: ReportMetric): string[] {
  const { name, baseline, candidate, items, toFail, toPass, verdict } = metric
  const { change, ends } = changeOf(metric)
  const interval = ends ? ` (${ends})` : ''
  return [
    name,
    formatNumber(baseline),
    change === '' ? `${formatNumber(candidate)}${interval}` : formatNumber(candidate),
    change === '' ? '' : `${change}${interval}`,
    String(items),
    toFail === null ? '' : String(toFail),
    toPass === null ? '' : String(toPass),
    verdict === null ? '' : verdictText(verdict),
  ]
}

/** `correct  1 → 0.5, -0.5 (95 % CI -0.62 to -0.36), 60 items, 30 turned to fail and 0 to pass: regressed` */
export function metricLine(metric: ReportMetric): string {
  const { name, baseline, candidate, items, toFail, toPass, verdict } = metric
  const { change, ends } = changeOf(metric)
  const means = baseline === null ? formatNumber(candidate) : `${formatNumber(baseline)} → ${formatNumber(candidate)}`
  const interval = ends ? ` (95 % CI ${ends})` : ''
  const turned = toFail === null ? '' : `, ${toFail} turned to fail and ${toPass} to pass`
  return `${name}  ${means}${change === '' ? '' : `, ${change}`}${interval}, ${items} items${turned}${verdict === null ? '' : `: ${verdictText(verdict)}`}`
}

/** `-0.5` with the ends `-0.62 to -0.36`, or `1.40 ×` with `1.36 to 1.47`. The change is empty without a baseline. */
function changeOf({ difference, ci, ratio, ratioCi, correction }: ReportMetric): { change: string; ends: string } {
  if (ratio !== null) {
    const digits = ratioDigits(ratioCi ?? [])
    const format = (value: number) => value.toFixed(digits)
    return { change: `${format(ratio)} ×`, ends: endsOf(ratioCi, format, correction) }
  }
  const change = difference === null ? '' : `${difference > 0 ? '+' : ''}${formatNumber(difference)}`
  return { change, ends: endsOf(ci, formatNumber, correction) }
}

/** `-0.62 to -0.36, corrected for 4 metrics`: an interval that is corrected is wider than that of the metric alone. */
function endsOf(ci: readonly number[] | null, format: (end: number) => string, correction: string | null): string {
  if (ci === null) return ''
  return [ci.map(format).join(' to '), ...(correction === null ? [] : [correction])].join(', ')
}

const RATIO_DIGITS_MAX = 6

/** Two, or as many as show that an end is not 1, which would contradict the verdict. */
function ratioDigits(ends: readonly number[]): number {
  const isHidden = (end: number, digits: number) => end !== 1 && Number(end.toFixed(digits)) === 1
  let digits = 2
  while (digits < RATIO_DIGITS_MAX && ends.some((end) => isHidden(end, digits))) digits += 1
  return digits
}

/** Three significant digits, never in exponents for values that people read. */
function formatNumber(value: number | null | undefined): string {
  if (value === null || value === undefined) return ''
  return String(Number(value.toPrecision(3)))
}
