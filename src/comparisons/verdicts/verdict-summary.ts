/**
 * Verdicts as text. Numbers refer to candidate − baseline, except for "better by" and "worse by", which are absolute
 * amounts.
 */

import { formatFixed, type Interval } from '../../statistics/interval.ts'
import { unseenShare } from '../../statistics/power.ts'
import { DIFFERING_MIN } from '../evidence/comparison-power.ts'
import { type Evidence, type MetricScale, NO_PREFERENCE } from '../evidence/evidence.ts'
import type { Metric } from '../pairing/compared-metrics.ts'
import type { MissingCounts, OrderFlips } from '../pairing/measure-items.ts'
import { gateItems, neededItems } from './gate-items.ts'
import {
  type Decision,
  formatItems,
  GROUPS_MIN,
  ITEMS_MIN,
  independentUnits,
  MARGIN_ITEMS_MIN,
  type Verdict,
} from './verdict.ts'

/** What is shown of a metric: the interval of the difference, or of the ratio. */
export type ShownMetric = Pick<
  Evidence,
  'items' | 'groups' | 'difference' | 'totalRatio' | 'withoutRatio' | 'wins' | 'losses' | 'power'
> &
  MetricScale &
  Pick<Metric, 'name' | 'isFromTraces' | 'measuredAs'> & {
    readonly isBinary: boolean
    readonly ci: Interval | null
    readonly ratio: number | null
    readonly ratioCi: Interval | null
    readonly marginCi: Interval | null
    readonly missingItems: MissingCounts
    readonly orderFlips: OrderFlips | null
  }

export type VerdictContext = {
  readonly decision: Decision
  /** The p-value alone, and corrected for all metrics. */
  readonly p: number | null
  readonly pAdjusted: number | null
  /** `corrected for 4 metrics`; null if it was not corrected. */
  readonly correction: string | null
  readonly names: RunNames
  /** Undefined if there is none, or if it cannot be one of this metric. */
  readonly margin?: number | undefined
  /** Decided as one of any number of looks: how many items that needs is not known. */
  readonly isSequential: boolean
}

/** The names of the two runs within a sentence. */
export type RunNames = { readonly baseline: string; readonly candidate: string }

export const UNNAMED: RunNames = { baseline: 'the baseline', candidate: 'the candidate' }

/** At the beginning of a sentence. */
function subjectOf({ candidate }: RunNames): string {
  return candidate === UNNAMED.candidate ? 'The candidate' : candidate
}

export function summaryOf(metric: ShownMetric, context: VerdictContext): string {
  const missing = missingSummary(metric, context.names)
  const summary = `${decisionSummary(metric, context)}${orderSummary(metric)}`
  return missing === null ? summary : `${summary} ${missing}.`
}

function orderSummary({ orderFlips }: ShownMetric): string {
  if (!orderFlips?.count) return ''
  return ` The judge changed its choice with the order of the answers in ${orderFlips.count} of ${orderFlips.n} comparisons.`
}

/** `90 of 200 items have no answer in v2`, or null if all items have a value in both runs. */
export function missingSummary(
  {
    name,
    isFromTraces,
    missingItems,
    withoutRatio = 0,
  }: Pick<ShownMetric, 'name' | 'isFromTraces' | 'missingItems'> & { withoutRatio?: number },
  names: RunNames,
): string | null {
  const { items, incomplete, baseline, candidate, failed, neither } = missingItems
  const what = isFromTraces && name !== 'error' ? `no ${name}` : 'no answer'
  const of = (count: number, where: string) =>
    count === 0 ? [] : [`${count} of ${items} items ${count === 1 ? 'has' : 'have'} ${what} in ${where}`]
  const parts = [
    ...of(candidate - neither, names.candidate),
    ...of(baseline - neither, names.baseline),
    ...of(neither, 'either run'),
  ]
  if (withoutRatio > 0)
    parts.push(`${withoutRatio} ${withoutRatio === 1 ? 'item is' : 'items are'} 0 in one of the runs`)
  if (parts.length === 0) return null
  return parts.join(' and ') + (failed === 0 || incomplete === 0 ? '' : ` (the evaluator failed on ${failed})`)
}

