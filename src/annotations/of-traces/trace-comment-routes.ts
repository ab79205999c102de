import { created, list, noContent, ok, route } from '../../http/route.ts'
import { listOf } from '../../http/schemas.ts'
import { TraceParams } from '../../traces/trace-schemas.ts'
import { changeTraceComment, createTraceComment, readTraceComments, removeTraceComment } from './comment-on-trace.ts'
import {
  NewTraceCommentBody,
  TraceComment,
  TraceCommentBody,
  TraceCommentParams,
  TraceCommentsQuery,
} from './trace-comment-schemas.ts'

const tag = 'Annotations'
const reading = { auth: 'key-or-session', workspace: 'header', role: 'viewer' } as const
const annotating = { auth: 'key-or-session', workspace: 'header', role: 'annotator' } as const

const getTraceComments = route({
  method: 'GET',
  path: '/traces/:traceId/comments',
  access: reading,
  summary: 'List the comments on a trace and its spans, oldest first',
  tag,
  params: TraceParams,
  query: TraceCommentsQuery,
  paged: true,
  responses: { 200: listOf(TraceComment) },
  handle: async ({ principal, params, query, page, ...context }) =>
    list(await readTraceComments(context, principal, { ...params, spanId: query.span_id, page })),
})

const postTraceComment = route({
  method: 'POST',
  path: '/traces/:traceId/comments',
  access: annotating,
  summary: 'Comment on a trace, or on one of its spans',
  tag,
  params: TraceParams,
  body: NewTraceCommentBody,
  responses: { 201: TraceComment },
  handle: async ({ principal, params, body, ...context }) =>
    created(await createTraceComment(context, principal, { ...params, ...body })),
})

const patchTraceComment = route({
  method: 'PATCH',
  path: '/traces/:traceId/comments/:commentId',
  access: annotating,
  summary: 'Change a comment of the caller',
  tag,
  params: TraceCommentParams,
  body: TraceCommentBody,
  responses: { 200: TraceComment },
  handle: async ({ principal, params, body, ...context }) =>
    ok(await changeTraceComment(context, principal, { ...params, ...body })),
})

const deleteComment = route({
  method: 'DELETE',
  path: '/traces/:traceId/comments/:commentId',
  access: annotating,
  summary: 'Delete a comment of the caller; admins may delete any',
  tag,
  params: TraceCommentParams,
  responses: { 204: null },
  handle: async ({ principal, params, ...context }) => {
    await removeTraceComment(context, principal, params)
    return noContent()
  },
})

export const traceCommentRoutes = [getTraceComments, postTraceComment, patchTraceComment, deleteComment]
