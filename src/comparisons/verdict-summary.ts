/** ScoreColumns in words. Numbers are of candidate − baseline, but for "better by" and "worse by", which are amounts. */
import type { Interval } from '../statistics/interval.ts'
import type { Evidence, MetricScale } from './compare-metric.ts'
import type { Metric } from './compared-metrics.ts'
import { type Decision, ITEMS_MIN, MARGIN_ITEMS_MIN } from './verdict.ts'

export type MetricEvidence = Evidence & MetricScale & Pick<Metric, 'name' | 'isFromTraces'>

export type VerdictContext = {
  readonly decision: Decision
  readonly pAdjusted: number | null
  /** How many metrics p was corrected for. */
  readonly tested: number
  readonly candidateName: string
  readonly margin?: { readonly value: number; readonly isWithinMargin: boolean } | undefined
}

export function summaryOf(metric: MetricEvidence, context: VerdictContext): string {
  const { margin, decision } = context
  const verdict = verdictSummary(metric, context)
  if (!margin) return verdict
  const amount = formatNumber(margin.value)
  if (margin.isWithinMargin) return `${verdict} Not worse than the margin of ${amount}.`
  // An interval that is too wide may be above the margin as a whole: "may be worse" would contradict what is shown of it.
  if (decision.verdict === 'tooFewCases')
    return `${verdict} Whether it is worse by more than the margin of ${amount} cannot be told.`
  return metric.items < MARGIN_ITEMS_MIN
    ? `${verdict} At least ${MARGIN_ITEMS_MIN} items are needed to show that it is not worse than the margin of ${amount}.`
    : `${verdict} It may be worse by more than the margin of ${amount}.`
}

function verdictSummary(metric: MetricEvidence, context: VerdictContext): string {
  const { decision, candidateName } = context
  const { name, ci } = metric
  switch (decision.verdict) {
    case 'improved':
      return `${candidateName} ${betterPhrase(metric)} by ${formatAmount(metric)}.`
    case 'regressed':
      return `${candidateName} ${worsePhrase(metric)} by ${formatAmount(metric)}.`
    case 'tooFewCases':
      return decision.reason === 'few items'
        ? `Too few cases to tell about ${name}: ${formatItems(metric)} in both runs, and at least ${ITEMS_MIN} are needed.`
        : `Too few cases to tell about ${name} (${formatRange(metric)}): the interval is wider than half of the scale${sampleSizeHint(metric)}.`
    case 'noClearDifference':
      if (ci === null) return `No clear difference on ${name} (${formatItems(metric)}, no interval: nothing varies).`
      return `No clear difference on ${name} (${formatRange(metric)})${uncertaintyReason(context, decision.reason)}${sampleSizeHint(metric)}.`
  }
}

/** What people say of the metrics that every trace has. */
const TRACE_METRIC_PHRASES: Record<string, { better: string; worse: string; unit?: string }> = {
  error: { better: 'fails less often,', worse: 'fails more often,' },
  durationMs: { better: 'is faster', worse: 'is slower', unit: ' ms' },
  costUsd: { better: 'is cheaper', worse: 'is more expensive', unit: ' USD' },
  totalTokens: { better: 'uses fewer tokens,', worse: 'uses more tokens,' },
}

function betterPhrase(metric: MetricEvidence): string {
  return phrasesOf(metric)?.better ?? `is better on ${metric.name}`
}

function worsePhrase(metric: MetricEvidence): string {
  return phrasesOf(metric)?.worse ?? `is worse on ${metric.name}`
}

/** Not for an evaluator that happens to have such a name: nobody knows what it measures, and in which unit. */
function phrasesOf({ name, isFromTraces }: MetricEvidence) {
  return isFromTraces ? TRACE_METRIC_PHRASES[name] : undefined
}

function uncertaintyReason({ pAdjusted, tested }: VerdictContext, reason: string): string {
  const p = pAdjusted === null ? 'there is no test' : formatP(pAdjusted)
  if (reason === 'correction') return tested > 1 ? `: ${p} after correction for ${tested} metrics` : `: ${p}`
  if (reason === 'ranks only') return `: items shifted (${p}), but their mean may be the same`
  if (reason === 'opposite signs') return ': the mean and most of the items moved in opposite directions'
  return ''
}

/** What more items would show; or what these would have shown, if that is what was asked. */
function sampleSizeHint({ power, items, scale }: MetricEvidence): string {
  if (!power.casesFor) return ''
  const { difference, cases } = power.casesFor
  const change = formatWithDigits(difference, digitsFor(difference, scale))
  if (cases <= items) return `; these items would have shown a change of ${change}`
  return `; about ${roundedUp(cases)} items would show a change of ${change}`
}

/** `0.06 (95 % CI 0.02 to 0.10, 184 items)`: how much better or worse, as an amount above 0. */
function formatAmount(metric: MetricEvidence): string {
  const { difference, ci } = metric
  if (difference === null || ci === null) return formatItems(metric)
  const [low, high] = ci
  const isNegative = difference < 0
  const ends: Interval = isNegative ? [-high, -low] : [low, high]
  const digits = shownDigits(ends, metric.scale)
  const unit = phrasesOf(metric)?.unit ?? ''
  const amount = formatWithDigits(Math.abs(difference), digits)
  return `${amount}${unit} (95 % CI ${ends.map((end) => formatWithDigits(end, digits)).join(' to ')}, ${formatItems(metric)})`
}

/** `−0.01 to 0.05, 184 items` */
function formatRange(metric: MetricEvidence): string {
  if (metric.ci === null) return formatItems(metric)
  const digits = shownDigits(metric.ci, metric.scale)
  return `${metric.ci.map((end) => formatWithDigits(end, digits)).join(' to ')}, ${formatItems(metric)}`
}

function formatItems({ items, n }: Pick<Evidence, 'items' | 'n'>): string {
  const counted = `${items} ${items === 1 ? 'item' : 'items'}`
  return n === items ? counted : `${counted}, ${n} pairs`
}

const DIGITS_MAX = 12

/** Enough digits that an end which is not 0 is not shown as 0: that would turn the verdict around for its reader. */
function shownDigits(ends: Interval, scale: MetricScale['scale']): number {
  const digits = digitsFor((ends[1] - ends[0]) / 2, scale)
  const hidden = (end: number, places: number) => end !== 0 && Number(end.toFixed(places)) === 0
  let shown = digits
  while (shown < DIGITS_MAX && ends.some((end) => hidden(end, shown))) shown += 1
  return shown
}

const SMALL_SCALE = 10

/** One digit of the amount that matters; on small scales two decimals at least. */
function digitsFor(amount: number, scale: MetricScale['scale']): number {
  const least = scale !== null && scale[1] - scale[0] <= SMALL_SCALE ? 2 : 0
  if (!(amount > 0)) return least
  return Math.min(DIGITS_MAX, Math.max(least, -Math.floor(Math.log10(amount) + 1e-9)))
}

/** With a real minus sign, and never a negative 0. */
function formatWithDigits(value: number, digits: number): string {
  const text = value.toFixed(digits)
  return Number(text) === 0 ? text.replace('-', '') : text.replace('-', '−')
}

export function formatNumber(value: number): string {
  return String(value).replace('-', '−')
}

function formatP(p: number): string {
  return p < 0.001 ? 'p < 0.001' : `p = ${p.toFixed(p < 0.1 ? 3 : 2)}`
}

/** A number that is "about" has two digits that count. */
function roundedUp(cases: number): string {
  const step = 10 ** Math.max(0, Math.floor(Math.log10(cases)) - 1)
  return String(Math.ceil(cases / step) * step)
}
