import { notFound } from '../base/errors.ts'
import { createdAtOf } from '../base/ids.ts'
import type { Principal } from '../base/principal.ts'
import type { Context } from '../http/route.ts'
import { lockRun } from '../runs/run-queries.ts'
import type { Queries } from '../storage/db.ts'
import { canonicalRefs } from '../traces/trace-ref-queries.ts'
import { insertChange } from './annotation-change-queries.ts'
import { lockAnnotationPolicy } from './annotation-policy-queries.ts'
import {
  insertAnnotation,
  lockOwnAnnotation,
  type StoredAnnotation,
  toAnnotation,
  updateAnnotation,
} from './annotation-queries.ts'
import { type Rater, releaseLeases } from './queue/lease-queries.ts'
import { enforcePolicy } from './rating-rules.ts'

export type SaveAnnotation = {
  componentId: string
  runId: string
  traceDbId: string
  rating?: string | undefined
  comment?: string | undefined
}

type Services = Pick<Context, 'db' | 'clock' | 'newId'>

/**
 * Creates or updates the caller's annotation of a trace. There is one annotation per run, trace and author. Saving again
 * updates the given fields and keeps the others. Rejects a rating that the policy of the run does not allow.
 */
export async function saveAnnotation(
  { db, clock, newId }: Services,
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
    if (policy.ratersPerItem !== null && rating) await releaseLeases(tx, rater, [traceRef])
    const givenRef = traceDbId === traceRef ? null : traceDbId
    return toAnnotation(await writeAnnotation(tx, newId, rater, { traceRef, givenRef, rating, comment }))
  })
}

type Written = {
  traceRef: string
  givenRef: string | null
  rating: string | undefined
  comment: string | undefined
}

/** Writes the annotation and records the change, unless a repeated request changes nothing. */
async function writeAnnotation(
  tx: Queries,
  newId: Services['newId'],
  rater: Rater,
  { traceRef, givenRef, rating, comment }: Written,
): Promise<StoredAnnotation> {
  const id = newId()
  const now = createdAtOf(id)
  const empty = { rating: null, comment: null, correctedOutput: null, createdAt: now }
  const change = { id, createdAt: now, traceRef }
  const created = { ...empty, id, traceRef, givenRef, userId: rater.userId, updatedAt: now }
  const fields = { ...(rating === undefined ? {} : { rating }), ...(comment === undefined ? {} : { comment }) }
  if (await insertAnnotation(tx, rater, { ...created, ...fields })) {
    await insertChange(tx, rater, { ...change, former: null })
    return { ...created, ...fields }
  }
  const former = await lockOwnAnnotation(tx, rater, traceRef)
  // Deleted by a concurrent request since the insert found it.
  if (!former) return writeAnnotation(tx, newId, rater, { traceRef, givenRef, rating, comment })
  const changed = { ...former, ...fields, givenRef, updatedAt: now }
  await updateAnnotation(tx, rater, changed)
  const isSame = changed.rating === former.rating && changed.comment === former.comment
  if (!isSame) await insertChange(tx, rater, { ...change, former })
  return changed
}
