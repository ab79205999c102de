import { type Clock, timestamp } from '../base/clock.ts'
import type { NewId } from '../base/ids.ts'
import type { Queries } from '../storage/db.ts'
import { dbNow } from '../storage/dialect.ts'

/** What a job is, for whoever asks for one: a kind that some handler knows, and what it needs to know. */
export type NewJob = { workspaceId: string; kind: string; payload: Record<string, string> }

/** Asks for work in the caller's own transaction: the job exists exactly if the rows that it belongs to do. */
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
      // By the clock that it is compared with: a server whose own runs ahead must not put its jobs off.
      run_at: dbNow(tx, clock, 0),
      lease_owner: null,
      lease_until: null,
      last_error: null,
      created_at: now,
    })
    .execute()
}
