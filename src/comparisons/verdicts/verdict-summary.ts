/**
 * Verdicts as text. Numbers refer to candidate − baseline, except for "better by" and "worse by", which are absolute
 * amounts.
 */

import { formatFixed, type Interval } from '../../statistics/interval.ts'
import type { Evidence, MetricScale } from '../evidence/evidence.ts'
import type { Metric } from '../pairing/compared-metrics.ts'
import type { MissingItems } from '../pairing/missing-items.ts'
import { type Decision, GROUPS_MIN, ITEMS_MIN, independentUnits, MARGIN_ITEMS_MIN } from './verdict.ts'

export type MetricEvidence = Evidence &
  MetricScale &
  Pick<Metric, 'name' | 'isFromTraces' | 'measuredAs'> & { readonly missingItems: MissingItems }

export type VerdictContext = {
  readonly decision: Decision
  readonly pAdjusted: number | null
  /** The number of metrics that p was corrected for. */
  readonly tested: number
  readonly names: RunNames
  readonly margin?: { readonly value: number; readonly isWithinMargin: boolean } | undefined
}

/** The names of the two runs in summaries. */
export type RunNames = { readonly baseline: string; readonly candidate: string }

export function summaryOf(metric: MetricEvidence, context: VerdictContext): string {
  const missing = missingSummary(metric, context.names)
  return missing === null ? decisionSummary(metric, context) : `${decisionSummary(metric, context)} ${missing}.`
}

/** `90 of 200 items have no answer in v2`, or null if all items have a value in both runs. */
export function missingSummary(
  { name, isFromTraces, missingItems }: Pick<MetricEvidence, 'name' | 'isFromTraces' | 'missingItems'>,
  names: RunNames,
): string | null {
  const { items, incomplete, baseline, candidate, failed } = missingItems
  if (incomplete === 0) return null
  const what = isFromTraces && name !== 'error' ? `no ${name}` : 'no answer'
  const ofRun = (count: number, run: string) =>
    count === 0 ? [] : [`${count} of ${items} items ${count === 1 ? 'has' : 'have'} ${what} in ${run}`]
  const because = failed === 0 ? '' : ` (the evaluator failed on ${failed})`
  return [...ofRun(candidate, names.candidate), ...ofRun(baseline, names.baseline)].join(' and ') + because
}

function decisionSummary(metric: MetricEvidence, context: VerdictContext): string {
  const { margin, decision } = context
  const verdict = verdictSummary(metric, context)
  if (!margin) return verdict
  const amount = formatNumber(margin.value)
  if (margin.isWithinMargin) return `${verdict} Not worse than the margin of ${amount}${unseenCaveat(metric)}.`
  // An interval that is too wide may be above the margin as a whole. "May be worse" would then contradict the displayed
  // interval.
  if (decision.verdict === 'tooFewCases')
    return `${verdict} Whether it is worse by more than the margin of ${amount} cannot be determined.`
  const units = metric.groups == null ? 'items' : 'groups'
  return independentUnits(metric) < MARGIN_ITEMS_MIN
    ? `${verdict} At least ${MARGIN_ITEMS_MIN} ${units} are needed to show that it is not worse than the margin of ${amount}.`
    : `${verdict} It may be worse by more than the margin of ${amount}.`
}

function verdictSummary(metric: MetricEvidence, context: VerdictContext): string {
  const { decision, names } = context
  const { ci } = metric
  const name = shownName(metric)
  switch (decision.verdict) {
    case 'improved':
      return `${names.candidate} ${betterPhrase(metric)} by ${formatAmount(metric)}${unseenCaveat(metric)}.`
    case 'regressed':
      return `${names.candidate} ${worsePhrase(metric)} by ${formatAmount(metric)}.`
    case 'tooFewCases':
      if (decision.reason === 'few groups')
        return `Too few cases to decide on ${name}: ${formatItems(metric)}, and at least ${GROUPS_MIN} groups are needed.`
      return decision.reason === 'few items'
        ? `Too few cases to decide on ${name}: ${formatItems(metric)} in both runs, and at least ${ITEMS_MIN} are needed.`
        : `Too few cases to decide on ${name} (${formatRange(metric)}): the interval is wider than half of the scale${sampleSizeHint(metric)}.`
    case 'noClearDifference':
      if (ci === null) return `No clear difference on ${name} (${formatItems(metric)}, no interval: nothing varies).`
      return `No clear difference on ${name} (${formatRange(metric)})${uncertaintyReason(metric, context, decision.reason)}${sampleSizeHint(metric)}.`
  }
}

/** Phrases for the metrics that every trace has. */
const TRACE_METRIC_PHRASES: Record<string, { better: string; worse: string; unit?: string }> = {
  error: { better: 'fails less often,', worse: 'fails more often,' },
  durationMs: { better: 'is faster', worse: 'is slower', unit: ' ms' },
  costUsd: { better: 'is cheaper', worse: 'is more expensive', unit: ' USD' },
  totalTokens: { better: 'uses fewer tokens,', worse: 'uses more tokens,' },
}

/** `f1 (share of correct labels, not F1)` where the name alone would mislead. */
function shownName({ name, measuredAs }: Pick<MetricEvidence, 'name' | 'measuredAs'>): string {
  return measuredAs === null ? name : `${name} (${measuredAs})`
}

/**
 * Names the losses that could be unseen where no item became worse. With some losses in the sample, the interval has
 * their size.
 */
