import { twoSidedCriticalValue } from '../distributions.ts'
import type { VerdictCounts } from './double-sampling-rate.ts'

/** What is known before the next labels are chosen, by the verdict of the judge. */
export type LabelState = { readonly passed: VerdictCounts; readonly failed: VerdictCounts }

/** A number of labels for each verdict. */
export type LabelCounts = { readonly passed: number; readonly failed: number }

/**
 * How to divide this many further labels between passed and failed cases so that the corrected rate is as certain as
 * possible: in proportion to the number of cases times the standard deviation of their labels, counting the labels
 * that exist. No verdict gets more labels than it has unlabeled cases; the result is smaller than requested if there
 * are not enough.
 *
 * Neyman, J. (1934), On the two different aspects of the representative method, Journal of the Royal Statistical
 * Society 97, 558–625. The standard deviation of a verdict with few labels is estimated with one more label of each
 * kind: otherwise three equal labels would end the search for the fourth.
 */
export function allocateLabels(state: LabelState, labels: number): LabelCounts {
  const share = neymanShare(state)
  const { passed, failed } = state
  const total = passed.labeled + failed.labeled + labels
  const free = { passed: freeCases(passed), failed: freeCases(failed) }
  const wanted = Math.round(Math.min(labels, Math.max(0, share * total - passed.labeled)))
  const toPassed = Math.min(wanted, free.passed)
  const toFailed = Math.min(labels - toPassed, free.failed)
  // What one verdict cannot take goes to the other.
  return { passed: Math.min(labels - toFailed, free.passed), failed: toFailed }
}

/** The share of all labels that passed cases should have. */
function neymanShare({ passed, failed }: LabelState): number {
  const [first, second] = [passed, failed].map((verdict) => verdict.cases * deviationOf(verdict))
  const sum = (first ?? 0) + (second ?? 0)
  return sum === 0 ? 0.5 : (first ?? 0) / sum
}

export type LabelsNeeded =
  | { readonly kind: 'labels'; readonly labels: number }
  /** Not even labels of all cases would be enough: the run has too few cases. */
  | { readonly kind: 'cases' }

/**
 * The number of further labels after which the half width of the 95 % interval of the corrected rate is at most this,
 * if they are divided by `allocateLabels`. The variance is that of Tenenbein (1970), equation 2.5: that of the verdicts
 * plus that of the labels within each verdict.
 */
export function labelsNeeded(state: LabelState, halfWidth: number): LabelsNeeded {
  if (!(halfWidth > 0)) throw new RangeError(`A half width is above 0, not ${halfWidth}.`)
  const free = freeCases(state.passed) + freeCases(state.failed)
  const isEnough = (labels: number) => halfWidthAfter(state, allocateLabels(state, labels)) <= halfWidth
  if (!isEnough(free)) return { kind: 'cases' }
  let [low, high] = [0, free]
  while (low < high) {
    const middle = Math.floor((low + high) / 2)
    if (isEnough(middle)) high = middle
    else low = middle + 1
  }
  return { kind: 'labels', labels: high }
}

/** Infinite while a verdict with cases has no label. */
function halfWidthAfter({ passed, failed }: LabelState, added: LabelCounts): number {
  const n = passed.cases + failed.cases
  if (n === 0) return Number.POSITIVE_INFINITY
  const share = passed.cases / n
  const between = (share * (1 - share) * (goodShare(passed) - goodShare(failed)) ** 2) / n
  const within = (verdict: VerdictCounts, labels: number) => {
    if (verdict.cases === 0) return 0
    return ((verdict.cases / n) * deviationOf(verdict)) ** 2 / (verdict.labeled + labels)
  }
  const variance = between + within(passed, added.passed) + within(failed, added.failed)
  return twoSidedCriticalValue(0.95) * Math.sqrt(variance)
}

function deviationOf(verdict: VerdictCounts): number {
  const share = goodShare(verdict)
  return Math.sqrt(share * (1 - share))
}

function goodShare({ labeled, good }: VerdictCounts): number {
  return (good + 1) / (labeled + 2)
}

function freeCases({ cases, labeled }: VerdictCounts): number {
  return Math.max(0, Math.floor(cases - labeled + 1e-9))
}
