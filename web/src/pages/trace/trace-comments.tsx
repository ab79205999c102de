import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { describeError } from '../../api/api-error.ts'
import type { TraceComment } from '../../api/generated/api.ts'
import {
  traceCommentsQuery,
  useAddComment,
  useDeleteComment,
  useRestoreComment,
} from '../../api/trace-comments-query.ts'
import type { TraceKey } from '../../api/traces-query.ts'
import { useShortcut } from '../../shortcuts/shortcut-store.ts'
import { formatCount } from '../../ui/format-number.ts'
import { Segmented } from '../../ui/segmented.tsx'
import { Skeleton } from '../../ui/skeleton.tsx'
import { showToast, showUndoToast } from '../../ui/toast-store.ts'
import { QueryError } from '../shell/query-error.tsx'
import { missingRole } from '../shell/roles.ts'
import { useMe } from '../shell/use-application.ts'
import { CommentCard } from './comment-card.tsx'
import { CommentForm } from './comment-form.tsx'
import type { OutlineModel, OutlineSpan } from './outline-model.ts'
import { COMMENTS_ID, showComments } from './show-comments.ts'

interface TraceCommentsProps {
  traceKey: TraceKey
  outline: OutlineModel
  selectedId: string | undefined
  onSelect: (span: OutlineSpan) => void
}

/** The comments on the trace and its spans, or only those on the selected span. */
export function TraceComments({ traceKey, outline, selectedId, onSelect }: TraceCommentsProps) {
  const { data: comments, error, isFetching, refetch } = useQuery(traceCommentsQuery(traceKey))
  const deletion = useCommentDeletion(traceKey)
  useShortcut('comment', showComments)
  const [scope, setScope] = useState<'all' | 'span'>('all')
  const span = outline.spans.find(({ spanId }) => spanId === selectedId)
  const ofSpan = comments?.filter(({ spanId }) => spanId === span?.spanId) ?? []
  const shown = scope === 'span' ? ofSpan : (comments ?? [])
  return (
    <section id={COMMENTS_ID} tabIndex={-1} aria-labelledby="comments-title" className="mt-8 max-w-[80ch]">
      <div className="mb-2 flex flex-wrap items-center gap-x-4 gap-y-2">
        <h2 id="comments-title" className="text-body font-semibold">
          Comments
        </h2>
        {span && (
          <Segmented
            label="Comments on"
            value={scope}
            options={[
              { value: 'all', label: <Choice label="Whole trace" count={comments?.length} /> },
              { value: 'span', label: <Choice label="This span" count={comments && ofSpan.length} /> },
            ]}
            onChange={setScope}
          />
        )}
      </div>
      {!comments && error && <QueryError query={{ error, isFetching, refetch }} />}
      {!comments && !error && <Skeleton rows={2} />}
      {comments && shown.length > 0 && (
        <ol aria-label="Comments" className="mb-3 flex flex-col divide-y divide-line">
          {shown.map((comment) => (
            <CommentCard
              key={comment.id}
              traceKey={traceKey}
              comment={comment}
              // In the list of one span its name says nothing.
              span={scope === 'all' ? outline.spans.find(({ spanId }) => spanId === comment.spanId) : undefined}
              onSelect={onSelect}
              onDelete={() => deletion.mutate(comment)}
            />
          ))}
        </ol>
      )}
      {comments && <NewComment traceKey={traceKey} span={scope === 'span' ? span : undefined} />}
    </section>
  )
}

function useCommentDeletion(traceKey: TraceKey) {
  const { userId } = useMe()
  const onError = (error: Error) => showToast({ tone: 'danger', ...describeError(error) })
  const restoration = useRestoreComment(traceKey, onError)
  const onDeleted = (comment: TraceComment) => {
    // That of someone else cannot be restored: it would get another author.
    if (comment.userId !== userId) showToast({ tone: 'good', message: 'The comment is deleted.' })
    else showUndoToast('Your comment is deleted.', () => restoration.mutate(comment))
  }
  return useDeleteComment(traceKey, { onDeleted, onError })
}

function Choice({ label, count }: { label: string; count: number | undefined }) {
  return (
    <>
      {label}
      {count !== undefined && <span className="text-faint tabular-nums">{formatCount(count)}</span>}
    </>
  )
}

interface NewCommentProps {
  traceKey: TraceKey
  /** Undefined for a comment on the whole trace. */
  span: OutlineSpan | undefined
}

function NewComment({ traceKey, span }: NewCommentProps) {
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
