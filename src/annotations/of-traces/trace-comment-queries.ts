import type { Page } from '../../base/page.ts'
import type { Queries } from '../../storage/db.ts'
import { lockForUpdate } from '../../storage/dialect.ts'
import { listPage } from '../../storage/list-page.ts'
import { deleteScoped, selectScoped, updateScoped } from '../../storage/query-building.ts'

type TraceScope = { workspaceId: string; traceDbId: string }
type CommentScope = TraceScope & { commentId: string }

const COLUMNS = [
  'm.id',
  'm.trace_id as traceDbId',
  'm.span_id as spanId',
  'm.user_id as userId',
  'u.name',
  'm.body as text',
  'm.created_at as createdAt',
  'm.updated_at as updatedAt',
] as const

/** Oldest first. `author` and `spanId` limit the list. */
export async function listTraceComments(
  q: Queries,
  { author, spanId, ...scope }: TraceScope & { author: string | undefined; spanId: string | undefined },
  page: Page,
) {
  let comments = commentsOf(q, scope).select(COLUMNS).orderBy('m.id')
  if (author !== undefined) comments = comments.where('m.user_id', '=', author)
  if (spanId !== undefined) comments = comments.where('m.span_id', '=', spanId)
  return listPage(q, comments, page)
}

export async function findTraceComment(q: Queries, { commentId, ...scope }: CommentScope) {
  return commentsOf(q, scope).select(COLUMNS).where('m.id', '=', commentId).executeTakeFirst()
}

export async function insertTraceComment(
  tx: Queries,
  comment: CommentScope & { userId: string; spanId: string | null; text: string; now: string },
): Promise<void> {
  await tx
    .insertInto('trace_comments')
    .values({
      workspace_id: comment.workspaceId,
      trace_id: comment.traceDbId,
      id: comment.commentId,
      span_id: comment.spanId,
      user_id: comment.userId,
      body: comment.text,
      created_at: comment.now,
      updated_at: comment.now,
    })
    .execute()
}

/** The author of a comment, which is locked until the transaction ends. */
export async function lockCommentAuthor(
  tx: Queries,
  { workspaceId, traceDbId, commentId }: CommentScope,
): Promise<string | undefined> {
  const comment = selectScoped(tx, 'trace_comments', {
    workspace_id: workspaceId,
    trace_id: traceDbId,
    id: commentId,
  }).select('user_id as userId')
  return (await lockForUpdate(tx, comment).executeTakeFirst())?.userId
}

export async function updateTraceComment(
  tx: Queries,
  { workspaceId, traceDbId, commentId, text, now }: CommentScope & { text: string; now: string },
): Promise<void> {
  await updateScoped(tx, 'trace_comments', { workspace_id: workspaceId, trace_id: traceDbId, id: commentId })
    .set({ body: text, updated_at: now })
    .execute()
}

export async function deleteTraceComment(
  tx: Queries,
  { workspaceId, traceDbId, commentId }: CommentScope,
): Promise<void> {
  await deleteScoped(tx, 'trace_comments', { workspace_id: workspaceId, trace_id: traceDbId, id: commentId }).execute()
}

function commentsOf(q: Queries, { workspaceId, traceDbId }: TraceScope) {
  return q
    .selectFrom('trace_comments as m')
    .leftJoin('users as u', 'u.id', 'm.user_id')
    .where('m.workspace_id', '=', workspaceId)
    .where('m.trace_id', '=', traceDbId)
}
