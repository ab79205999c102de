/**
 * Decides the verdict from the evidence. Interval and test are read from the same p-function, so that a verdict never
 * contradicts its own row: `improved` and `regressed` mean that the shown interval excludes 0, which is the same as a
 * corrected p below 0.05.
 *
 * `equivalent` needs a margin: the whole interval lies within it, on both sides. It stands also where 0 is excluded: the
 * difference is real, and smaller than what matters. `tooFewCases` takes precedence over all others.
 */

import type { Interval } from '../../statistics/interval.ts'
import type { Evidence, Inference, MetricScale } from '../evidence/evidence.ts'

export const VERDICTS = ['improved', 'regressed', 'equivalent', 'noClearDifference', 'tooFewCases'] as const

export type Verdict = (typeof VERDICTS)[number]

/** A verdict with its reason, for the summary. */
export type Decision =
  | { verdict: 'improved' | 'regressed' }
  | { verdict: 'equivalent'; direction: -1 | 0 | 1 }
  | { verdict: 'tooFewCases'; reason: 'few items' | 'few groups' }
  | { verdict: 'noClearDifference'; reason: 'no difference' | 'correction' | 'totals' }

type VerdictInput = Pick<Evidence, 'items' | 'groups' | 'inference' | 'totalRatio'> & MetricScale

export const ITEMS_MIN = 10
/** The minimum number of items for a decision on a margin, which accepts a change instead of reporting one. */
export const MARGIN_ITEMS_MIN = 30
/** With fewer groups, their variance is not known well enough for any interval. */
export const GROUPS_MIN = 6
export const SIGNIFICANCE = 0.05

/** `alpha` is the level of this row: 0.05, or less if it is corrected for other metrics or for repeated looks. */
export function decide(
  input: VerdictInput,
  { alpha, margin }: { alpha: number; margin?: number | undefined },
): Decision {
  const { items, groups, inference } = input
  if (items < ITEMS_MIN || inference === null) return { verdict: 'tooFewCases', reason: 'few items' }
  if (groups !== undefined && groups < GROUPS_MIN) return { verdict: 'tooFewCases', reason: 'few groups' }
  const direction = inference.p < alpha ? signOf(inference.gain) : 0
  const applied = marginOn(input, margin)
  const isSmall = isWithin(inference.marginInterval(alpha), applied) && Math.abs(gainOfTotals(input)) < (applied ?? 0)
  if (isSmall && independentUnits(input) >= MARGIN_ITEMS_MIN) return { verdict: 'equivalent', direction }
  if (direction === 0) {
    return { verdict: 'noClearDifference', reason: inference.p < SIGNIFICANCE ? 'correction' : 'no difference' }
  }
  // A typical item became cheaper and a few so much dearer that the bill rises, or the other way round.
  if (direction * gainOfTotals(input) < 0) return { verdict: 'noClearDifference', reason: 'totals' }
  return { verdict: direction > 0 ? 'improved' : 'regressed' }
}

function signOf(value: number): -1 | 0 | 1 {
  return value > 0 ? 1 : value < 0 ? -1 : 0
}

/** The logarithm of the ratio of the totals, which is what is paid; 0 if the metric is not compared by its ratio. */
function gainOfTotals({ higherIsBetter, totalRatio }: Pick<VerdictInput, 'higherIsBetter' | 'totalRatio'>): number {
  return (higherIsBetter ? 1 : -1) * Math.log(totalRatio ?? 1)
}

/**
 * The margin in the unit of the evidence: of a ratio, such as 1.1, the logarithm. Undefined without a margin, and if the
 * number cannot be a margin of this metric.
 */
export function marginOn(
  { isRatio, scale }: Pick<MetricScale, 'isRatio' | 'scale'>,
  margin: number | undefined,
): number | undefined {
  if (margin === undefined) return undefined
  if (isRatio) return margin > 1 && margin <= RATIO_MARGIN_MAX ? Math.log(margin) : undefined
  return scale === null || margin <= scale[1] - scale[0] ? margin : undefined
}

/** A greater number is meant as an amount, such as 200 milliseconds, and would pass everything. */
export const RATIO_MARGIN_MAX = 10

function isWithin(interval: Interval | null, margin: number | undefined): boolean {
  return interval !== null && margin !== undefined && interval[0] > -margin && interval[1] < margin
}

/**
 * True if the whole interval is better than −margin, and the total of a ratio, too. The interval is that of the metric alone: several margins must all be
 * kept, which needs no correction. `alpha` is the level of this look. False if there are too few items for a margin.
 */
export function isNotWorse(
  input: VerdictInput & { inference: Inference | null },
  margin: number,
  alpha = SIGNIFICANCE,
): boolean {
  const { inference, items, groups } = input
  if (independentUnits(input) < MARGIN_ITEMS_MIN || items < ITEMS_MIN || inference === null) return false
  if (groups !== undefined && groups < GROUPS_MIN) return false
  const interval = inference.marginInterval(alpha)
  return interval !== null && interval[0] > -margin && gainOfTotals(input) > -margin
}

