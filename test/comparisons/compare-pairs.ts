import { compareAnyValues } from '../../src/comparisons/evidence/compare-any-values.ts'
import type { CompareOptions } from '../../src/comparisons/evidence/compare-metric.ts'
import { ValuePairs } from '../../src/comparisons/pairing/value-pairs.ts'

/** One value on each side. Those of one item are repetitions. */
export type ValuePair = { itemId: string; baseline: number; candidate: number }

/** All items have a value in both runs. */
export const NONE_MISSING = { items: 184, incomplete: 0, baseline: 0, candidate: 0, failed: 0, ci: null }

/** Compares pairs as a test thinks of them, without pausing for anybody. */
export function comparePairs(pairs: readonly ValuePair[], options: CompareOptions) {
  const values = new ValuePairs()
  for (const { itemId, baseline, candidate } of pairs) values.add(itemId, baseline, candidate)
  return compareAnyValues(async () => {}, values, options)
}
