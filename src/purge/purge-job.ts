/**
 * Deletes the rows of deleted resources. The delete request only marks one row, in one transaction, after which
 * everything below it is invisible. This job deletes the rows in small chunks, each in its own transaction, so that a
 * large delete blocks no one.
 *
 * Safe to run twice and to be killed at any point: each chunk deletes the rows that remain, children before parents.
 */
import { setTimeout as delay } from 'node:timers/promises'
import { yieldToEventLoop } from '../base/event-loop.ts'
import { enqueueJob } from '../jobs/enqueue.ts'
import type { JobHandler, JobRun } from '../jobs/job-handler.ts'
import type { Queries } from '../storage/db.ts'
import { isBrokenReference } from '../storage/dialect.ts'
import { deleteChunk, hasRows } from './purge-queries.ts'
import type { PurgeKind, PurgeStep, PurgeTarget } from './purge-step.ts'

const CHUNK_ROWS = 500
/** The pause before locked rows are tried again. */
const LOCKED_PAUSE_MS = 20
/** The name of the job kind in the database. */
const KIND = 'purge'
const KINDS: readonly PurgeKind[] = [
  'workspace',
  'component',
  'prompt',
  'dataset',
  'run',
  'evaluation',
  'trial',
  'experiment',
]

export async function enqueuePurge(
  tx: Queries,
  context: Parameters<typeof enqueueJob>[1],
  { workspaceId, what, id }: PurgeTarget,
): Promise<void> {
  await enqueueJob(tx, context, { workspaceId, kind: KIND, payload: { what, id } })
}

/** `steps` are in order, children before parents, because foreign keys require it. */
export function createPurgeHandler(steps: readonly PurgeStep[]): JobHandler {
  return {
    kind: KIND,
    async run(job) {
      const target = targetOf(job)
      while (!job.signal.aborted && !(await purge(job, steps, target))) await yieldToEventLoop()
    },
    // Nothing to report: the rows that remain are invisible, and the failed job stays for the operator.
    async onFailed() {},
  }
}

function targetOf({ workspaceId, payload: { what, id = '' } }: JobRun): PurgeTarget {
  const kind = KINDS.find((known) => known === what)
  if (!kind) throw new Error(`cannot purge a ${what}`)
  return { workspaceId, what: kind, id }
}

/**
 * Returns false if a request that had checked the parent before the delete has added a child since; the steps then
 * start again. This terminates, because later requests do not find the parent.
 */
async function purge(job: JobRun, steps: readonly PurgeStep[], target: PurgeTarget): Promise<boolean> {
  try {
    for (const step of steps) await runStep(job, step, target)
    return true
  } catch (error) {
    if (isBrokenReference(error)) return false
    throw error
  }
}

async function runStep({ signal, db, commit }: JobRun, step: PurgeStep, target: PurgeTarget): Promise<void> {
  const where = step.rows[target.what]?.(target)
  if (!where) return
  const rows = { ...step, workspaceId: target.workspaceId, where }
  // Checked before each chunk: a chunk that skipped locked rows may have deleted none although rows remain.
  while (!signal.aborted && (await hasRows(db.read, rows))) {
    const isDone = await commit((tx) =>
      step.release ? step.release(tx, target, CHUNK_ROWS) : deleteChunk(tx, rows, CHUNK_ROWS),
    )
    if (isDone) await yieldToEventLoop()
    else await delay(LOCKED_PAUSE_MS)
  }
}
