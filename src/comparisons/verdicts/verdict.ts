/**
 * Decides the verdict from the evidence.
 *
 * `improved` and `regressed` require two conditions: the 95 % interval of the difference excludes 0, and the p of the
 * test, corrected for all metrics of the same role, is below 0.05. The interval alone would report one of twenty
 * unchanged metrics as changed. The test alone compares ranks and may see a shift that does not move the mean. If the
 * two disagree, the verdict is `noClearDifference`, and the summary states the reason.
 *
 * Two kinds of evidence are not in the interval, and a verdict must survive both. Items that are too rare to be in the
 * sample: if 95 of 100 items gain a little and 5 break, 20 items show no loss in one of three samples. A difference of
 * means must exceed what the largest share that may be unseen could take away (`unseenShare`). And items that only one
 * run has a value for: an improvement must remain if they count at the worst value. A regression need not, because items
 * that are missing must not hide it.
 *
 * `tooFewCases` takes precedence: fewer than 10 items in both runs (repetitions do not count), or an interval wider
 * than half of the scale. For metrics without a scale, such as a duration, only the number of items counts.
 */

import type { Interval } from '../../statistics/interval.ts'
import type { Evidence, MetricScale } from '../evidence/evidence.ts'
import type { MissingItems } from '../pairing/missing-items.ts'

export type Verdict = 'improved' | 'regressed' | 'noClearDifference' | 'tooFewCases'

/** A verdict with its reason, for the summary. */
export type Decision =
  | { verdict: 'improved' | 'regressed' }
  | { verdict: 'tooFewCases'; reason: InsufficientReason }
  | { verdict: 'noClearDifference'; reason: UnclearReason }

type UnclearReason = 'no difference' | 'correction' | 'ranks only' | 'opposite signs' | 'unseen items' | 'missing items'

type InsufficientReason = 'few items' | 'few groups' | 'wide interval'

type VerdictInput = Pick<Evidence, 'items' | 'groups' | 'difference' | 'ci' | 'unseen'> &
  MetricScale & { readonly missingItems: Pick<MissingItems, 'incomplete' | 'ci'> }

export const ITEMS_MIN = 10
/**
 * The minimum number of items for a decision on a margin. A verdict requires the interval and the test; a margin uses
 * the interval alone, which is too narrow for few items: a change that is worse by exactly the margin would pass in 15
 * of 100 cases with 10 items, and in 3 with 30.
 */
export const MARGIN_ITEMS_MIN = 30
/** With fewer groups, permuting their signs cannot reach 0.05: 2 · ½⁵ is 0.06. */
export const GROUPS_MIN = 6
export const SIGNIFICANCE = 0.05

/** `pAdjusted` is null if there was nothing to test. */
export function decide(
  input: VerdictInput,
  { pAdjusted, testDirection }: { pAdjusted: number | null; testDirection: number },
): Decision {
  const { ci, higherIsBetter } = input
  const insufficient = insufficientReason(input)
  if (insufficient !== undefined) return { verdict: 'tooFewCases', reason: insufficient }
  const isTested = pAdjusted !== null && pAdjusted < SIGNIFICANCE
  const direction = ci === null ? 0 : sideOfZero(ci)
  if (direction === 0) return { verdict: 'noClearDifference', reason: isTested ? 'ranks only' : 'no difference' }
  if (!isTested) return { verdict: 'noClearDifference', reason: 'correction' }
  const isBetter = direction > 0 === higherIsBetter
  // A few items gained much and many lost a little: the mean and the ranks disagree.
  if (direction * testDirection < 0) return { verdict: 'noClearDifference', reason: 'opposite signs' }
  if (couldBeUnseen(input)) return { verdict: 'noClearDifference', reason: 'unseen items' }
  if (isBetter && isLostByMissing(input, direction)) return { verdict: 'noClearDifference', reason: 'missing items' }
  return { verdict: isBetter ? 'improved' : 'regressed' }
}

/**
 * True if the whole interval is better than −margin, with missing items at the worst value. False if there are too few
 * cases for a verdict, because the interval is not reliable then.
 */
