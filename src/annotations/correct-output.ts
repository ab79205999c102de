import { forbidden, notFound } from '../base/errors.ts'
import { createdAtOf } from '../base/ids.ts'
import type { Principal } from '../base/principal.ts'
import type { Context } from '../http/route.ts'
import { lockRun } from '../runs/run-queries.ts'
import { findVisibleAnnotation } from './annotation-list-queries.ts'
import { insertChange, lockAnnotation, updateAnnotation } from './annotation-queries.ts'

type AnnotationOfRun = { componentId: string; runId: string; annotationId: string }

/** The output that the author of an annotation would have expected; null if there is none. */
export async function readCorrectedOutput({ db }: Pick<Context, 'db'>, by: Principal, params: AnnotationOfRun) {
  const scope = { workspaceId: by.workspaceId, ...params, readerId: by.userId }
  const annotation = await findVisibleAnnotation(db.read, scope)
  if (!annotation) throw notFound('Annotation')
  return { correctedOutput: annotation.correctedOutput }
}

/** Null removes it. Only the author of the annotation may change it, and can undo the change. */
export async function saveCorrectedOutput(
  { db, newId }: Pick<Context, 'db' | 'newId'>,
  by: Principal,
  { correctedOutput, ...params }: AnnotationOfRun & { correctedOutput: string | null },
) {
  const { workspaceId, userId } = by
  const scope = { workspaceId, ...params }
  await db.transaction(async (tx) => {
    const isRunThere = await lockRun(tx, scope)
    const isVisible = isRunThere && (await findVisibleAnnotation(tx, { ...scope, readerId: userId })) !== undefined
    const former = isVisible ? await lockAnnotation(tx, scope) : undefined
    if (!former) throw notFound('Annotation')
    if (former.userId !== userId) throw forbidden('Only the author of an annotation may correct the output in it')
    if (former.correctedOutput === correctedOutput) return
    await updateAnnotation(tx, scope, { ...former, correctedOutput })
    const id = newId()
    const change = { id, createdAt: createdAtOf(id), traceRef: former.traceRef, former }
    await insertChange(tx, { ...scope, userId }, change)
  })
  return { correctedOutput }
}
