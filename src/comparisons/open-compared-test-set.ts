import { comparisonSubject, openTestSet } from '../datasets/splits/test-openings.ts'
import type { Context } from '../http/route.ts'
import type { Comparison } from './compare-runs.ts'

/** Records that items of the test split were compared. Null if there were none. */
export async function openTestSetOf(
  context: Pick<Context, 'db' | 'clock'>,
  {
    workspaceId,
    dataset,
    baseline,
    candidate,
  }: Pick<Comparison, 'dataset' | 'baseline' | 'candidate'> & { workspaceId: string },
) {
  if (!dataset.readsTest) return null
  const subject = comparisonSubject(baseline, candidate)
  return openTestSet(context, { workspaceId, datasetId: dataset.id, subject })
}
