import { type Clock, timestamp } from '../base/clock.ts'
import type { NewId } from '../base/ids.ts'
import type { Queries } from '../storage/db.ts'
import { insertJob } from './job-queries.ts'

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
