import { recordAudit } from '../auth/audit/audit.ts'
import { timestamp } from '../base/clock.ts'
import { notFound } from '../base/errors.ts'
import { yieldToEventLoop } from '../base/event-loop.ts'
import type { Principal } from '../base/principal.ts'
import type { Context } from '../http/route.ts'
import { enqueueJob } from '../jobs/enqueue.ts'
import type { JobHandler } from '../jobs/job-handler.ts'
import { deleteTraceRows, markTracesDeleted } from './delete-traces.ts'
import { findTrace } from './trace-queries.ts'

export const DELETING = 'delete-trace'

type DeletingContext = Pick<Context, 'db' | 'clock' | 'newId' | 'requestId' | 'address'>

/** Hides the trace from all responses immediately; a job deletes its rows in small chunks. Spans that arrive later start a new trace. */
export async function deleteTrace({ db, ...context }: DeletingContext, by: Principal, ref: string): Promise<void> {
  const { workspaceId } = by
  await db.transaction(async (tx) => {
    const trace = await findTrace(tx, workspaceId, ref)
    const deletedAt = timestamp(context.clock.now())
    const marked = trace ? await markTracesDeleted(tx, { workspaceId, traceIds: [trace.id], deletedAt }) : 0
    if (!trace || marked === 0) throw notFound('Trace')
    await enqueueJob(tx, context, { workspaceId, kind: DELETING, payload: { traceDbId: trace.id } })
    await recordAudit(tx, context, { by, workspaceId, action: 'trace.deleted', resourceId: trace.id })
  })
}

/** One trace, or several as JSON. Safe to run twice: each chunk deletes the rows that are left. */
export const deleteTraceHandler: JobHandler = {
  kind: DELETING,
  async run({ workspaceId, payload, signal, commit }) {
    const traceIds: string[] = payload.traceDbIds ? JSON.parse(payload.traceDbIds) : [payload.traceDbId ?? '']
    let rowsLeft = true
    while (rowsLeft && !signal.aborted) {
      ;({ rowsLeft } = await commit((tx) => deleteTraceRows(tx, workspaceId, traceIds)))
      await yieldToEventLoop()
    }
  },
  // Nothing to report: the remaining rows are invisible, and the failed job stays for inspection.
  async onFailed() {},
}
