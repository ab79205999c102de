/**
 * Deletes the traces of a workspace that are older than its retention period.
 *
 * The job first counts the traces to delete. Then, in chunks and oldest first, one transaction marks traces, deletes their rows and
 * records the progress. Finally it deletes unused resource scopes. All recorded chunks survive a crash. An interrupted run continues
 * where it stopped, because it looks for the remaining traces.
 *
 * A change of the retention period ends the run immediately, because it may correct a mistake. Housekeeping starts the next run.
 */
import { timestamp } from '../../base/clock.ts'
import { yieldToEventLoop } from '../../base/event-loop.ts'
import type { JobHandler, JobRun } from '../../jobs/job-handler.ts'
import type { Queries } from '../../storage/db.ts'
import { DELETED_SPANS_MAX, deleteTraceRows, markTracesDeleted } from '../delete-traces.ts'
import { type Cutoff, cutoffOf } from './retention-cutoff.ts'
import {
  countTracesBefore,
  deleteEmptyRollups,
  deleteUnusedResourceScopes,
  findRetention,
  listTracesBefore,
  lockRetention,
  updateProgress,
} from './retention-queries.ts'

export const CLEARING = 'retention'

const CHUNK_TRACES = 20
const CHUNK_RESOURCE_SCOPES = 500

export const retentionHandler: JobHandler = {
  kind: CLEARING,
  async run(job) {
    const { workspaceId, db, clock, signal, commit } = job
    const days = (await findRetention(db.read, workspaceId))?.days ?? null
    if (days === null) return commit((tx) => end(tx, job))
    const rule = { days, cutoff: cutoffOf(clock.now(), days) }
    const bulk = db.bulk({ application: workspaceId, from: 'job' })
    const tracesLeft = await countTracesBefore(bulk, workspaceId, rule.cutoff.id)
    await commit((tx) => begin(tx, job, tracesLeft))
    for (const clearSome of [clearTraces, clearResourceScopes]) {
      while (!signal.aborted && (await commit((tx) => clearSome(tx, job, rule)))) await yieldToEventLoop()
    }
    if (!signal.aborted) await commit((tx) => end(tx, job))
  },
  onFailed: (tx, job) => end(tx, job),
}

type Clearing = Pick<JobRun, 'workspaceId' | 'clock'>

/** An interrupted run that starts again keeps its start time and its count of deleted traces. */
async function begin(tx: Queries, { workspaceId, clock }: Clearing, tracesLeft: number): Promise<void> {
  const retention = await lockRetention(tx, workspaceId)
  const isNew = retention?.state !== 'clearing'
  await updateProgress(tx, workspaceId, {
    state: 'clearing',
    traces_left: tracesLeft,
    finished_at: null,
    ...(isNew ? { traces_deleted: 0, started_at: timestamp(clock.now()) } : {}),
  })
}

async function end(tx: Queries, { workspaceId, clock }: Clearing): Promise<void> {
  await deleteEmptyRollups(tx, workspaceId)
  const retention = await lockRetention(tx, workspaceId)
  if (retention?.state !== 'clearing') return
  await updateProgress(tx, workspaceId, { state: 'idle', traces_left: 0, finished_at: timestamp(clock.now()) })
}

type Rule = { days: number; cutoff: Cutoff }

/** False if nothing is left to do. */
async function clearTraces(tx: Queries, { workspaceId, clock }: Clearing, { days, cutoff }: Rule): Promise<boolean> {
  const retention = await lockRetention(tx, workspaceId)
  if (retention?.days !== days) return false
  const oldest = await listTracesBefore(tx, workspaceId, { id: cutoff.id, limit: CHUNK_TRACES })
  if (oldest.length === 0) return false
  const traceIds = firstChunk(oldest)
  await markTracesDeleted(tx, { workspaceId, traceIds, deletedAt: timestamp(clock.now()) })
  const { traces } = await deleteTraceRows(tx, workspaceId, traceIds)
  await updateProgress(tx, workspaceId, {
    traces_deleted: retention.tracesDeleted + traces,
    traces_left: Math.max(retention.tracesLeft - traces, 0),
  })
  return true
}

/** The first traces whose spans fit into one transaction; always at least one. */
function firstChunk(traces: readonly { id: string; spanCount: number }[]): string[] {
  let spans = 0
  const fitting = traces.filter(({ spanCount }) => {
    spans += spanCount
    return spans < DELETED_SPANS_MAX
  })
  return (fitting.length > 0 ? fitting : traces.slice(0, 1)).map(({ id }) => id)
}

async function clearResourceScopes(tx: Queries, { workspaceId }: Clearing, { days, cutoff }: Rule): Promise<boolean> {
  if ((await lockRetention(tx, workspaceId))?.days !== days) return false
  const chunk = { day: cutoff.day, limit: CHUNK_RESOURCE_SCOPES }
  return (await deleteUnusedResourceScopes(tx, workspaceId, chunk)) === CHUNK_RESOURCE_SCOPES
}