function decisionSummary(metric: ShownMetric, context: VerdictContext): string {
  const { margin, decision } = context
  const { verdict } = decision
  const summary = verdictSummary(metric, context)
  return margin === undefined || verdict === 'equivalent'
    ? summary
    : `${summary} ${marginSummary({ ...metric, verdict, ...context }, margin)}`
}

type Margined = Pick<
  ShownMetric,
  'name' | 'items' | 'scale' | 'higherIsBetter' | 'totalRatio' | 'wins' | 'losses' | 'power' | 'difference'
> & {
  readonly groups?: number | null | undefined
  readonly marginCi: Interval | null
  readonly ratio: number | null
  readonly verdict: Verdict
  readonly isSequential: boolean
}

/** What a margin is compared with, and what would decide it. The same in the summary of a metric and in that of its gate. */
export function marginSummary(metric: Margined, margin: number): string {
  const { name, marginCi, totalRatio, verdict, isSequential } = metric
  const isRatio = metric.ratio !== null
  const amount = `the margin of ${formatMargin({ isRatio }, margin)}`
  const units = metric.groups == null ? 'items' : 'groups'
  if (independentUnits(metric) < MARGIN_ITEMS_MIN)
    return `At least ${MARGIN_ITEMS_MIN} ${units} are needed to compare ${name} with ${amount}.`
  if (marginCi === null) return `${name} has no interval that could be compared with ${amount}.`
  const [least, most] = lossesIn(marginCi, metric)
  const digits = isRatio ? 2 : digitsThatShow([least, most], margin, digitsFor((most - least) / 2, metric.scale))
  const shown = (loss: number) => `${formatFixed(loss, digits)}${isRatio ? ' ×' : ''}`
  const counted = formatItems({ items: metric.items, groups: metric.groups ?? undefined })
  if (isMarginKept(metric, margin))
    return `${name} is not worse by more than ${amount} (${most > (isRatio ? 1 : 0) ? `${shown(most)} at most` : 'it is better'}, ${counted}).`
  if (most < margin && totalRatio !== null)
    return `A typical item of ${name} keeps ${amount}, and the total does not (${shown(totalRatio)}, ${counted}).`
  if (least > margin) return `${name} is worse by more than ${amount} (${shown(least)} at least, ${counted}).`
  const needed = verdict === 'regressed' || isSequential ? null : gateItems(metric, margin)
  return `${name} may be worse by more than ${amount} (${shown(most)} at most, ${counted}).${needed === null ? '' : ` ${neededItems(needed)}`}`
}

/** Of a ratio, the total must keep the margin, too: it is what is paid. */
export function isMarginKept(metric: Omit<Margined, 'name' | 'verdict' | 'isSequential'>, margin: number): boolean {
  const { marginCi, totalRatio, ratio, higherIsBetter } = metric
  if (marginCi === null || lossesIn(marginCi, metric)[1] >= margin) return false
  if (ratio === null || totalRatio === null) return true
  return (higherIsBetter ? 1 / totalRatio : totalRatio) < margin
}

/** From the smallest to the greatest plausible loss, in the unit of a margin. */
function lossesIn(
  [low, high]: Interval,
  { higherIsBetter, ratio }: Pick<Margined, 'higherIsBetter' | 'ratio'>,
): Interval {
  if (!higherIsBetter) return [low, high]
  return ratio === null ? [-high, -low] : [1 / high, 1 / low]
}

export function formatMargin({ isRatio }: Pick<MetricScale, 'isRatio'>, margin: number): string {
  return isRatio ? `${formatNumber(margin)} ×` : formatNumber(margin)
}

