import { notFound } from '../base/errors.ts'
import type { Principal } from '../base/principal.ts'
import type { Context } from '../http/route.ts'
import { lockRun } from '../runs/run-queries.ts'
import type { Queries } from '../storage/db.ts'
import {
  deleteAnnotation,
  insertAnnotation,
  lockOwnAnnotation,
  type StoredAnnotation,
  takeNewestChange,
  toAnnotation,
  updateAnnotation,
} from './annotation-queries.ts'
import { type Rater, saveLeases } from './queue/lease-queries.ts'
import { type AnnotationPolicy, lockAnnotationPolicy } from './rating-rule-queries.ts'
import { requireFreeSlot } from './save-annotation.ts'

type Services = Pick<Context, 'db' | 'clock'>

/**
 * Undoes the caller's newest change of an annotation in a run: exactly the state before is restored, including the id
 * and the times. Repeated calls undo the changes before it. Does nothing if no change is left.
 */
export async function undoAnnotation(
  { db, clock }: Services,
  by: Principal,
  { componentId, runId }: { componentId: string; runId: string },
) {
  const rater = { workspaceId: by.workspaceId, runId, userId: by.userId }
  return db.transaction(async (tx) => {
    if (!(await lockRun(tx, { ...rater, componentId }))) throw notFound('Run')
    const policy = await lockAnnotationPolicy(tx, rater)
    const change = await takeNewestChange(tx, clock, rater)
    if (!change) return { traceDbId: null, annotation: null }
    const { traceRef, former } = change
    const current = await lockOwnAnnotation(tx, rater, traceRef)
    await moveSlot(tx, clock, policy, { rater, traceRef, current, former })
    await restore(tx, rater, { current, former })
    const reference = former ?? current
    return {
      traceDbId: reference ? toAnnotation(reference).traceDbId : traceRef,
      annotation: former && toAnnotation(former),
    }
  })
}

type Restored = { current: StoredAnnotation | undefined; former: StoredAnnotation | null }

async function restore(tx: Queries, rater: Rater, { current, former }: Restored): Promise<void> {
  if (former === null) {
    if (current) await deleteAnnotation(tx, { ...rater, id: current.id })
    return
  }
  // Deleted and created again since: the former one has another id.
  if (current && current.id !== former.id) await deleteAnnotation(tx, { ...rater, id: current.id })
  if (current?.id === former.id) await updateAnnotation(tx, rater, former)
  else await insertAnnotation(tx, rater, former)
}

/**
 * A rating that is removed becomes a lease again, so that the rater can rate the trace without competing for the slot.
 * A rating that is restored needs a slot, which another rater may have used since.
 */
async function moveSlot(
  tx: Queries,
  clock: Services['clock'],
  policy: AnnotationPolicy,
  { rater, traceRef, current, former }: Restored & { rater: Rater; traceRef: string },
): Promise<void> {
  if (policy.ratersPerItem === null) return
  const [isRated, wasRated] = [Boolean(current?.rating), Boolean(former?.rating)]
  if (isRated && !wasRated) await saveLeases(tx, clock, rater, [traceRef])
  if (wasRated && !isRated) await requireFreeSlot(tx, clock, policy, { rater, traceRef })
}
