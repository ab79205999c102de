import type { Context } from '../../http/route.ts'
import type { Comparison } from '../compare-runs.ts'
import { openTestSetOf, recordComparisonLook } from '../record-comparison-look.ts'
import type { Measured, Snapshot } from './read-snapshot.ts'

/** Counts the reading as a look and an opening of the test set, as every reading of a comparison. */
export async function recordSnapshot(
  context: Pick<Context, 'db' | 'clock'>,
  {
    workspaceId,
    measured,
    dataset,
    look,
  }: { workspaceId: string; measured: Measured } & Pick<Comparison, 'dataset' | 'look'>,
): Promise<Snapshot> {
  const { baseline, candidate } = measured
  const looks = await recordComparisonLook(context.db, context.clock, look)
  const testSet = await openTestSetOf(context, { workspaceId, dataset, baseline, candidate })
  return { ...measured, ...looks, testSet }
}
