import { forbidden, notFound } from '../base/errors.ts'
import { createdAtOf } from '../base/ids.ts'
import { isAtLeast, type Principal } from '../base/principal.ts'
import type { Context } from '../http/route.ts'
import { lockRun } from '../runs/run-queries.ts'
import { deleteAnnotation, deleteChangesOfTrace, insertChange, lockAnnotation } from './annotation-queries.ts'

/** Deletes an annotation. Its author can undo that, but not the deletion by another user. */
export async function removeAnnotation(
  { db, newId }: Pick<Context, 'db' | 'newId'>,
  by: Principal,
  params: { componentId: string; runId: string; annotationId: string },
): Promise<void> {
  const scope = { workspaceId: by.workspaceId, ...params }
  await db.transaction(async (tx) => {
    const isRunThere = await lockRun(tx, scope)
    const former = isRunThere ? await lockAnnotation(tx, scope) : undefined
    if (!former) throw notFound('Annotation')
    const { userId, traceRef } = former
    const isOwn = userId === by.userId
    const mayDelete = isOwn || isAtLeast(by.role, 'editor')
    if (!mayDelete) throw forbidden('Only its author or an editor may delete an annotation')
    await deleteAnnotation(tx, { ...scope, id: former.id })
    const author = { ...scope, userId }
    const id = newId()
    if (isOwn) await insertChange(tx, author, { id, createdAt: createdAtOf(id), traceRef, former })
    else await deleteChangesOfTrace(tx, author, traceRef)
  })
}