function verdictSummary(metric: ShownMetric, context: VerdictContext): string {
  const { decision, names, margin = 0 } = context
  const [name, subject] = [shownName(metric), subjectOf(names)]
  switch (decision.verdict) {
    case 'improved':
      return `${subject} ${changePhrase(metric, 'better', context)}${unseenCaveat(metric)}.`
    case 'regressed':
      return `${subject} ${changePhrase(metric, 'worse', context)}.`
    case 'equivalent': {
      const amount = formatMargin(metric, margin)
      if (decision.direction === 0)
        return `${subject} is equivalent to ${names.baseline} on ${name}: the difference is less than the margin of ${amount} (${formatRange(metric, context.correction)}).`
      const phrase = changePhrase(metric, decision.direction > 0 ? 'better' : 'worse', context)
      return `${subject} ${phrase}, which is less than the margin of ${amount}.`
    }
    case 'tooFewCases': {
      const compared = `Too few cases to compare ${names.candidate} with ${names.baseline} on ${name}: ${formatItems(metric)}`
      if (decision.reason === 'few groups') return `${compared}, and at least ${GROUPS_MIN} groups are needed.`
      return `${compared} in both runs, and at least ${ITEMS_MIN} are needed.`
    }
    case 'noClearDifference':
      return `No clear difference between ${names.candidate} and ${names.baseline} on ${name} (${formatRange(metric, context.correction)})${unclearReason(metric, context, decision.reason)}${sampleSizeHint(metric, context)}.`
  }
}

/** `takes 1.40 × the time of v1` */
const RATIO_PHRASES: Record<string, (ratio: string, baseline: string) => string> = {
  durationMs: (ratio, baseline) => `takes ${ratio} × the time of ${baseline}`,
  costUsd: (ratio, baseline) => `costs ${ratio} × as much as ${baseline}`,
  totalTokens: (ratio, baseline) => `uses ${ratio} × the tokens of ${baseline}`,
}

/** Continues the name of the candidate. Of a ratio, the items that changed in its direction are counted. */
function changePhrase(
  metric: ShownMetric,
  direction: 'better' | 'worse',
  { correction, names: { baseline } }: VerdictContext,
): string {
  const { name, isFromTraces, wins, losses } = metric
  if (metric.ratio !== null) {
    const ratio = formatFixed(metric.ratio, ratioDigits(metric))
    const phrase =
      (isFromTraces ? RATIO_PHRASES[name]?.(ratio, baseline) : undefined) ??
      `has ${ratio} × the ${shownName(metric)} of ${baseline}`
    const changed = direction === 'better' ? wins : losses
    return `${phrase} (${formatConfidence(metric.ratioCi, metric, correction)}${changed} of ${formatItems(metric)})`
  }
  if (metric.isPreference) {
    const preferred = direction === 'better' ? 'preferred to' : 'preferred less often than'
    const share = formatFixed(NO_PREFERENCE + (metric.difference ?? 0), 2)
    return `is ${preferred} ${baseline} on ${name}: share ${share} against 0.50 (${formatConfidence(metric.ci, metric, correction)}${formatItems(metric)})`
  }
  const amount = formatAmount(metric, correction)
  if (isFromTraces && name === 'error')
    return `fails ${direction === 'better' ? 'less' : 'more'} often than ${baseline}, by ${amount}`
  return `is ${direction} than ${baseline} on ${shownName(metric)} by ${amount}`
}

/** `f1 (share of correct labels, not F1)` where the name alone would mislead. */
function shownName({ name, measuredAs }: Pick<ShownMetric, 'name' | 'measuredAs'>): string {
  return measuredAs === null ? name : `${name} (${measuredAs})`
}

/**
 * Names the losses that could be unseen where no item became worse. With some losses in the sample, the interval has
 * their size.
 */
function unseenCaveat({ losses, items, isBinary, isRatio }: ShownMetric): string {
  if (losses > 0 || isBinary || isRatio) return ''
  return `; no item became worse, but losses in up to ${formatShare(unseenShare(items))} of all items could be unseen`
}

function formatShare(share: number): string {
  return `${(100 * share).toFixed(share < 0.1 ? 1 : 0)} %`
}

function unclearReason(metric: ShownMetric, { p, correction }: VerdictContext, reason: string): string {
  if (reason === 'correction') return `: p is ${formatP(p ?? 1)} alone, which does not hold when ${correction}`
  if (reason === 'totals' && metric.ratio !== null && metric.totalRatio !== null) {
    const [item, total] = [metric.ratio, metric.totalRatio].map((ratio) => formatFixed(ratio, 2))
    return `: a typical item has ${item} × and the total ${total} ×`
  }
  return ''
}

