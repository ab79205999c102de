/** From the evidence of all metrics to their verdicts: p is corrected for as many as were tested. */
import { holmAdjusted } from '../statistics/holm.ts'
import type { Interval } from '../statistics/interval.ts'
import type { Evidence, Power } from './compare-metric.ts'
import type { Metric } from './compared-metrics.ts'
import type { Flips, MeasuredPairs } from './measure-pairs.ts'
import type { Estimate } from './side-mean.ts'
import { decide, isNotWorse, type VerdictWord } from './verdict.ts'
import { sentenceOf } from './verdict-sentence.ts'

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
  verdict: VerdictWord
  notWorseThanMargin: boolean | null
  sentence: string
  /** What else the verdict may come from; null if nothing is known. */
  warning: string | null
  power: Power
}

/** What is known of a metric when its pairs have been gone through; the pairs themselves are not kept. */
export type Examined = { metric: Metric; measured: Omit<MeasuredPairs, 'values' | 'labels'>; evidence: Evidence }

export function judgeMetrics(
  examined: readonly Examined[],
  { margin, candidateName }: { margin?: number | undefined; candidateName: string },
): ComparedMetric[] {
  const tested = examined.filter(({ evidence }) => evidence.test !== null)
  const adjusted = holmAdjusted(tested.map(({ evidence }) => evidence.test?.p ?? 1))
  const pOf = new Map(tested.map((one, place) => [one, adjusted[place] ?? 1]))
  return examined.map((one) => {
    const { metric, measured, evidence } = one
    const { name, role, higherIsBetter, scale, warning, isFromTraces } = metric
    const { isBinary, test, ...numbers } = evidence
    const pAdjusted = pOf.get(one) ?? null
    const judged = { ...evidence, higherIsBetter, scale }
    const decision = decide(judged, { pAdjusted, leaning: test?.leaning ?? 0 })
    const isKept = margin === undefined ? null : isNotWorse(judged, margin)
    const telling = {
      decision,
      pAdjusted,
      tested: tested.length,
      candidateName,
      margin: margin === undefined || isKept === null ? undefined : { value: margin, isKept },
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
      verdict: decision.word,
      notWorseThanMargin: isKept,
      sentence: sentenceOf({ ...judged, name, isFromTraces }, telling),
      warning,
    }
  })
}

/** A categorical evaluator that also gives scores is compared by them, as any other. */
function kindOf({ kind }: Metric, isBinary: boolean): 'binary' | 'numeric' {
  if (kind === 'binary' || kind === 'numeric') return kind
  return isBinary ? 'binary' : 'numeric'
}
