import { useAddComment } from '../../api/trace-comments-query.ts'
import type { TraceKey } from '../../api/traces-query.ts'
import { missingRole } from '../shell/roles.ts'
import { useMe } from '../shell/use-application.ts'
import { CommentForm } from './comment-form.tsx'
import type { OutlineSpan } from './outline-model.ts'

interface NewCommentProps {
  traceKey: TraceKey
  /** Undefined for a comment on the whole trace. */
  span: OutlineSpan | undefined
}

export function NewComment({ traceKey, span }: NewCommentProps) {
  const add = useAddComment(traceKey)
  const disabledReason = missingRole(useMe(), 'annotator', 'Commenting')
  if (disabledReason !== undefined) return <p className="text-data text-soft">{disabledReason}</p>
  return (
    <CommentForm
      key={span?.spanId}
      label={span ? `Comment on ${span.name}` : 'Comment on the trace'}
      draftName={`comment.${traceKey.traceId}.${span?.spanId ?? ''}`}
      initialText=""
      submitLabel="Comment"
      isBusy={add.isPending}
      error={add.error}
      onSubmit={(text, onSaved) => add.mutate({ text, ...(span && { spanId: span.spanId }) }, { onSuccess: onSaved })}
    />
  )
}
