/**
 * Compares one sample as the product does, without what a row needs beyond the verdict. Whether the interval contains the
 * true difference is read from the p-function, which costs a twentieth of computing the interval; a test compares it with the
 * rows of `compareMetric` and `decideMetricVerdicts`.
 */

import { logRatios } from '../../src/comparisons/evidence/compare-metric.ts'
import type { ItemValues } from '../../src/comparisons/pairing/item-values.ts'
import { decide, type Verdict } from '../../src/comparisons/verdicts/verdict.ts'
import { studentUpperTail } from '../../src/statistics/distributions.ts'
import { clusterRobustMean } from '../../src/statistics/groups/cluster-robust-mean.ts'
import { mirrored, type PFunction, pValue } from '../../src/statistics/paired/p-function.ts'
import { pairedLogRatios, pairedScores } from '../../src/statistics/paired/paired-means.ts'
import { pairedRates } from '../../src/statistics/paired/paired-rates.ts'
import { ratioOfTotals } from '../../src/statistics/paired/ratio-of-totals.ts'
import { sumOf } from '../../src/statistics/sums.ts'
import type { Outcome } from './simulated-cell.ts'

/** Durations and costs are `ratios`: less is better. */
export type Kind = 'yes/no' | 'scores' | 'ratios'

export type Sample = { readonly values: ItemValues; readonly groups?: readonly string[] | undefined }

export type Compared = {
  /** By how much each item is better in the candidate. */
  readonly gains: Float64Array
  readonly shown: PFunction
  readonly safe: PFunction
  /** Of ratios, that of the totals. */
  readonly totalRatio: number | null
  readonly verdict: Verdict
}

export const SCALE = [0, 1] as const

/** `alpha` is less than 0.05 if the sample is one of several. */
export function compareSample({ values, groups }: Sample, kind: Kind, alpha = 0.05): Compared {
  const gains = gainsOf(values, kind)
  const { shown, safe } = totalsOf(values, kind) ?? pFunctionsOf({ values: gains, groups }, kind)
  const totalRatio = kind === 'ratios' ? sumOf(values.candidate) / sumOf(values.baseline) : null
  const { verdict } = decide(
    {
      items: values.length,
      groups: groups && new Set(groups).size,
      inference: { ...NOT_NEEDED, gain: shown.estimate, p: pValue(shown) },
      totalRatio,
      higherIsBetter: kind !== 'ratios',
      scale: kind === 'ratios' ? null : SCALE,
      isRatio: kind === 'ratios',
    },
    { alpha },
  )
  return { gains, shown, safe, totalRatio, verdict }
}

function gainsOf(values: ItemValues, kind: Kind): Float64Array {
  if (kind !== 'ratios') return values.differences()
  const { values: ratios } = logRatios(values)
  return (ratios.length < values.length ? values.differences() : ratios).map((value) => -value)
}

/** The totals are compared where items have no ratio, because they are 0 in one of the runs. */
function totalsOf(values: ItemValues, kind: Kind): { shown: PFunction; safe: PFunction } | undefined {
  if (kind !== 'ratios' || logRatios(values).values.length > 0.98 * values.length) return undefined
  const totals = ratioOfTotals(values)
  return totals && { shown: mirrored(totals), safe: mirrored(totals) }
}

const NOT_NEEDED = {
  interval: () => null,
  marginInterval: () => null,
  statistic: 0,
  intervalMethod: '',
  testMethod: '',
  minAttainableP: 0,
  detectable: null,
}

function pFunctionsOf(
  gains: { values: Float64Array; groups: readonly string[] | undefined },
  kind: Kind,
): { shown: PFunction; safe: PFunction } {
  if (kind === 'ratios') return pairedLogRatios(gains)
  if (kind === 'scores' || gains.groups) return pairedScores(gains, { range: 1, canBreak: kind === 'scores' })
  const gained = gains.values.reduce((count, gain) => count + Number(gain > 0), 0)
  const lost = gains.values.reduce((count, gain) => count + Number(gain < 0), 0)
  const rates = pairedRates({ gained, lost, items: gains.values.length })
  return { shown: rates, safe: rates }
}

/** A decision on a margin needs so many independent items. */
const MARGIN_MIN = 30

/** `truth` is the true gain: of ratios, that of the logarithm. */
export function outcomeOf(sample: Sample, kind: Kind, { truth, units }: { truth: number; units: number }): Outcome {
  const { gains, shown, safe, totalRatio, verdict } = compareSample(sample, kind)
  const simple = simpleTest(gains, sample.groups)
  const expected = truth > 0 ? 'improved' : 'regressed'
  return {
    coverage: pValue(shown, truth) >= 0.05,
    // The total must keep the margin, too: it is what is paid.
    ...(truth <= 0 &&
      units >= MARGIN_MIN && { gate: safe.below(truth) < 0.025 && (totalRatio ?? 0) < Math.exp(-truth) }),
    ...(truth === 0
      ? { falseVerdicts: verdict === 'improved' || verdict === 'regressed', simpleFalse: simple !== 0 }
      : { power: verdict === expected, simplePower: simple === Math.sign(truth) }),
  }
}

/** The direction that a paired t test finds, or 0; of ratios it is the t test of logarithms, of groups that with CR2. */
function simpleTest(gains: Float64Array, groups: readonly string[] | undefined): -1 | 0 | 1 {
  const robust = clusterRobustMean({ values: gains, groups: groups ?? Array.from(gains, (_, index) => String(index)) })
  if (robust?.standardError === undefined) return 0
  const t = robust.mean / robust.standardError
  if (2 * studentUpperTail(Math.abs(t), robust.degreesOfFreedom) >= 0.05) return 0
  return t > 0 ? 1 : -1
}
