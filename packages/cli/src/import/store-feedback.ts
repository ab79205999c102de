/** Annotations and comments on traces. */
import type { AnnotationRecord, CommentRecord } from './import-record.ts'
import { type ImportTarget, isRejectedContent, unlessMissing } from './import-target.ts'

const NO_TRACE = 'its trace is not in Touchstone'
const TEXT_MAX = 20_000
const ANNOTATION = '/traces/{traceId}/annotation'
const COMMENTS = '/traces/{traceId}/comments'

/** The caller has one annotation of a trace. A stored one stays, because it may have been changed since. */
export async function storeAnnotation(target: ImportTarget, record: AnnotationRecord): Promise<void> {
  const { client, signal, tally, isDryRun, traceIds } = target
  const { traceId, rating = null, correctedOutput = null } = record
  const comment = record.comment?.slice(0, TEXT_MAX) ?? null
  const params = { traceId }
  const stored = await unlessMissing(client.request('GET', ANNOTATION, { params, signal }))
  if (!stored && !(isDryRun && traceIds.has(traceId))) {
    tally.notTaken({ of: 'annotations', what: traceId, reason: NO_TRACE })
    return
  }
  if (stored?.id) {
    tally.alreadyThere('annotations')
    return
  }
  try {
    const body = { rating, comment, correctedOutput }
    if (!isDryRun) await client.request('PUT', ANNOTATION, { params, body, signal })
    tally.created('annotations')
  } catch (error) {
    if (!isRejectedContent(error)) throw error
    tally.notTaken({ of: 'annotations', what: traceId, reason: `the server rejected it: ${error.message}` })
  }
}

export async function storeComment(target: ImportTarget, { traceId, spanId, text }: CommentRecord): Promise<void> {
  const { client, signal, tally, isDryRun, traceIds } = target
  const shortened = text.slice(0, TEXT_MAX)
  const params = { traceId }
  const stored = await unlessMissing(client.list(COMMENTS, { params, signal }).toArray())
  if (!stored && !(isDryRun && traceIds.has(traceId))) {
    tally.notTaken({ of: 'comments', what: traceId, reason: NO_TRACE })
    return
  }
  if (stored?.some((comment) => comment.text === shortened && (comment.spanId ?? undefined) === spanId)) {
    tally.alreadyThere('comments')
    return
  }
  try {
    const body = { text: shortened, ...(spanId !== undefined && { spanId }) }
    if (!isDryRun) await client.request('POST', COMMENTS, { params, body, signal })
    tally.created('comments')
  } catch (error) {
    if (!isRejectedContent(error)) throw error
    tally.notTaken({ of: 'comments', what: traceId, reason: `the server rejected it: ${error.message}` })
  }
}
