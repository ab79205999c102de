import { type Clock, timestamp } from '../base/clock.ts'
import type { NewId } from '../base/ids.ts'
import type { Queries } from '../storage/db.ts'
import { insertJob, updateQueuedJob } from './job-queries.ts'

/** `kind` selects the handler; `payload` is its input. */
export type NewJob = { workspaceId: string; kind: string; payload: Record<string, string> }

/** Inserts a job in the caller's transaction, so that the job exists exactly if the related rows do. */
export async function enqueueJob(
  tx: Queries,
  { clock, newId }: { clock: Clock; newId: NewId },
  { workspaceId, kind, payload }: NewJob,
): Promise<void> {
  const createdAt = timestamp(clock.now())
  await insertJob(tx, clock, { workspaceId, id: newId(), kind, payload: JSON.stringify(payload), createdAt })
}

/**
 * Makes a paused job due now, in the transaction of what it waits for. A job that is running is not changed: before it pauses, it checks
 * whether it still has to wait.
 */
export async function wakeJob(
  tx: Queries,
  { clock }: { clock: Clock },
  { workspaceId, kind, payload }: NewJob,
): Promise<void> {
  await updateQueuedJob(tx, clock, { workspaceId, kind, payload: JSON.stringify(payload) })
}
