/**
 * From evidence to a word.
 *
 * `improved` and `regressed` need two things that agree: the 95 % interval of the difference is on one side of 0, and the p of the
 * test, corrected for all metrics of its role, is below 0.05. The interval alone would call one of twenty metrics changed
 * when none is; the test alone looks at ranks, and may see a shift that does not move the mean. Where they disagree, the word is
 * `noClearDifference`, and the summary says why.
 *
 * `tooFewCases` goes before all of that: fewer than 10 items in both runs (repetitions of an item do not count as more), or an interval
 * that is wider than half of the scale. Metrics without a scale, such as a duration, are judged by the number of items alone.
 */
import type { Interval } from '../statistics/interval.ts'
import type { Evidence, MetricScale } from './compare-metric.ts'

export type Verdict = 'improved' | 'regressed' | 'noClearDifference' | 'tooFewCases'

/** Why a word was chosen, for the summary. */
export type Decision =
  | { verdict: 'improved' | 'regressed' }
  | { verdict: 'tooFewCases'; reason: InsufficientReason }
  | { verdict: 'noClearDifference'; reason: 'no difference' | 'correction' | 'ranks only' | 'opposite signs' }

type InsufficientReason = 'few items' | 'wide interval'

export type VerdictInput = Pick<Evidence, 'items' | 'ci'> & MetricScale

export const ITEMS_MIN = 10
/**
 * What a margin takes. A verdict needs the interval and the test; a margin has the interval alone, which is too narrow with few items:
 * of changes that are worse by just the margin, 15 of 100 would be called harmless with 10 items, and 3 with 30.
 */
export const MARGIN_ITEMS_MIN = 30
export const SIGNIFICANCE = 0.05

/** `testDirection` is the direction that the test sees; `pAdjusted` is null where nothing could be tested. */
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
  // Few items that gained much against many that lost a little: the mean says one thing, the ranks another.
  if (direction * testDirection < 0) return { verdict: 'noClearDifference', reason: 'opposite signs' }
  return { verdict: isBetter ? 'improved' : 'regressed' }
}

/**
 * Whether a change may be called harmless: the whole interval is above −margin, or below it where less is better. Where there are
 * too few cases for a verdict, there are too few for this as well: such an interval is not to be trusted that far.
 */
export function isNotWorse(input: VerdictInput, margin: number): boolean {
  const { items, ci, higherIsBetter } = input
  if (items < MARGIN_ITEMS_MIN || insufficientReason(input) !== undefined || ci === null) return false
  return higherIsBetter ? ci[0] > -margin : ci[1] < margin
}

/** Why there are too few cases; undefined if there are enough. */
function insufficientReason({ items, ci, scale }: VerdictInput): InsufficientReason | undefined {
  if (items < ITEMS_MIN) return 'few items'
  const isTooWide = ci !== null && scale !== null && ci[1] - ci[0] > (scale[1] - scale[0]) / 2
  return isTooWide ? 'wide interval' : undefined
}

/** −1 if the interval is below 0, 1 if it is above, 0 if it contains 0. */
function sideOfZero([low, high]: Interval): number {
  return low > 0 ? 1 : high < 0 ? -1 : 0
}
