/**
 * From the evidence of all metrics to their verdicts: p is corrected for as many as were tested.
 *
 * What is merely reported is corrected for by itself: it has no say in the whole, and four metrics that every trace has must not hide what
 * an evaluator found. A test that could not have shown anything, as too few pairs differ, is none: Tarone, R. E. (1990), A modified
 * Bonferroni method for discrete data, Biometrics 46, 515–522.
 */
import { holmAdjusted } from '../statistics/holm.ts'
import type { Interval } from '../statistics/interval.ts'
import type { Evidence } from './compare-metric.ts'
import type { Metric } from './compared-metrics.ts'
import type { Power } from './comparison-power.ts'
import type { Estimate } from './estimate-mean.ts'
import type { Flips, MeasuredPairs } from './measure-pairs.ts'
import { decide, isNotWorse, SIGNIFICANCE, type Verdict } from './verdict.ts'
import { summaryOf } from './verdict-summary.ts'

/** A metric as it is answered. */
export type ComparedMetric = {
  name: string
  kind: 'binary' | 'numeric'
  role: 'quality' | 'reported'
  higherIsBetter: boolean
  scale: readonly [number, number] | null
  /** Pairs of values. */
  n: number
  /** As many as these are independent of each other: repetitions are not. */
  items: number
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
  /** What else the verdict may come from; null if nothing is known. */
  warning: string | null
  power: Power
}

/** What is known of a metric when its pairs have been gone through; the pairs themselves are not kept. */
export type MeasuredMetric = { metric: Metric; measured: Omit<MeasuredPairs, 'values' | 'labels'>; evidence: Evidence }

export function decideMetricVerdicts(
  measuredMetrics: readonly MeasuredMetric[],
  { margin, candidateName }: { margin?: number | undefined; candidateName: string },
): ComparedMetric[] {
  const corrections = {
    quality: correctForMultipleTests(measuredMetrics, 'quality'),
    reported: correctForMultipleTests(measuredMetrics, 'reported'),
  }
  return measuredMetrics.map((one) => {
    const { metric, measured, evidence } = one
    const { name, role, higherIsBetter, scale, warning, isFromTraces } = metric
    const { isBinary, test, ...numbers } = evidence
    const { tested, pOf } = corrections[role]
    const pAdjusted = pOf.get(one) ?? test?.p ?? null
    const input = { ...evidence, higherIsBetter, scale }
    const decision = decide(input, { pAdjusted, testDirection: test?.testDirection ?? 0 })
    const isWithinMargin = margin === undefined ? null : isNotWorse(input, margin)
    const context = {
      decision,
      pAdjusted,
      tested,
      candidateName,
      margin: margin === undefined || isWithinMargin === null ? undefined : { value: margin, isWithinMargin },
    }
    return {
      name,
      kind: kindOf(metric, isBinary),
      role,
      higherIsBetter,
      scale,
      ...numbers,
      missing: measured.missing,
      failed: measured.failed,
      test:
        test && pAdjusted !== null ? { method: test.method, statistic: test.statistic, p: test.p, pAdjusted } : null,
      flips: measured.flips,
      verdict: decision.verdict,
      notWorseThanMargin: isWithinMargin,
      summary: summaryOf({ ...input, name, isFromTraces }, context),
      warning,
    }
  })
}

function correctForMultipleTests(measuredMetrics: readonly MeasuredMetric[], role: Metric['role']) {
  const tested = measuredMetrics.filter(({ metric, evidence: { test } }) => {
    return metric.role === role && test !== null && test.minAttainableP < SIGNIFICANCE
  })
  const adjusted = holmAdjusted(tested.map(({ evidence }) => evidence.test?.p ?? 1))
  return { tested: tested.length, pOf: new Map(tested.map((one, index) => [one, adjusted[index] ?? 1])) }
}

/** A categorical evaluator that also gives scores is compared by them, as any other. */
function kindOf({ kind }: Metric, isBinary: boolean): 'binary' | 'numeric' {
  if (kind === 'binary' || kind === 'numeric') return kind
  return isBinary ? 'binary' : 'numeric'
}
