import type { Split } from '../../datasets/splits/split.ts'
import { readSplitItems } from '../../datasets/splits/test-openings.ts'
import type { Queries } from '../../storage/db.ts'
import type { RunCase } from './pair-items.ts'

type Sides = { baseline: readonly RunCase[]; candidate: readonly RunCase[] }

/**
 * The cases of both runs whose item belongs to the split, or all without a split, and whether any of them is a test item.
 * A case without an item belongs to no split.
 */
export async function selectCases(
  q: Queries,
  { split, ...dataset }: { workspaceId: string; datasetId: string; split: Split | undefined },
  { baseline, candidate }: Sides,
): Promise<Sides & { readsTest: boolean }> {
  const items = await readSplitItems(q, { ...dataset, split: split ?? 'test' })
  const isIn = ({ itemId }: RunCase) => itemId !== null && items.has(itemId)
  if (split === undefined) {
    const readsTest = items.size > 0 && (baseline.some(isIn) || candidate.some(isIn))
    return { baseline, candidate, readsTest }
  }
  const selected = { baseline: baseline.filter(isIn), candidate: candidate.filter(isIn) }
  return { ...selected, readsTest: split === 'test' && selected.baseline.length + selected.candidate.length > 0 }
}
