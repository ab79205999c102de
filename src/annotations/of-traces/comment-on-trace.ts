import { recordAudit } from '../../auth/audit/audit.ts'
import { timestamp } from '../../base/clock.ts'
import { badRequest, forbidden, notFound } from '../../base/errors.ts'
import { createdAtOf } from '../../base/ids.ts'
import { invariant } from '../../base/invariant.ts'
import type { Page } from '../../base/page.ts'
import { isAtLeast, type Principal } from '../../base/principal.ts'
import type { Context } from '../../http/route.ts'
import type { Queries } from '../../storage/db.ts'
import { findTrace, hasSpan, lockTrace } from '../../traces/trace-queries.ts'
import { isTraceBlindTo } from '../blind-annotation-queries.ts'
import {
  deleteTraceComment,
  findTraceComment,
  insertTraceComment,
  listTraceComments,
  lockCommentAuthor,
  updateTraceComment,
} from './trace-comment-queries.ts'

type Services = Pick<Context, 'db' | 'clock' | 'newId' | 'requestId' | 'address'>

/** A comment may give away a rating, so those of others are hidden while the caller has to rate the trace blindly. */
export async function readTraceComments(
  { db }: Pick<Context, 'db'>,
  by: Principal,
  { traceId, spanId, page }: { traceId: string; spanId: string | undefined; page: Page },
) {
  const { workspaceId, userId: readerId } = by
  const trace = await findTrace(db.read, workspaceId, traceId)
  if (!trace) throw notFound('Trace')
  const isBlind = await isTraceBlindTo(db.read, { workspaceId, readerId }, trace.traceId)
  const scope = { workspaceId, traceDbId: trace.id, spanId, author: isBlind ? readerId : undefined }
  return listTraceComments(db.read, scope, page)
}

export async function createTraceComment(
  { db, newId }: Services,
  by: Principal,
  { traceId, spanId, text }: { traceId: string; spanId?: string; text: string },
) {
  const { workspaceId, userId } = by
  return db.transaction(async (tx) => {
    const trace = await lockTrace(tx, workspaceId, traceId)
    if (!trace) throw notFound('Trace')
    const ofTrace = { workspaceId, traceDbId: trace.id }
    if (spanId !== undefined && !(await hasSpan(tx, ofTrace, spanId)))
      throw badRequest('The field spanId must be the id of a span of this trace')
    const commentId = newId()
    const comment = { ...ofTrace, commentId, userId, spanId: spanId ?? null, text, now: createdAtOf(commentId) }
    await insertTraceComment(tx, comment)
    return readComment(tx, comment)
  })
}

type CommentOfTrace = { traceId: string; commentId: string }

export async function changeTraceComment(
  { db, clock }: Services,
  by: Principal,
  { text, ...params }: CommentOfTrace & { text: string },
) {
  return db.transaction(async (tx) => {
    const { scope, author } = await lockComment(tx, by, params)
    if (author !== by.userId) throw forbidden('Only its author may change a comment')
    await updateTraceComment(tx, { ...scope, text, now: timestamp(clock.now()) })
    return readComment(tx, scope)
  })
}

export async function removeTraceComment(
  { db, ...context }: Services,
  by: Principal,
  params: CommentOfTrace,
): Promise<void> {
  await db.transaction(async (tx) => {
    const { scope, author } = await lockComment(tx, by, params)
    const isOwn = author === by.userId
    if (!isOwn && !isAtLeast(by.role, 'admin')) throw forbidden('Only its author or an admin may delete a comment')
    await deleteTraceComment(tx, scope)
    const { workspaceId } = scope
    const event = { by, workspaceId, action: 'trace-comment.deleted', resourceId: scope.commentId } as const
    if (!isOwn) await recordAudit(tx, context, event)
  })
}

async function lockComment(tx: Queries, { workspaceId }: Principal, { traceId, commentId }: CommentOfTrace) {
  const trace = await findTrace(tx, workspaceId, traceId)
  if (!trace) throw notFound('Trace')
  const scope = { workspaceId, traceDbId: trace.id, commentId }
  const author = await lockCommentAuthor(tx, scope)
  if (author === undefined) throw notFound('Comment')
  return { scope, author }
}

async function readComment(tx: Queries, scope: Parameters<typeof findTraceComment>[1]) {
  const comment = await findTraceComment(tx, scope)
  invariant(comment !== undefined, 'a comment that was written in this transaction must be there')
  return comment
}
