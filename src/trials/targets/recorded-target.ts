import { badRequest } from '../../base/errors.ts'
import type { Queries } from '../../storage/db.ts'
import { hasItemsOfTraces } from '../calls/call-item-queries.ts'
import { type GivenTarget, rejectOtherFields } from './given-target.ts'

/** Nothing is called: the trace that each item was created from is the answer. Others are compared with what was answered then. */
export type RecordedTarget = { type: 'recorded' }

export function readRecordedTarget(given: GivenTarget, place: string): RecordedTarget {
  rejectOtherFields(given, place)
  return { type: 'recorded' }
}

/** Throws 400 if no item has a trace. */
export async function assertRecorded(q: Queries, of: { workspaceId: string; datasetId: string }): Promise<void> {
  if (await hasItemsOfTraces(q, of)) return
  throw badRequest(
    'A target of type recorded needs items that were created from traces, and the dataset has none; add some (POST …/items/from-query)',
  )
}
