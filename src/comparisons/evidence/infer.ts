/** Chooses the method for a metric: one p-function per kind of data, from which interval and test are both read. */

import { normalQuantile } from '../../statistics/distributions.ts'
import type { Interval } from '../../statistics/interval.ts'
import { intervalOf, mirrored, type PFunction, pValue } from '../../statistics/paired/p-function.ts'
import {
  type Differences,
  type PFunctions,
  pairedLogRatios,
  pairedScores,
} from '../../statistics/paired/paired-means.ts'
import { pairedRates } from '../../statistics/paired/paired-rates.ts'
import { ratioOfTotals } from '../../statistics/paired/ratio-of-totals.ts'
import { unplannedLooks } from '../../statistics/sequential/unplanned-looks.ts'
import { sumOf } from '../../statistics/sums.ts'
import type { Inference } from './evidence.ts'

/** Gains of the candidate by item. */
export type Gains = Differences & {
  /**
   * The gains if items without a value in one of the runs counted at the worst value. A gain must remain with them; a loss
   * need not, because items that are missing must not hide it.
   */
  readonly atWorst?: Differences | undefined
}

type Kind =
  | { readonly kind: 'yes/no' }
  /** `range` is the most that one item could change. */
  | { readonly kind: 'scores'; readonly range: number; readonly isRate: boolean }
  | { readonly kind: 'log ratios' }

export function infer(gains: Gains, kind: Kind): Inference {
  const complete = pFunctions(gains, kind)
  const filled = gains.atWorst ? pFunctions(gains.atWorst, kind) : complete
  const shown = { ...complete.shown, below: filled.shown.below }
  const safe = { ...complete.safe, below: filled.safe.below }
  const methods = METHODS[gains.groups && kind.kind !== 'log ratios' ? 'groups' : kind.kind]
  return {
    gain: shown.estimate,
    p: pValue(shown),
    interval: (alpha) => intervalOf(shown, alpha),
    marginInterval: (alpha) => intervalOf(safe, alpha),
    statistic: shown.spread === 0 ? 0 : shown.estimate / shown.spread,
    ...methods,
    minAttainableP: 2 ** -countDiffering(gains.values),
    // That of yes/no values is enumerated: see `powerOfRates`.
    detectable: kind.kind === 'yes/no' ? null : detectableOf(complete.sensitive),
  }
}

/** What is found in 80 of 100 comparisons: the reach of the interval, and 0.84 standard errors more. */
function detectableOf(p: PFunction): number {
  const [low, high] = intervalOf(p)
  return Math.max(p.estimate - low, high - p.estimate) + POWER_QUANTILE * p.spread
}

const POWER_QUANTILE = normalQuantile(0.8)

const METHODS = {
  'yes/no': {
    intervalMethod: 'inverted mid-p McNemar test (Fagerland et al. 2013)',
    testMethod: 'mid-p McNemar test',
  },
  scores: {
    intervalMethod: 't and Bayesian bootstrap with one more item, the wider one (Student 1908; Rubin 1981)',
    testMethod: 't test and Bayesian bootstrap with one more item, the greater p',
  },
  groups: {
    intervalMethod:
      'cluster-robust t and Bayesian bootstrap with one more group, the wider one (Bell & McCaffrey 2002)',
    testMethod: 'cluster-robust t test and Bayesian bootstrap with one more group, the greater p',
  },
  'log ratios': {
    intervalMethod: 't of the logarithms of the ratios (Student 1908)',
    testMethod: 't test of the logarithms of the ratios',
  },
}

function pFunctions(gains: Differences, kind: Kind): PFunctions {
  switch (kind.kind) {
    case 'yes/no': {
      const counts = { gained: 0, lost: 0, items: gains.values.length }
      for (const gain of gains.values) {
        if (gain > 0) counts.gained += 1
        else if (gain < 0) counts.lost += 1
      }
      const rates = pairedRates(counts)
      return { shown: rates, safe: rates, sensitive: rates }
    }
    case 'scores':
      return pairedScores(gains, { range: kind.range, canBreak: !kind.isRate })
    case 'log ratios':
      return pairedLogRatios(gains)
  }
}

/** The ratio of the totals, for metrics of which some items are 0 in one of the runs. Null if a total is not positive. */
export function inferTotals(
  totals: { baseline: readonly number[]; candidate: readonly number[]; groups?: readonly string[] | undefined },
  direction: 1 | -1,
): Inference | null {
  const forward = ratioOfTotals(totals)
  const found = direction === 1 ? forward : forward && mirrored(forward)
  if (!found) return null
  const interval = (alpha: number) => intervalOf(found, alpha)
  return {
    gain: found.estimate,
    p: pValue(found),
    interval,
    marginInterval: interval,
    statistic: found.estimate / found.spread,
    intervalMethod: 'ratio of the totals (Fieller 1954)',
    testMethod: 't test of the totals (Fieller 1954)',
    minAttainableP: 0,
    detectable: detectableOf(found),
  }
}

/**
 * Evidence that stays valid however often it is looked at while items are added: see `unplanned-looks.ts`. Without a `range`,
 * the most that one item could change, a later item could change the mean by any amount: only the direction of each counts.
 */
export function inferSequentially(
  gains: Gains,
  { range, gain = meanOf(gains.values) }: { range?: number | undefined; gain?: number | undefined } = {},
): Inference {
  const scaled = ({ values, groups }: Differences) => {
    const means = groups ? groupMeans(values, groups) : values
    return means.map((gain) => (range === undefined ? Math.sign(gain) : gain / range))
  }
  const [values, atWorst] = [scaled(gains), scaled(gains.atWorst ?? gains)]
  const [complete, filled] = [unplannedLooks(values), unplannedLooks(atWorst)]
  const interval = (alpha: number): Interval | null => {
    return range === undefined ? null : [range * filled.interval(alpha)[0], range * complete.interval(alpha)[1]]
  }
  // A gain must remain with the missing items, and its direction must be that of most items if only directions count.
  const [deciding, evidence] = gain > 0 ? [atWorst, filled] : [values, complete]
  const eValue = meanOf(deciding) * gain > 0 ? evidence.eValue(0) : 1
  return {
    gain,
    p: Math.min(1, 1 / eValue),
    interval,
    marginInterval: interval,
    statistic: Math.min(Number.MAX_VALUE, eValue),
    intervalMethod:
      range === undefined
        ? 'none: a metric without a scale has no always-valid interval'
        : 'always-valid interval by betting (Waudby-Smith & Ramdas 2024)',
    testMethod: 'e-value by betting (Waudby-Smith & Ramdas 2024)',
    minAttainableP: 0,
    detectable: null,
  }
}

function meanOf(values: Float64Array): number {
  return sumOf(values) / values.length
}

function groupMeans(values: Float64Array, groups: readonly string[]): Float64Array {
  const byGroup = Map.groupBy(values.keys(), (index) => groups[index])
  return Float64Array.from(byGroup.values(), (indexes) => {
    return indexes.reduce((sum, index) => sum + (values[index] ?? 0), 0) / indexes.length
  })
}

function countDiffering(values: Float64Array): number {
  let differing = 0
  for (const value of values) if (value !== 0) differing += 1
  return differing
}
