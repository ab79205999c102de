import type { Clock } from '../../base/clock.ts'
import type { NewId } from '../../base/ids.ts'
import { enqueueJob } from '../../jobs/enqueue.ts'
import type { Db, Queries } from '../../storage/db.ts'
import { CLEARING } from './clear-old-traces.ts'
import { cutoffOf } from './retention-cutoff.ts'
import {
  deleteFailedClearingJobs,
  hasClearingJob,
  listRetentionOfAnyWorkspace,
  listTracesBefore,
  lockRetention,
} from './retention-queries.ts'

type Parts = { clock: Clock; newId: NewId }

/** Asks for a clearing wherever there is something too old. Every process does this; each workspace gets one job at a time. */
export async function requestClearingOfAnyWorkspace(db: Db, parts: Parts): Promise<void> {
  for (const { workspaceId, days } of await listRetentionOfAnyWorkspace(db.read)) {
    const { id } = cutoffOf(parts.clock.now(), days)
    const [oldest] = await listTracesBefore(db.read, workspaceId, { id, limit: 1 })
    if (oldest) await db.transaction((tx) => requestClearing(tx, parts, workspaceId))
  }
}

async function requestClearing(tx: Queries, parts: Parts, workspaceId: string): Promise<void> {
  // Held, so that two processes that look at the same time do not both find no job.
  const retention = await lockRetention(tx, workspaceId)
  if (!retention || retention.days === null || (await hasClearingJob(tx, workspaceId, CLEARING))) return
  await deleteFailedClearingJobs(tx, workspaceId, CLEARING)
  await enqueueJob(tx, parts, { workspaceId, kind: CLEARING, payload: {} })
}
