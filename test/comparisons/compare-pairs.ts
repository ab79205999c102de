import { compareMetric } from '../../src/comparisons/evidence/compare-metric.ts'
import type { CompareOptions } from '../../src/comparisons/evidence/evidence.ts'
import { ValuePairs } from '../../src/comparisons/pairing/measure-pairs.ts'

/** One value on each side. Those of one item are repetitions. */
export type ValuePair = { itemId: string; baseline: number; candidate: number }

/** All items have a value in both runs. */
export const NONE_MISSING = { items: 184, incomplete: 0, baseline: 0, candidate: 0, failed: 0, ci: null }

/** Compares pairs as a test thinks of them. */
export function comparePairs(pairs: readonly ValuePair[], options: CompareOptions) {
  const values = new ValuePairs()
  for (const { itemId, baseline, candidate } of pairs) values.add(itemId, baseline, candidate)
  return compareMetric(values, options)
}