export function formatItems({ items, groups }: { items: number; groups?: number | undefined }): string {
  const grouped = groups === undefined ? '' : ` in ${groups} ${groups === 1 ? 'group' : 'groups'}`
  return `${items} ${items === 1 ? 'item' : 'items'}${grouped}`
}

/** The number of groups, or of items if there are no groups: a few groups of many items say little about a margin. */
export function independentUnits({ items, groups }: { items: number; groups?: number | null | undefined }): number {
  return groups ?? items
}

export type JudgedMetric = {
  readonly name: string
  /** A reported metric, such as a duration, does not affect the overall verdict. */
  readonly role: 'quality' | 'reported'
  readonly verdict: Verdict
  readonly summary: string
  readonly items?: number
  readonly evaluations?: { readonly candidate: string | null } | null
  readonly baseline?: { readonly mean: number | null }
  readonly candidate?: { readonly mean: number | null }
}

/** The first that any quality metric has is the overall verdict: one regression is not made up for by improvements. */
const PRECEDENCE = [
  ['regressed', 'worse'],
  ['improved', 'better'],
  ['noClearDifference', 'no clear difference'],
  ['equivalent', 'equivalent'],
  ['tooFewCases', 'too few cases to decide'],
] as const

type LeftOut = { readonly name: string; readonly reason: string }

/**
 * Reported metrics (durations, costs, tokens) are not considered, nor is what did not happen in either run. The summary has
 * those of the deciding metrics, with what would decide them, and names all others.
 */
export function overallVerdict(
  metrics: readonly JudgedMetric[],
  notCompared: readonly LeftOut[] = [],
): { verdict: Verdict; summary: string } {
  const quality = metrics.filter((metric) => metric.role === 'quality' && !isIdle(metric))
  const [deciding, ...others] = PRECEDENCE.flatMap(([verdict, word]) => {
    const found = quality.filter((metric) => metric.verdict === verdict)
    return found.length === 0 ? [] : [{ verdict, word, found }]
  })
  const excluded = listOf(notCompared.map(({ name, reason }) => `${name} (${reason})`))
  const notes = excluded === '' ? [] : [`Not compared: ${excluded}.`]
  if (!deciding) {
    const missing = `no quality metric was measured in both runs${excluded === '' ? ': evaluate both' : ''}`
    return { verdict: 'tooFewCases', summary: [`Too few cases to decide: ${missing}.`, ...notes].join(' ') }
  }
  // One says how many items are missing for all.
  const shown = deciding.verdict === 'tooFewCases' ? 1 : NAMES_MAX
  const summaries = deciding.found.slice(0, shown).map(({ summary }) => summary)
  const named = [{ word: deciding.word, found: deciding.found.slice(shown) }, ...others].flatMap((one) => {
    return one.found.length === 0 ? [] : `On ${listOf(one.found.map(nameWithItems))}: ${one.word}.`
  })
  return { verdict: deciding.verdict, summary: [...summaries, ...named, ...notes].join(' ') }
}

export type ItemNotes = { readonly summary: string | null; readonly duplicates: number; readonly unverified?: number }

/** Says behind the verdict which items it is not about. */
export function withNotes<Judged extends { summary: string }>(
  judged: Judged,
  { summary: changes, duplicates, unverified }: ItemNotes,
  { coverage }: { coverage: string | null } = { coverage: null },
): Judged {
  const changed = changes && `${changes} and not compared.`
  const notes = [coverage, changed, unverifiedNote(unverified), duplicates > 0 && repeatNote(duplicates)]
  return { ...judged, summary: [judged.summary, ...notes.filter(Boolean)].join(' ') }
}

/** Evaluations of older versions did not store which content they judged. */
export function unverifiedNote(unverified = 0): string | null {
  if (unverified === 0) return null
  return `Whether ${formatItems({ items: unverified })} changed between the two evaluations is not known: one of them is of an older version.`
}

function repeatNote(duplicates: number): string {
  return duplicates === 1
    ? '1 item repeats another one and counts with it.'
    : `${duplicates} items repeat another one and count with it.`
}

/** Nothing failed in either run: every comparison has this metric, and it says nothing about the change. */
export function isIdle({ name, baseline, candidate }: Pick<JudgedMetric, 'name' | 'baseline' | 'candidate'>): boolean {
  return name === 'error' && baseline !== undefined && !baseline.mean && !candidate?.mean
}

const NAMES_MAX = 5

/** `helpful (184 items)` */
function nameWithItems({ name, items }: Pick<JudgedMetric, 'name' | 'items'>): string {
  return items === undefined ? name : `${name} (${formatItems({ items })})`
}

/** `helpful, rating and error` */
function listOf(names: readonly string[]): string {
  const shown = names.length > NAMES_MAX ? [...names.slice(0, NAMES_MAX), `${names.length - NAMES_MAX} more`] : names
  const last = shown.at(-1) ?? ''
  return shown.length < 2 ? last : `${shown.slice(0, -1).join(', ')} and ${last}`
}