function unseenCaveat({ losses, unseen }: MetricEvidence): string {
  if (losses > 0 || unseen === null) return ''
  return `; no item became worse, but losses in up to ${formatShare(unseen.share)} of all items could be unseen`
}

function formatShare(share: number): string {
  return `${(100 * share).toFixed(share < 0.1 ? 1 : 0)} %`
}

function betterPhrase(metric: MetricEvidence): string {
  return phrasesOf(metric)?.better ?? `is better on ${shownName(metric)}`
}

function worsePhrase(metric: MetricEvidence): string {
  return phrasesOf(metric)?.worse ?? `is worse on ${shownName(metric)}`
}

/** Does not apply to an evaluator of the same name, because its meaning and unit are unknown. */
function phrasesOf({ name, isFromTraces }: MetricEvidence) {
  return isFromTraces ? TRACE_METRIC_PHRASES[name] : undefined
}

function uncertaintyReason(metric: MetricEvidence, { pAdjusted, tested }: VerdictContext, reason: string): string {
  const p = pAdjusted === null ? 'there is no test' : formatP(pAdjusted)
  if (reason === 'correction') return tested > 1 ? `: ${p} after correction for ${tested} metrics` : `: ${p}`
  if (reason === 'ranks only') return `: items shifted (${p}), but their mean may be the same`
  if (reason === 'opposite signs') return ': the mean and most of the items moved in opposite directions'
  if (reason === 'unseen items') return unseenReason(metric)
  if (reason === 'missing items') return ': the items that only one run has could cancel the gain'
  return ''
}

function unseenReason({ difference, higherIsBetter, unseen }: MetricEvidence): string {
  if (unseen === null) return ''
  const word = (difference ?? 0) > 0 === higherIsBetter ? 'losses' : 'gains'
  return `: ${word} in up to ${formatShare(unseen.share)} of all items could be unseen and as large`
}

/** The difference that more items would detect, or that these items would have detected if a margin is set. */
function sampleSizeHint({ power, items, scale }: MetricEvidence): string {
  if (!power.casesFor) return ''
  const { difference, cases } = power.casesFor
  const change = formatFixed(difference, digitsFor(difference, scale))
  if (cases <= items) return `; these items would have shown a change of ${change}`
  return `; about ${roundedUp(cases)} items would show a change of ${change}`
}

/** `0.06 (95 % CI 0.02 to 0.10, 184 items)`: the improvement or regression as a positive amount. */
function formatAmount(metric: MetricEvidence): string {
  const { difference, ci } = metric
  if (difference === null || ci === null) return formatItems(metric)
  const [low, high] = ci
  const isNegative = difference < 0
  const ends: Interval = isNegative ? [-high, -low] : [low, high]
  const digits = shownDigits(ends, metric.scale)
  const unit = phrasesOf(metric)?.unit ?? ''
  const amount = formatFixed(Math.abs(difference), digits)
  return `${amount}${unit} (95 % CI ${ends.map((end) => formatFixed(end, digits)).join(' to ')}, ${formatItems(metric)})`
}

/** `−0.01 to 0.05, 184 items` */
function formatRange(metric: MetricEvidence): string {
  if (metric.ci === null) return formatItems(metric)
  return `${formatInterval(metric.ci, metric.scale)}, ${formatItems(metric)}`
}

/** `−0.01 to 0.05` */
export function formatInterval(ci: Interval, scale: MetricScale['scale']): string {
  const digits = shownDigits(ci, scale)
  return ci.map((end) => formatFixed(end, digits)).join(' to ')
}

function formatItems({ items, n, groups }: Pick<Evidence, 'items' | 'n' | 'groups'>): string {
  const grouped = groups == null ? '' : ` in ${groups} ${groups === 1 ? 'group' : 'groups'}`
  const counted = `${items} ${items === 1 ? 'item' : 'items'}${grouped}`
  return n === items ? counted : `${counted}, ${n} pairs`
}

const DIGITS_MAX = 12

/** Uses enough digits that a limit other than 0 is not displayed as 0, which would contradict the verdict. */
function shownDigits(ends: Interval, scale: MetricScale['scale']): number {
  const digits = digitsFor((ends[1] - ends[0]) / 2, scale)
  const hidden = (end: number, places: number) => end !== 0 && Number(end.toFixed(places)) === 0
  let shown = digits
  while (shown < DIGITS_MAX && ends.some((end) => hidden(end, shown))) shown += 1
  return shown
}

const SMALL_SCALE = 10

/** One significant digit, and at least two decimals on small scales. */
function digitsFor(amount: number, scale: MetricScale['scale']): number {
  const least = scale !== null && scale[1] - scale[0] <= SMALL_SCALE ? 2 : 0
  if (!(amount > 0)) return least
  return Math.min(DIGITS_MAX, Math.max(least, -Math.floor(Math.log10(amount) + 1e-9)))
}

export function formatNumber(value: number): string {
  return String(value).replace('-', '−')
}

function formatP(p: number): string {
  return p < 0.001 ? 'p < 0.001' : `p = ${p.toFixed(p < 0.1 ? 3 : 2)}`
}

/** Rounds up to two significant digits. */
function roundedUp(cases: number): string {
  const step = 10 ** Math.max(0, Math.floor(Math.log10(cases)) - 1)
  return String(Math.ceil(cases / step) * step)
}
