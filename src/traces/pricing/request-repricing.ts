import { recordAudit } from '../../auth/audit/audit.ts'
import type { Principal } from '../../base/principal.ts'
import type { Context } from '../../http/route.ts'
import { enqueueJob } from '../../jobs/enqueue.ts'
import { readTime } from './read-time.ts'
import { findWaitingReprice } from './reprice-queries.ts'
import { REPRICING } from './reprice-traces.ts'

export type RepriceWindow = { startAfter?: string | null; startBefore?: string | null }

/** Requests a repricing in the background. A second request before it starts returns the same job. */
export async function requestRepricing(context: Context, by: Principal, window: RepriceWindow) {
  const { workspaceId } = by
  const startAfter = readTime('startAfter', window.startAfter)
  const startBefore = readTime('startBefore', window.startBefore)
  const payload = { ...(startAfter && { startAfter }), ...(startBefore && { startBefore }) }
  return context.db.transaction(async (tx) => {
    const waiting = await findWaitingReprice(tx, workspaceId, JSON.stringify(payload))
    const jobId = waiting?.id ?? context.newId()
    if (!waiting) {
      const parts = { clock: context.clock, newId: () => jobId }
      await enqueueJob(tx, parts, { workspaceId, kind: REPRICING, payload })
    }
    await recordAudit(tx, context, { by, workspaceId, action: 'traces.repriced', resourceId: jobId })
    return { jobId }
  })
}
