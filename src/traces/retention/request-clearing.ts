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

type Deps = { clock: Clock; newId: NewId }

/** Requests a clearing for each workspace with expired traces. Every process runs this; each workspace has one job at a time. */
export async function requestClearingOfAnyWorkspace(db: Db, deps: Deps): Promise<void> {
  for (const { workspaceId, days } of await listRetentionOfAnyWorkspace(db.read)) {
    const { id } = cutoffOf(deps.clock.now(), days)
    const [oldest] = await listTracesBefore(db.read, workspaceId, { id, limit: 1 })
    if (oldest) await db.transaction((tx) => requestClearing(tx, deps, workspaceId))
  }
}

async function requestClearing(tx: Queries, deps: Deps, workspaceId: string): Promise<void> {
  // Locked, so that concurrent processes do not both find no job.
  const retention = await lockRetention(tx, workspaceId)
  if (!retention || retention.days === null || (await hasClearingJob(tx, workspaceId, CLEARING))) return
  await deleteFailedClearingJobs(tx, workspaceId, CLEARING)
  await enqueueJob(tx, deps, { workspaceId, kind: CLEARING, payload: {} })
}