/** The difference that more items would detect, or that these items would have detected if a margin is set. */
function sampleSizeHint(
  { power, items, scale, isRatio, wins, losses }: ShownMetric,
  { isSequential }: VerdictContext,
): string {
  if (isSequential) return '; how many items would decide is known for one look and for planned looks only'
  if (!power.casesFor) return fewDiffer(wins + losses)
  const { difference, cases } = power.casesFor
  const change = isRatio ? `${formatFixed(1 + difference, 2)} ×` : formatFixed(difference, digitsFor(difference, scale))
  if (cases <= items) return `; these items would have shown a change of ${change}`
  return `; about ${roundedUp(cases)} items would show a change of ${change}`
}

function fewDiffer(differing: number): string {
  if (differing === 0) return '; no item differs, and only a margin can show that they are equal'
  const few = `${differing} of them ${differing === 1 ? 'differs' : 'differ'}, and at least ${DIFFERING_MIN} must differ to decide`
  return differing < DIFFERING_MIN ? `; ${few}` : ''
}

/** `0.06 (95 % CI 0.02 to 0.10, 184 items)`: the improvement or regression as a positive amount. */
function formatAmount(metric: ShownMetric, correction: string | null): string {
  const { difference, ci } = metric
  if (difference === null) return formatItems(metric)
  const isNegative = difference < 0
  const ends: Interval | null = ci && (isNegative ? [-ci[1], -ci[0]] : ci)
  const digits = ends ? shownDigits(ends, metric.scale) : digitsFor(Math.abs(difference), metric.scale)
  const amount = formatFixed(Math.abs(difference), digits)
  return `${amount} (${formatConfidence(ends, metric, correction)}${formatItems(metric)})`
}

/** `95 % CI 0.02 to 0.10, corrected for 4 metrics, ` */
function formatConfidence(ends: Interval | null, metric: ShownMetric, correction: string | null): string {
  return ends === null ? '' : `95 % CI ${formatEnds(ends, metric)}${afterComma(correction)}, `
}

/** `−0.01 to 0.05, 184 items` */
function formatRange(metric: ShownMetric, correction: string | null): string {
  const ends = metric.isRatio ? metric.ratioCi : metric.ci
  if (ends === null) return `${formatItems(metric)}, no interval`
  const unit = metric.isRatio ? ' ×' : ''
  return `${formatEnds(ends, metric)}${unit}${afterComma(correction)}, ${formatItems(metric)}`
}

function formatEnds(ends: Interval, metric: ShownMetric): string {
  if (metric.isPreference) {
    const shares: Interval = [NO_PREFERENCE + ends[0], NO_PREFERENCE + ends[1]]
    return shares.map((end) => formatFixed(end, digitsThatShow(shares, NO_PREFERENCE, 2))).join(' to ')
  }
  if (!metric.isRatio) return formatInterval(ends, metric.scale)
  return ends.map((end) => formatFixed(end, ratioDigits(metric))).join(' to ')
}

function afterComma(correction: string | null): string {
  return correction === null ? '' : `, ${correction}`
}

/** `−0.01 to 0.05` */
export function formatInterval(ci: Interval, scale: MetricScale['scale']): string {
  const digits = shownDigits(ci, scale)
  return ci.map((end) => formatFixed(end, digits)).join(' to ')
}

const DIGITS_MAX = 12

/** Uses enough digits that a limit other than 0 is not displayed as 0, which would contradict the verdict. */
function shownDigits(ends: Interval, scale: MetricScale['scale']): number {
  return digitsThatShow(ends, 0, digitsFor((ends[1] - ends[0]) / 2, scale))
}

/** Uses enough digits that a limit other than 1 is not displayed as 1. */
function ratioDigits({ ratioCi }: ShownMetric): number {
  return ratioCi === null ? 2 : digitsThatShow(ratioCi, 1, 2)
}

function digitsThatShow(ends: Interval, hidden: number, digits: number): number {
  const isHidden = (end: number, places: number) => end !== hidden && Number(end.toFixed(places)) === hidden
  let shown = digits
  while (shown < DIGITS_MAX && ends.some((end) => isHidden(end, shown))) shown += 1
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
  return p < 0.001 ? 'below 0.001' : p.toFixed(p < 0.1 ? 3 : 2)
}

/** Rounds up to two significant digits. */
function roundedUp(cases: number): string {
  const step = 10 ** Math.max(0, Math.floor(Math.log10(cases)) - 1)
  return (Math.ceil(cases / step) * step).toLocaleString('en')
}
