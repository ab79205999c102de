import { Type } from 'typebox'
import { closed, Id, NullableString, Timestamp } from '../../http/schemas.ts'
import { TraceParams } from '../../traces/trace-schemas.ts'

const COMMENT_LENGTH_MAX = 20_000
const SPAN_ID_LENGTH_MAX = 128

/** `spanId` is null for a comment on the whole trace. `name` is that of the author. */
export const TraceComment = closed(
  {
    id: Id,
    traceDbId: Id,
    spanId: NullableString,
    userId: Type.String(),
    name: NullableString,
    text: Type.String(),
    createdAt: Timestamp,
    updatedAt: Timestamp,
  },
  { title: 'TraceComment' },
)

const CommentText = Type.String({ minLength: 1, maxLength: COMMENT_LENGTH_MAX })
const SpanId = Type.String({ minLength: 1, maxLength: SPAN_ID_LENGTH_MAX })

export const TraceCommentParams = closed({ ...TraceParams.properties, commentId: Id })
export const NewTraceCommentBody = closed({ text: CommentText, spanId: Type.Optional(SpanId) })
export const TraceCommentBody = closed({ text: CommentText })
export const TraceCommentsQuery = closed({ span_id: Type.Optional(SpanId) })
