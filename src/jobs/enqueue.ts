import { type Clock, timestamp } from '../base/clock.ts'
import type { NewId } from '../base/ids.ts'
import type { Queries } from '../storage/db.ts'
import { dbNow } from '../storage/dialect.ts'

/** `kind` selects the handler; `payload` is its input. */
export type NewJob = { workspaceId: string; kind: string; payload: Record<string, string> }

/** Inserts a job in the caller's transaction, so that the job exists exactly if the related rows do. */
export async function enqueueJob(
  tx: Queries,
  { clock, newId }: { clock: Clock; newId: NewId },
  job: NewJob,
): Promise<void> {
  const now = timestamp(clock.now())
  await tx
    .insertInto('jobs')
    .values({
      workspace_id: job.workspaceId,
      id: newId(),
      kind: job.kind,
      payload: JSON.stringify(job.payload),
      state: 'queued',
      attempts: 0,
      fence: 0,
      // The database clock, because it is compared with that: a server whose clock is ahead must not delay its jobs.
      run_at: dbNow(tx, clock, 0),
      lease_owner: null,
      lease_until: null,
      last_error: null,
      created_at: now,
    })
    .execute()
}