export function isNotWorse(input: Omit<VerdictInput, 'unseen' | 'difference'>, margin: number): boolean {
  const { higherIsBetter, missingItems } = input
  const ci = missingItems.incomplete > 0 ? missingItems.ci : input.ci
  if (independentUnits(input) < MARGIN_ITEMS_MIN || insufficientReason(input) !== undefined || ci === null) return false
  return higherIsBetter ? ci[0] > -margin : ci[1] < margin
}

/** The number of groups, or of items if there are no groups: a few groups of many items say little about a margin. */
export function independentUnits({ items, groups }: Pick<Evidence, 'items' | 'groups'>): number {
  return groups ?? items
}

/** True if items that are too rare to be seen could change as much in the other direction. */
function couldBeUnseen({ difference, unseen }: VerdictInput): boolean {
  if (difference === null || unseen === null) return false
  return Math.abs(difference) * (1 - unseen.share) <= unseen.share * unseen.changeMax
}

function isLostByMissing({ missingItems: { incomplete, ci } }: VerdictInput, direction: number): boolean {
  return incomplete > 0 && (ci === null || sideOfZero(ci) !== direction)
}

/** The reason for too few cases; undefined if there are enough. */
function insufficientReason(
  input: Pick<VerdictInput, 'items' | 'groups' | 'ci' | 'scale'>,
): InsufficientReason | undefined {
  const { items, groups, ci, scale } = input
  if (items < ITEMS_MIN) return 'few items'
  if (groups != null && groups < GROUPS_MIN) return 'few groups'
  const isTooWide = ci !== null && scale !== null && ci[1] - ci[0] > (scale[1] - scale[0]) / 2
  return isTooWide ? 'wide interval' : undefined
}

/** −1 if the interval is below 0, 1 if it is above, 0 if it contains 0. */
function sideOfZero([low, high]: Interval): number {
  return low > 0 ? 1 : high < 0 ? -1 : 0
}

export type JudgedMetric = {
  readonly name: string
  /** A reported metric, such as a duration, does not affect the overall verdict. */
  readonly role: 'quality' | 'reported'
  readonly verdict: Verdict
  readonly summary: string
}

/**
 * A single regression makes the overall verdict `regressed`, regardless of improvements. Reported metrics (durations,
 * costs, tokens) are not considered.
 */
export function overallVerdict(metrics: readonly JudgedMetric[]): { verdict: Verdict; summary: string } {
  const quality = metrics.filter(({ role }) => role === 'quality')
  const of = (word: Verdict) => quality.filter(({ verdict }) => verdict === word)
  const [worse, better, same, unknown] = [of('regressed'), of('improved'), of('noClearDifference'), of('tooFewCases')]
  if (worse.length > 0) return { verdict: 'regressed', summary: summarize(worse, better, 'better') }
  if (better.length > 0) return { verdict: 'improved', summary: summarize(better, same, 'no clear difference') }
  if (same.length > 0) return { verdict: 'noClearDifference', summary: summarizeUnclear(same, unknown) }
  return { verdict: 'tooFewCases', summary: summarizeTooFew(unknown) }
}

function summarize(deciding: readonly JudgedMetric[], others: readonly JudgedMetric[], word: string): string {
  const summary = deciding.map((metric) => metric.summary).join(' ')
  return others.length === 0 ? summary : `${summary} On ${namesOf(others)}: ${word}.`
}

function summarizeUnclear(same: readonly JudgedMetric[], unknown: readonly JudgedMetric[]): string {
  const [only] = same
  const summary = same.length === 1 && only ? only.summary : `No clear difference on ${namesOf(same)}.`
  return unknown.length === 0 ? summary : `${summary} Too few cases to decide on ${namesOf(unknown)}.`
}

function summarizeTooFew(unknown: readonly JudgedMetric[]): string {
  const [only] = unknown
  if (!only) return 'Too few cases to decide: no metric was measured in both runs.'
  return unknown.length === 1 ? only.summary : `Too few cases to decide on ${namesOf(unknown)}.`
}

const NAMES_MAX = 5

/** `helpful, rating and error` */
function namesOf(metrics: readonly { name: string }[]): string {
  const names = metrics.map(({ name }) => name)
  const shown = names.length > NAMES_MAX ? [...names.slice(0, NAMES_MAX), `${names.length - NAMES_MAX} more`] : names
  const last = shown.at(-1) ?? ''
  return shown.length < 2 ? last : `${shown.slice(0, -1).join(', ')} and ${last}`
}
