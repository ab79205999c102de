import { api, dataOf } from '../../api/api-client.ts'
import type { Annotation, UndoneAnnotation } from '../../api/generated/api.ts'
import { atRun } from '../../api/queue-query.ts'
import type { RunKey } from '../../api/run-query.ts'

export interface Annotated {
  rating: string | null
  comment: string | null
}

/** Something that the user did in a run, as it is sent to the server. */
export type AnnotationChange =
  | {
      kind: 'save'
      traceDbId: string
      /** The state before, for the case that the server rejects the change. */
      before: Annotated
      rating?: string
      comment?: string
      correctedOutput?: string | null
    }
  | {
      kind: 'undo'
      /** The change to undo; undefined for the newest one that the server knows. */
      undone?: { traceDbId: string; before: Annotated }
    }
  | { kind: 'skip'; traceDbId: string }

export type ChangeResult = { annotation: Annotation } | { undone: UndoneAnnotation } | undefined

interface SendOptions {
  run: RunKey
  change: AnnotationChange
  /** Sending again with the same key changes nothing on the server. */
  idempotencyKey: string
  signal: AbortSignal
}

export async function sendChange({ run, change, idempotencyKey, signal }: SendOptions): Promise<ChangeResult> {
  const { params, headers } = atRun(run)
  const options = (key: string) => ({ params, headers: { ...headers, 'Idempotency-Key': key }, signal })
  if (change.kind === 'skip') {
    const body = { traceIds: [change.traceDbId] }
    await api.POST('/components/{componentId}/runs/{runId}/queue/skip', { ...options(idempotencyKey), body })
    return undefined
  }
  if (change.kind === 'undo') {
    const undo = (key: string) =>
      dataOf(api.POST('/components/{componentId}/runs/{runId}/annotation-undo', options(key)))
    const undone = await undo(idempotencyKey)
    // A corrected output is a change of its own, which came after the rating that belongs to it.
    return { undone: isStateBefore(undone, change.undone) ? undone : await undo(`${idempotencyKey}-2`) }
  }
  const { kind: _, before: _before, correctedOutput, ...body } = change
  const annotation = await dataOf(
    api.POST('/components/{componentId}/runs/{runId}/annotations', { ...options(idempotencyKey), body }),
  )
  if (correctedOutput !== undefined) {
    const path = { ...params.path, annotationId: annotation.id }
    const url = '/components/{componentId}/runs/{runId}/annotations/{annotationId}/corrected-output'
    await api.PUT(url, { headers, params: { path }, body: { correctedOutput }, signal })
  }
  return { annotation }
}

/** Whether the whole change is undone. */
function isStateBefore(
  { traceDbId, annotation }: UndoneAnnotation,
  expected: { traceDbId: string; before: Annotated } | undefined,
): boolean {
  if (expected === undefined || traceDbId !== expected.traceDbId) return true
  const { rating, comment } = expected.before
  return (annotation?.rating || null) === (rating || null) && (annotation?.comment || null) === (comment || null)
}
