import type { Queries } from '../../storage/db.ts'
import type { TrialRow } from '../trial-queries.ts'
import type { Variant } from '../variant-queries.ts'
import { findTracesOfItems } from './call-item-queries.ts'
import type { CallRow } from './call-queries.ts'
import { callTraceId } from './call-trace-id.ts'

type ShownCall = Pick<CallRow, 'variant' | 'itemId' | 'repetition' | 'state' | 'attempt'>

/** A function for the trace of each of these calls: that of the last attempt, or the one that was recorded; null before the first attempt. */
export async function readTracesOfCalls(
  q: Queries,
  { workspaceId, id: trialId, datasetId }: Pick<TrialRow, 'workspaceId' | 'id' | 'datasetId'>,
  { variants, calls }: { variants: readonly Variant[]; calls: readonly ShownCall[] },
): Promise<(call: ShownCall) => string | null> {
  const recorded = variants.find(({ target }) => target.type === 'recorded')?.number
  const isRecorded = ({ variant, state }: ShownCall) => variant === recorded && state === 'done'
  const itemIds = [...new Set(calls.filter(isRecorded).map(({ itemId }) => itemId))]
  const traces = itemIds.length === 0 ? undefined : await findTracesOfItems(q, { workspaceId, datasetId }, itemIds)
  return (call) => {
    if (call.attempt === 0) return null
    // Null if the item was deleted since.
    return isRecorded(call) ? (traces?.get(call.itemId) ?? null) : callTraceId({ trialId, ...call })
  }
}
