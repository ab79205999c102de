import { compareMetric } from '../../src/comparisons/evidence/compare-metric.ts'
import type { CompareOptions, Evidence } from '../../src/comparisons/evidence/evidence.ts'
import { type Metric, plainColumn } from '../../src/comparisons/pairing/compared-metrics.ts'
import { ItemValues } from '../../src/comparisons/pairing/item-values.ts'
import type { IncompleteItem } from '../../src/comparisons/pairing/measure-items.ts'
import type { LookRule } from '../../src/comparisons/verdicts/look-rule.ts'
import { type ComparedMetric, decideMetricVerdicts } from '../../src/comparisons/verdicts/metric-verdicts.ts'

/** One value of an item on each side. */
export type ValuePair = { itemId: string; baseline: number; candidate: number }

/** All items have a value in both runs. */
export const NONE_MISSING = { items: 184, incomplete: 0, baseline: 0, candidate: 0, failed: 0, neither: 0 }

/** Compares items as a test thinks of them. */
export function comparePairs(
  pairs: readonly ValuePair[],
  options: Omit<CompareOptions, 'isRatio'> & { isRatio?: boolean },
  incomplete: readonly IncompleteItem[] = [],
): Promise<Evidence> {
  const values = new ItemValues()
  for (const { itemId, baseline, candidate } of pairs) values.add(itemId, baseline, candidate)
  return compareMetric({ values, incomplete }, { isRatio: false, ...options })
}

export const METRIC: Metric = {
  name: 'helpful',
  kind: null,
  scale: [0, 1],
  higherIsBetter: true,
  isRatio: false,
  role: 'quality',
  isFromTraces: false,
  evaluations: null,
  hasFailed: false,
  isSampled: false,
  isJudged: true,
  measuredAs: null,
  warning: null,
  baseline: plainColumn(() => undefined),
  candidate: plainColumn(() => undefined),
}

export type Judged = { evidence: Evidence; metric?: Partial<Metric> }

/** The rows of these metrics, corrected for each other. */
export function judgeTogether(
  judged: readonly Judged[],
  options: { margin?: number; candidates?: number; rule?: LookRule } = {},
) {
  const measured = { missing: NONE_MISSING, failed: 0, flips: null, orderFlips: null, gains: new Float64Array() }
  return decideMetricVerdicts(
    judged.map(({ evidence, metric }) => ({
      metric: { ...METRIC, ...metric },
      measured,
      evidence,
      corrected: () => null,
    })),
    { ...options, names: { baseline: 'A', candidate: 'B' } },
  )
}

export function judge(
  evidence: Evidence,
  metric: Partial<Metric> = {},
  options: { margin?: number } = {},
): ComparedMetric {
  const [row] = judgeTogether([{ evidence, metric }], options)
  if (!row) throw new Error('one metric has one row')
  return row
}
