import { lockAnnotationPolicy } from '../annotations/rating-rule-queries.ts'
import { requireAllowedRating } from '../annotations/save-annotation.ts'
import { timestamp } from '../base/clock.ts'
import { notFound } from '../base/errors.ts'
import { invariant } from '../base/invariant.ts'
import type { Principal } from '../base/principal.ts'
import type { Context } from '../http/route.ts'
import { lockRun } from '../runs/run-queries.ts'
import type { Queries } from '../storage/db.ts'
import { canonicalRefs } from '../traces/trace-ref-queries.ts'
import { deleteResolution, findResolution, type Resolution, upsertResolution } from './agreement-queries.ts'
import { listRunDisagreements } from './read-disagreements.ts'

type TraceOfRun = { componentId: string; runId: string; traceId: string }

/**
 * Settles a disagreement with a rating and a note of the caller, or replaces an earlier resolution. The caller must see
 * the disagreement, so that no one settles a trace of a blind run before rating it.
 */
export async function resolveDisagreement(
  { db, clock }: Pick<Context, 'db' | 'clock'>,
  by: Principal,
  { rating, note, ...params }: TraceOfRun & { rating: string; note: string | null },
): Promise<Resolution> {
  return db.transaction(async (tx) => {
    const scope = await lockTraceOfRun(tx, by, params)
    const policy = await lockAnnotationPolicy(tx, scope)
    const [disagreement] = await listRunDisagreements(tx, by, scope)
    if (!disagreement) throw notFound('Disagreement')
    await requireAllowedRating(tx, { workspaceId: by.workspaceId, policy, rating })
    await upsertResolution(tx, { ...scope, userId: by.userId, rating, note, now: timestamp(clock.now()) })
    const resolution = await findResolution(tx, scope)
    invariant(resolution !== undefined, 'a resolution that was written in this transaction must be there')
    return resolution
  })
}

/** Deletes a resolution. */
export async function reopenDisagreement(
  { db }: Pick<Context, 'db'>,
  by: Principal,
  params: TraceOfRun,
): Promise<void> {
  await db.transaction(async (tx) => {
    const scope = await lockTraceOfRun(tx, by, params)
    if (!(await deleteResolution(tx, scope))) throw notFound('Resolution')
  })
}

async function lockTraceOfRun(tx: Queries, { workspaceId }: Principal, { traceId, ...params }: TraceOfRun) {
  if (!(await lockRun(tx, { workspaceId, ...params }))) throw notFound('Run')
  const [traceRef = traceId] = await canonicalRefs(tx, workspaceId, [traceId])
  return { workspaceId, runId: params.runId, traceRef }
}
