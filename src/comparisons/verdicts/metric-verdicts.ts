/**
 * Derives the rows and verdicts of all metrics from their evidence, corrected for multiple tests (Holm).
 *
 * A row shows what decides: the interval at the confidence that the correction leaves to it. What the metric would be alone
 * is a second line. Reported metrics are corrected separately: they do not affect the overall verdict, and four metrics that
 * every trace has must not hide a result of an evaluator. A test that cannot reach significance because too few items
 * differ is not counted: Tarone, R. E. (1990), A modified Bonferroni method for discrete data, Biometrics 46, 515–522.
 */

import type { Interval } from '../../statistics/interval.ts'
import { holmAdjusted } from '../../statistics/paired-tests.ts'
import { type Power, powerOfLooks } from '../evidence/comparison-power.ts'
import type { CorrectedDifference } from '../evidence/correct-difference.ts'
import type { Estimate } from '../evidence/estimate-mean.ts'
import type { Evidence, Inference } from '../evidence/evidence.ts'
import type { Metric } from '../pairing/compared-metrics.ts'
import type { Flips, MeasuredItems, MissingCounts, OrderFlips } from '../pairing/measure-items.ts'
import { type LookRule, SINGLE_LOOK } from './look-rule.ts'
import { decide, isNotWorse, marginOn, SIGNIFICANCE, type Verdict } from './verdict.ts'
import { missingSummary, type RunNames, summaryOf } from './verdict-summary.ts'

/** A metric as the API returns it. */
export type ComparedMetric = {
  name: string
  kind: 'binary' | 'numeric'
  role: 'quality' | 'reported'
  higherIsBetter: boolean
  scale: readonly [number, number] | null
  /** The evaluations that it is read from; null for metrics of traces and for ratings. */
  evaluations: { baseline: string | null; candidate: string | null } | null
  /** The number of items with a value in both runs. Each counts once, with the mean of its repetitions. */
  n: number
  items: number
  /** The number of values of each run, counting repetitions. */
  values: { baseline: number; candidate: number }
  /** Null if the dataset names no groups. */
  groups: number | null
  designEffect: number | null
  missing: number
  failed: number
  baseline: Estimate
  candidate: Estimate
  difference: number | null
  /** Of the difference; null for a metric that is compared by its ratio. */
  ci: Interval | null
  /** The confidence of `ci` or `ratioCi`: 0.95, or more if it is corrected. */
  confidence: number
  method: string
  /** Candidate / baseline of a typical item; null for a metric that is compared by its difference. */
  ratio: number | null
  ratioCi: Interval | null
  /** Candidate / baseline of the totals. */
  totalRatio: number | null
  test: { method: string; statistic: number; p: number; pAdjusted: number } | null
  /** What p and interval are corrected for, such as `corrected for 4 metrics`; null if for nothing. */
  correction: string | null
  /** The interval of this metric alone, at the level of the look, if others were corrected for; otherwise null. */
  alone: { ci: Interval | null; p: number } | null
  /** The interval that a margin is compared with, at the level of the look: it also allows for a breakage that this number of items can hide. */
  marginCi: Interval | null
  wins: number
  ties: number
  losses: number
  flips: Flips | null
  orderFlips: OrderFlips | null
  verdict: Verdict
  notWorseThanMargin: boolean | null
  summary: string
  /** Another possible cause of the difference, or null. */
  warning: string | null
  power: Power
  /** What is compared if it differs from what the name says, or null. */
  measuredAs: string | null
  missingItems: MissingCounts & { summary: string | null }
  /** Null if no item was rated in both runs. */
  corrected: CorrectedDifference | null
}

/** The measurements of a metric. `corrected` is the difference that ratings correct, at a confidence of 1 − alpha. */
export type MeasuredMetric = {
  metric: Metric
  measured: Pick<MeasuredItems, 'missing' | 'failed' | 'flips' | 'orderFlips' | 'gains'>
  evidence: Evidence
  corrected: (alpha: number) => CorrectedDifference | null
}

type DecideOptions = {
  margin?: number | undefined
  names: RunNames
  /** The number of candidates of which one is chosen: each of them has a part of the level. Default: 1. */
  candidates?: number | undefined
  /** How often the items have decided, with this time, if each of them has a part of the level. Default: 1. */
  openings?: number | undefined
  /** Default: that of a single look. */
  rule?: LookRule | undefined
}

/**
 * Each of several tests spends its part of the 5 % over all looks: Maurer, W. & Bretz, F. (2013), Multiple testing in group
 * sequential trials using graphical approaches, Statistics in Biopharmaceutical Research 5, 311–320.
 */
