import { useQuery } from '@tanstack/react-query'
import { Eraser, MessageCircle, PencilLine } from 'lucide-react'
import { useState } from 'react'
import { ratingSchemeQuery } from '../../api/rating-scheme-query.ts'
import { traceCommentsQuery } from '../../api/trace-comments-query.ts'
import type { TraceKey } from '../../api/traces-query.ts'
import { ShortcutKeys } from '../../shortcuts/shortcut-keys.tsx'
import { Button } from '../../ui/button.tsx'
import { formatCount } from '../../ui/format-number.ts'
import { IconButton } from '../../ui/icon-button.tsx'
import { SaveState } from '../../ui/save-state.tsx'
import { showUndoToast } from '../../ui/toast-store.ts'
import { RatingBar } from '../annotate/rating-bar.tsx'
import { QueryError } from '../shell/query-error.tsx'
import { missingRole } from '../shell/roles.ts'
import { useMe } from '../shell/use-application.ts'
import { commentsText } from './comments-text.ts'
import { RatingComment } from './rating-comment.tsx'
import { showComments } from './show-comments.ts'
import { useDraft } from './use-draft.ts'
import { useOwnAnnotation } from './use-own-annotation.ts'

interface TraceRatingProps {
  traceKey: TraceKey
  /** Whether the page shows the comments, so that a button can lead there. */
  areCommentsShown: boolean
  /** In a panel, which has a bar of its own at the bottom. */
  place?: 'panel'
}

/** The words to rate the trace with, docked below its content. */
export function TraceRating({ traceKey, areCommentsShown, place }: TraceRatingProps) {
  const schemeQuery = useQuery(ratingSchemeQuery(traceKey.applicationId))
  const { data: scheme } = schemeQuery
  const { annotation, isLoaded, failed, state, save, retry } = useOwnAnnotation(traceKey, ({ comment }) => {
    // What was written is not lost with the rating.
    if (comment === null) return
    setCommentDraft(comment)
    setIsCommenting(true)
  })
  const commentDraft = `rating-comment.${traceKey.traceId}`
  const [, setCommentDraft] = useDraft(commentDraft)
  const [isCommenting, setIsCommenting] = useState(false)
  const disabledReason = missingRole(useMe(), 'annotator', 'Rating')
  const className = place === 'panel' ? 'min-h-9 w-full touch:min-h-12' : dockClass
  if (!scheme || !isLoaded) {
    return (
      <div className={className}>
        <QueryError query={failed ?? schemeQuery} />
      </div>
    )
  }
  const isRated = annotation.rating !== null || annotation.comment !== null
  const remove = () => {
    save({ ...annotation, rating: null, comment: null })
    setIsCommenting(false)
    showUndoToast('Your rating is removed.', () => save(annotation))
  }
  return (
    <section aria-label="Your rating" className={className}>
      {isCommenting && (
        <RatingComment
          draftName={commentDraft}
          saved={annotation.comment ?? ''}
          onSave={(text) => {
            save({ ...annotation, comment: text || null })
            setIsCommenting(false)
          }}
          onClose={() => setIsCommenting(false)}
        />
      )}
      <div className="flex flex-wrap items-center gap-x-2 gap-y-1.5">
        <div className={wordsClass}>
          <RatingBar
            ratings={scheme.ratings}
            value={annotation.rating}
            onRate={(rating) => rating !== annotation.rating && save({ ...annotation, rating })}
            disabledReason={disabledReason}
          />
        </div>
        {isRated && disabledReason === undefined && (
          <>
            {!isCommenting && (
              <Button look="quiet" size="small" aria-expanded={false} onClick={() => setIsCommenting(true)}>
                <PencilLine aria-hidden className="size-4" />
                {annotation.comment === null ? 'Say why' : 'Reason'}
              </Button>
            )}
            <IconButton label="Remove my rating" onClick={remove}>
              <Eraser aria-hidden className="size-4" />
            </IconButton>
          </>
        )}
        {(state !== 'none' || areCommentsShown) && (
          <span className="ml-auto flex items-center gap-2">
            {state !== 'none' && <SaveState state={state} onRetry={retry} />}
            {areCommentsShown && <CommentsButton traceKey={traceKey} />}
          </span>
        )}
      </div>
    </section>
  )
}

/** Leads to the comments, which are below the content. */
function CommentsButton({ traceKey }: { traceKey: TraceKey }) {
  const { data: comments } = useQuery(traceCommentsQuery(traceKey))
  const count = comments?.length ?? 0
  return (
    <Button
      look="quiet"
      size="small"
      {...(count > 0 && { 'aria-label': commentsText(count), tip: commentsText(count) })}
      onClick={showComments}
    >
      <MessageCircle aria-hidden className="size-4" />
      {count > 0 ? formatCount(count) : 'Comment'}
      <ShortcutKeys id="comment" />
    </Button>
  )
}

/** Above the navigation at the bottom of narrow screens. */
const dockClass =
  'min-h-14 shrink-0 border-t border-edge bg-raised px-6 py-2 max-lg:sticky max-lg:bottom-0 max-lg:z-10 max-sm:fixed max-sm:inset-x-0 max-sm:bottom-14 max-sm:px-3'

/** In one row: up to four words fit next to each other on a phone. */
const wordsClass =
  'min-w-0 max-sm:w-full sm:[&_[role=group]]:flex sm:[&_[role=group]]:flex-wrap sm:[&_[role=group]_button]:min-h-9 sm:[&_[role=group]_button]:py-1 sm:[&_[role=group]_button]:text-data max-sm:[&_[role=group]]:grid-cols-[repeat(auto-fit,minmax(5.5rem,1fr))]'
