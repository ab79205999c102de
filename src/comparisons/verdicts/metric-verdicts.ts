/**
 * Derives the verdicts of all metrics from their evidence, with p corrected for multiple tests.
 *
 * Reported metrics are corrected separately: they do not affect the overall verdict, and four metrics that every trace
 * has must not hide a result of an evaluator. A test that cannot reach significance because too few pairs differ is not
 * counted: Tarone, R. E. (1990), A modified Bonferroni method for discrete data, Biometrics 46, 515–522.
 */

import type { Interval } from '../../statistics/interval.ts'
import { holmAdjusted } from '../../statistics/paired-tests.ts'
import type { Power } from '../evidence/comparison-power.ts'
import type { CorrectedDifference } from '../evidence/correct-difference.ts'
import type { Estimate } from '../evidence/estimate-mean.ts'
import type { Evidence } from '../evidence/evidence.ts'
import type { Metric } from '../pairing/compared-metrics.ts'
import type { Flips, MeasuredPairs } from '../pairing/measure-pairs.ts'
import type { MissingItems } from '../pairing/missing-items.ts'
import { decide, isNotWorse, SIGNIFICANCE, type Verdict } from './verdict.ts'
import { missingSummary, type RunNames, summaryOf } from './verdict-summary.ts'

/** A metric as the API returns it. */
export type ComparedMetric = {
  name: string
  kind: 'binary' | 'numeric'
  role: 'quality' | 'reported'
  higherIsBetter: boolean
  scale: readonly [number, number] | null
  /** The number of value pairs. */
  n: number
  /** The number of independent observations, unless they are grouped. Repetitions of an item are not independent. */
  items: number
  /** Null if the dataset names no groups. */
  groups: number | null
  designEffect: number | null
  missing: number
  failed: number
  baseline: Estimate
  candidate: Estimate
  difference: number | null
  ci: Interval | null
  method: string
  test: { method: string; statistic: number; p: number; pAdjusted: number } | null
  wins: number
  ties: number
  losses: number
  flips: Flips | null
  verdict: Verdict
  notWorseThanMargin: boolean | null
  summary: string
  /** Another possible cause of the difference, or null. */
  warning: string | null
  power: Power
  /** What is compared if it differs from what the name says, or null. */
  measuredAs: string | null
  missingItems: MissingItems & { summary: string | null }
  /** Null if no item was rated in both runs. */
  corrected: CorrectedDifference | null
}

/** The measurements of a metric without the pairs, which are not needed after this point. */
export type MeasuredMetric = {
  metric: Metric
  measured: Omit<MeasuredPairs, 'values' | 'labels'>
  evidence: Evidence
  missingItems: MissingItems
  corrected: CorrectedDifference | null
}

export function decideMetricVerdicts(
  measuredMetrics: readonly MeasuredMetric[],
  {
    margin,
    names,
    corrections = correctTogether(measuredMetrics),
  }: { margin?: number | undefined; names: RunNames; corrections?: Corrections },
): ComparedMetric[] {
  return measuredMetrics.map((one) => {
    const { metric, measured, evidence, missingItems, corrected } = one
    const { name, role, higherIsBetter, scale, warning, isFromTraces, measuredAs } = metric
    const { isBinary, test, unseen: _, ...numbers } = evidence
    const { tested, pOf } = corrections[role]
    const pAdjusted = pOf.get(one) ?? test?.p ?? null
    const input = { ...evidence, higherIsBetter, scale, missingItems }
    const decision = decide(input, { pAdjusted, testDirection: test?.testDirection ?? 0 })
    const isWithinMargin = margin === undefined ? null : isNotWorse(input, margin)
    const context = {
      decision,
      pAdjusted,
      tested,
      names,
      margin: margin === undefined || isWithinMargin === null ? undefined : { value: margin, isWithinMargin },
    }
    return {
      name,
      kind: kindOf(metric, isBinary),
      role,
      higherIsBetter,
      scale,
      ...numbers,
      groups: evidence.groups ?? null,
      designEffect: evidence.designEffect ?? null,
      missing: measured.missing,
      failed: measured.failed,
      test:
        test && pAdjusted !== null ? { method: test.method, statistic: test.statistic, p: test.p, pAdjusted } : null,
      flips: measured.flips,
      verdict: decision.verdict,
      notWorseThanMargin: isWithinMargin,
      summary: summaryOf({ ...input, name, isFromTraces, measuredAs }, context),
      warning,
      measuredAs,
      missingItems: { ...missingItems, summary: missingSummary({ name, isFromTraces, missingItems }, names) },
      corrected,
    }
  })
}

export type Corrections = Record<Metric['role'], ReturnType<typeof correctForMultipleTests>>

/** The corrected p of all of these metrics, which may belong to several comparisons. */
export function correctTogether(measuredMetrics: readonly MeasuredMetric[]): Corrections {
  return {
    quality: correctForMultipleTests(measuredMetrics, 'quality'),
    reported: correctForMultipleTests(measuredMetrics, 'reported'),
  }
}

function correctForMultipleTests(measuredMetrics: readonly MeasuredMetric[], role: Metric['role']) {
  const tested = measuredMetrics.filter(({ metric, evidence: { test } }) => {
    return metric.role === role && test !== null && test.minAttainableP < SIGNIFICANCE
  })
  const adjusted = holmAdjusted(tested.map(({ evidence }) => evidence.test?.p ?? 1))
  return { tested: tested.length, pOf: new Map(tested.map((one, index) => [one, adjusted[index] ?? 1])) }
}

/** A categorical evaluator that also returns scores is compared by its scores. */
function kindOf({ kind }: Metric, isBinary: boolean): 'binary' | 'numeric' {
  if (kind === 'binary' || kind === 'numeric') return kind
  return isBinary ? 'binary' : 'numeric'
}
