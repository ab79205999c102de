/** ScoreColumns in words. Numbers are of candidate − baseline, but for "better by" and "worse by", which are amounts. */
import type { Interval } from '../statistics/interval.ts'
import type { Evidence, MetricScale } from './compare-metric.ts'
import type { Metric } from './compared-metrics.ts'
import { type Decision, ITEMS_MIN, MARGIN_ITEMS_MIN } from './verdict.ts'

export type Told = Evidence & MetricScale & Pick<Metric, 'name' | 'isFromTraces'>

export type Telling = {
  readonly decision: Decision
  readonly pAdjusted: number | null
  /** How many metrics p was corrected for. */
  readonly tested: number
  readonly candidateName: string
  readonly margin?: { readonly value: number; readonly isKept: boolean } | undefined
}

export function summaryOf(told: Told, telling: Telling): string {
  const { margin, decision } = telling
  const verdict = verdictSummary(told, telling)
  if (!margin) return verdict
  const amount = plainNumber(margin.value)
  if (margin.isKept) return `${verdict} Not worse than the margin of ${amount}.`
  // An interval that is too wide may be above the margin as a whole: "may be worse" would contradict what is shown of it.
  if (decision.word === 'tooFewCases')
    return `${verdict} Whether it is worse by more than the margin of ${amount} cannot be told.`
  return told.items < MARGIN_ITEMS_MIN
    ? `${verdict} At least ${MARGIN_ITEMS_MIN} items are needed to show that it is not worse than the margin of ${amount}.`
    : `${verdict} It may be worse by more than the margin of ${amount}.`
}

function verdictSummary(told: Told, telling: Telling): string {
  const { decision, candidateName } = telling
  const { name, ci } = told
  switch (decision.word) {
    case 'improved':
      return `${candidateName} ${betterWords(told)} by ${amountOf(told)}.`
    case 'regressed':
      return `${candidateName} ${worseWords(told)} by ${amountOf(told)}.`
    case 'tooFewCases':
      return decision.because === 'few items'
        ? `Too few cases to tell about ${name}: ${itemsIn(told)} in both runs, and at least ${ITEMS_MIN} are needed.`
        : `Too few cases to tell about ${name} (${rangeOf(told)}): the interval is wider than half of the scale${outlook(told)}.`
    case 'noClearDifference':
      if (ci === null) return `No clear difference on ${name} (${itemsIn(told)}, no interval: nothing varies).`
      return `No clear difference on ${name} (${rangeOf(told)})${doubt(telling, decision.because)}${outlook(told)}.`
  }
}

/** What people say of the metrics that every trace has. */
const WORDS: Record<string, { better: string; worse: string; unit?: string }> = {
  error: { better: 'fails less often,', worse: 'fails more often,' },
  durationMs: { better: 'is faster', worse: 'is slower', unit: ' ms' },
  costUsd: { better: 'is cheaper', worse: 'is more expensive', unit: ' USD' },
  totalTokens: { better: 'uses fewer tokens,', worse: 'uses more tokens,' },
}

function betterWords(told: Told): string {
  return wordsOf(told)?.better ?? `is better on ${told.name}`
}

function worseWords(told: Told): string {
  return wordsOf(told)?.worse ?? `is worse on ${told.name}`
}

/** Not for an evaluator that happens to have such a name: nobody knows what it measures, and in which unit. */
function wordsOf({ name, isFromTraces }: Told) {
  return isFromTraces ? WORDS[name] : undefined
}

function doubt({ pAdjusted, tested }: Telling, because: string): string {
  const p = pAdjusted === null ? 'there is no test' : pText(pAdjusted)
  if (because === 'correction') return tested > 1 ? `: ${p} after correction for ${tested} metrics` : `: ${p}`
  if (because === 'ranks only') return `: items shifted (${p}), but their mean may be the same`
  if (because === 'opposite signs') return ': the mean and most of the items moved in opposite directions'
  return ''
}

/** What more items would show; or what these would have shown, if that is what was asked. */
function outlook({ power, items, scale }: Told): string {
  if (!power.casesFor) return ''
  const { difference, cases } = power.casesFor
  const change = numberWith(difference, digitsFor(difference, scale))
  if (cases <= items) return `; these items would have shown a change of ${change}`
  return `; about ${roundedUp(cases)} items would show a change of ${change}`
}

/** `0.06 (95 % CI 0.02 to 0.10, 184 items)`: how much better or worse, as an amount above 0. */
function amountOf(told: Told): string {
  const { difference, ci } = told
  if (difference === null || ci === null) return itemsIn(told)
  const [low, high] = ci
  const isNegative = difference < 0
  const ends: Interval = isNegative ? [-high, -low] : [low, high]
  const digits = shownDigits(ends, told.scale)
  const unit = wordsOf(told)?.unit ?? ''
  const amount = numberWith(Math.abs(difference), digits)
  return `${amount}${unit} (95 % CI ${ends.map((end) => numberWith(end, digits)).join(' to ')}, ${itemsIn(told)})`
}

/** `−0.01 to 0.05, 184 items` */
function rangeOf(told: Told): string {
  if (told.ci === null) return itemsIn(told)
  const digits = shownDigits(told.ci, told.scale)
  return `${told.ci.map((end) => numberWith(end, digits)).join(' to ')}, ${itemsIn(told)}`
}

function itemsIn({ items, n }: Pick<Evidence, 'items' | 'n'>): string {
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
function numberWith(value: number, digits: number): string {
  const text = value.toFixed(digits)
  return Number(text) === 0 ? text.replace('-', '') : text.replace('-', '−')
}

export function plainNumber(value: number): string {
  return String(value).replace('-', '−')
}

function pText(p: number): string {
  return p < 0.001 ? 'p < 0.001' : `p = ${p.toFixed(p < 0.1 ? 3 : 2)}`
}

/** A number that is "about" has two digits that count. */
function roundedUp(cases: number): string {
  const step = 10 ** Math.max(0, Math.floor(Math.log10(cases)) - 1)
  return String(Math.ceil(cases / step) * step)
}
