import { notFound } from '../base/errors.ts'
import { createdAtOf } from '../base/ids.ts'
import type { Principal } from '../base/principal.ts'
import type { Context } from '../http/route.ts'
import { lockRun } from '../runs/run-queries.ts'
import { canonicalRefs } from '../traces/trace-ref-queries.ts'
import { lockAnnotationPolicy } from './annotation-policy-queries.ts'
import { upsertAnnotation } from './annotation-queries.ts'
import { enforcePolicy } from './enforce-policy.ts'
import { deleteLease } from './queue/lease-queries.ts'

export type SaveAnnotation = {
  componentId: string
  runId: string
  traceDbId: string
  rating?: string | undefined
  comment?: string | undefined
}

/**
 * Creates or updates the caller's annotation of a trace. There is one annotation per run, trace and author. Rejects a
 * rating that the policy of the run does not allow.
 */
export async function saveAnnotation(
  { db, clock, newId }: Pick<Context, 'db' | 'clock' | 'newId'>,
  by: Principal,
  { componentId, runId, traceDbId, rating, comment }: SaveAnnotation,
) {
  const { workspaceId, userId } = by
  return db.transaction(async (tx) => {
    if (!(await lockRun(tx, { workspaceId, componentId, runId }))) throw notFound('Run')
    const [traceRef = traceDbId] = await canonicalRefs(tx, workspaceId, [traceDbId])
    const rater = { workspaceId, runId, userId }
    const policy = await lockAnnotationPolicy(tx, rater)
    if (rating !== undefined) await enforcePolicy(tx, clock, policy, { rater, traceRef, rating })
    // The rating uses the slot, so the lease is no longer needed.
    if (policy.ratersPerItem !== null && rating) await deleteLease(tx, rater, traceRef)
    const id = newId()
    const now = createdAtOf(id)
    const content = { traceRef, givenRef: traceDbId, rating, comment }
    return upsertAnnotation(tx, { workspaceId, id, runId, userId, now, ...content })
  })
}
