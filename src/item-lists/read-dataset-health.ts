import type { DatasetScope } from '../datasets/items/item-queries.ts'
import { HEALTH_CHECKS, type HealthCheck } from './item-filters.ts'
import { SIMILARITY_MIN } from './near-duplicates.ts'
import { type ItemReads, selectByCheck } from './select-item-ids.ts'

const EXAMPLES_MAX = 100

const METHODS: Record<HealthCheck, string> = {
  duplicates: 'Items with the same question as another item: JSON without regard to key order and whitespace.',
  near_duplicates: `Items whose question shares at least ${SIMILARITY_MIN * 100} % of its groups of three characters with that of another item (Jaccard similarity of the first 1,000 characters, without case and punctuation).`,
  conflicts: 'Items with the same question and different expected outputs.',
  without_expected: 'Items without an expected output. Evaluators that compare with it skip them.',
  never_run: 'Items that no run has a trace of.',
  test_read:
    'Items of the test split that an evaluation or a comparison has read. They are less of a surprise each time.',
}

/** What can be wrong with the items of a dataset, each with the number of items and some of them. */
export async function readDatasetHealth(reads: ItemReads, scope: DatasetScope) {
  const checks: { check: HealthCheck; count: number; itemIds: string[]; method: string }[] = []
  for (const check of HEALTH_CHECKS) {
    const ids = await selectByCheck(reads, scope, check)
    checks.push({ check, count: ids.length, itemIds: ids.slice(0, EXAMPLES_MAX), method: METHODS[check] })
  }
  const { pairs, compared, isComplete } = await reads.readNearDuplicates(reads.db, reads.q, scope, reads.signal)
  return { checks, nearDuplicates: { compared, isComplete, pairs: pairs.slice(0, EXAMPLES_MAX) } }
}