export function decideMetricVerdicts(
  measuredMetrics: readonly MeasuredMetric[],
  { margin, names, candidates = 1, openings = 1, rule = SINGLE_LOOK }: DecideOptions,
): ComparedMetric[] {
  const { level } = rule.looking
  const choices = candidates * openings
  const levelOfCandidate = rule.levelFor(SIGNIFICANCE / choices)
  const factorOfTests = (tests: number) => levelOfCandidate / rule.levelFor(SIGNIFICANCE / choices / tests)
  const corrections = {
    quality: correctForMultipleTests(measuredMetrics, 'quality', factorOfTests),
    reported: correctForMultipleTests(measuredMetrics, 'reported', factorOfTests),
  }
  return measuredMetrics.map((one) => {
    const { metric, measured, evidence, corrected } = one
    const { name, role, higherIsBetter, scale, evaluations, warning, measuredAs } = metric
    const { isFromTraces, isRatio, isPreference } = metric
    const { isBinary, inference, items, groups, designEffect, withoutRatio: _, ...numbers } = evidence
    const { tested, factorOf } = corrections[role]
    // How many times smaller the level of this row is than that of the look.
    const factor = (factorOf.get(one) ?? 1) * (level / levelOfCandidate)
    const alpha = level / factor
    const power = powerOfLooks(evidence.power, rule.inflation)
    const input = { ...evidence, power, higherIsBetter, scale, isRatio, isPreference }
    const applied = marginOn(metric, margin)
    const decision = decide(input, { alpha, margin })
    const isKept = applied === undefined ? null : isNotWorse(input, applied, level)
    const row = inference && rowOf(inference, metric, { alpha, factor, level })
    const { missing: missingItems, failed, flips, orderFlips } = measured
    const shown = { ...input, ...ROW_WITHOUT_ITEMS, ...row, name, isFromTraces, measuredAs, missingItems, orderFlips }
    const correction = correctionOf({
      look: rule.correction,
      metrics: factorOf.has(one) ? tested : 1,
      candidates,
      openings,
    })
    const context = {
      decision,
      p: inference?.p ?? null,
      pAdjusted: row?.test.pAdjusted ?? null,
      correction,
      names,
      margin: isKept === null ? undefined : margin,
      isSequential: rule.looking.rule === 'sequential',
    }
    return {
      name,
      kind: kindOf(metric, isBinary),
      role,
      higherIsBetter,
      scale,
      evaluations,
      n: items,
      items,
      ...numbers,
      power,
      groups: groups ?? null,
      designEffect: designEffect ?? null,
      missing: missingItems.incomplete,
      failed,
      ...ROW_WITHOUT_ITEMS,
      confidence: 1 - level,
      ...row,
      correction,
      flips,
      orderFlips,
      verdict: decision.verdict,
      notWorseThanMargin: isKept,
      summary: summaryOf(shown, context),
      warning,
      measuredAs,
      missingItems: { ...missingItems, summary: missingSummary(shown, names) },
      corrected: corrected(level),
    }
  })
}

const ROW_WITHOUT_ITEMS = {
  ci: null,
  method: 'none: fewer than two items',
  ratio: null,
  ratioCi: null,
  test: null,
  alone: null,
  marginCi: null,
}

type RowLevel = { alpha: number; factor: number; level: number }

function rowOf(inference: Inference, metric: Metric, { alpha, factor, level }: RowLevel) {
  const shown = (interval: Interval | null) => interval && inUnitOfMetric(interval, metric)
  const { p, gain, statistic, testMethod, intervalMethod } = inference
  const interval = shown(inference.interval(alpha))
  const alone = factor === 1 ? null : { ci: shown(inference.interval(level)), p }
  return {
    ...(metric.isRatio
      ? { ratio: Math.exp(metric.higherIsBetter ? gain : -gain), ratioCi: interval, ci: null }
      : { ratio: null, ratioCi: null, ci: interval }),
    confidence: 1 - alpha,
    method: intervalMethod,
    test: { method: testMethod, statistic, p, pAdjusted: Math.min(1, factor * p) },
    alone,
    marginCi: shown(inference.marginInterval(level)),
  }
}

/**
 * From the direction of better to candidate − baseline, or to candidate / baseline, which a very early look at a few items
 * does not bound.
 */
function inUnitOfMetric([low, high]: Interval, { higherIsBetter, isRatio }: Metric): Interval {
  const [least, most] = higherIsBetter ? [low, high] : [withoutSign(-high), withoutSign(-low)]
  return isRatio ? [Math.exp(least), Math.min(Number.MAX_VALUE, Math.exp(most))] : [least, most]
}

/** Avoids −0, which some serializers write with its sign. */
function withoutSign(value: number): number {
  return value === 0 ? 0 : value
}

type Corrected = { look: string | null; metrics: number; candidates: number; openings: number }

/** `corrected for look 3 of 5 and 4 metrics` */
function correctionOf({ look, metrics, candidates, openings }: Corrected): string | null {
  const several = (count: number, what: string) => (count > 1 ? [`${count} ${what}`] : [])
  const decided = several(openings, 'openings of the test split')
  const parts = [look ?? [], decided, several(candidates, 'candidates'), several(metrics, 'metrics')].flat()
  return parts.length === 0 ? null : `corrected for ${parts.join(' and ')}`
}

type FactorOfTests = (tests: number) => number

/** By which factor the p of each tested metric is corrected. */
function correctForMultipleTests(all: readonly MeasuredMetric[], role: Metric['role'], factorOfTests: FactorOfTests) {
  const tested = all.filter(({ metric, evidence: { inference } }) => {
    return metric.role === role && inference !== null && inference.minAttainableP < SIGNIFICANCE
  })
  const p = tested.map(({ evidence }) => evidence.inference?.p ?? 1)
  const adjusted = holmAdjusted(p, factorOfTests)
  const factorOf = new Map(tested.map((one, index) => [one, (adjusted[index] ?? 1) / (p[index] ?? 1)]))
  return { tested: tested.length, factorOf }
}

/** A categorical evaluator that also returns scores is compared by its scores. */
function kindOf({ kind }: Metric, isBinary: boolean): 'binary' | 'numeric' {
  if (kind === 'binary' || kind === 'numeric') return kind
  return isBinary ? 'binary' : 'numeric'
}
