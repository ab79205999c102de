import { ArrowLeft, ArrowRight, SkipForward, Undo2 } from 'lucide-react'
import { type KeyboardEvent, useRef } from 'react'
import { ShortcutKeys } from '../../shortcuts/shortcut-keys.tsx'
import type { ShortcutId } from '../../shortcuts/shortcut-list.ts'
import { useShortcut } from '../../shortcuts/shortcut-store.ts'
import { Button } from '../../ui/button.tsx'
import type { AnnotationItem } from './annotation-items.ts'
import type { AnnotationSession } from './annotation-session.ts'
import { LastAction } from './last-action.tsx'
import { RatingBar } from './rating-bar.tsx'
import type { SessionState } from './session-state.ts'

interface RatingDockProps {
  state: SessionState
  item: AnnotationItem
  session: AnnotationSession
}

/** The words, the comment, and the ways to other traces; always at the bottom of the window. */
export function RatingDock({ state, item, session }: RatingDockProps) {
  return (
    <footer className="sticky bottom-0 z-10 border-t border-line bg-surface px-6 pt-3.5 pb-3 max-[720px]:px-4 max-sm:pb-2">
      <LastAction action={state.actions.at(-1)} ratings={state.batch?.ratings ?? []} onUndo={session.undo} />
      <div className="mx-auto flex max-w-170 flex-col gap-2">
        {/* A scheme may have fifty words; the question must stay in sight. */}
        <div className="-m-1 max-h-[38dvh] overflow-y-auto p-1">
          <RatingBar ratings={state.batch?.ratings ?? []} value={item.annotated.rating} onRate={session.rate} />
        </div>
        <Comment key={item.traceDbId} item={item} session={session} />
        <div className="flex flex-wrap items-center gap-x-1 text-meta max-sm:justify-between">
          <DockButton
            label="Back"
            icon={ArrowLeft}
            shortcut="previousTrace"
            onClick={() => void session.showPrevious()}
          />
          <DockButton label="Forward" icon={ArrowRight} shortcut="nextTrace" onClick={session.showNext} />
          <DockButton label="Skip" icon={SkipForward} shortcut="skipTrace" onClick={session.skip} />
          <DockButton label="Undo" icon={Undo2} shortcut="undoRating" onClick={session.undo} />
          <span className="ml-auto text-faint max-sm:hidden">A number rates and moves on</span>
        </div>
      </div>
    </footer>
  )
}

interface DockButtonProps {
  label: string
  icon: typeof ArrowLeft
  shortcut: ShortcutId
  onClick: () => void
}

function DockButton({ label, icon: Icon, shortcut, onClick }: DockButtonProps) {
  return (
    <Button look="quiet" size="small" className="touch:min-h-11 max-sm:min-w-11 sm:-ml-2 sm:mr-2" onClick={onClick}>
      <Icon aria-hidden className="size-4 sm:hidden" />
      <span className="text-meta">{label}</span>
      <ShortcutKeys id={shortcut} />
    </Button>
  )
}

function Comment({ item, session }: { item: AnnotationItem; session: AnnotationSession }) {
  const field = useRef<HTMLTextAreaElement>(null)
  useShortcut('writeComment', () => field.current?.focus())
  const onKeyDown = (event: KeyboardEvent) => {
    const isDone = event.key === 'Enter' && (event.ctrlKey || event.metaKey)
    if (event.key !== 'Escape' && !isDone) return
    event.preventDefault()
    // Back to the keys of the page.
    document.querySelector('main')?.focus({ preventScroll: true })
    if (isDone && item.status === 'rated') session.showNext()
  }
  return (
    <div className="relative">
      <textarea
        ref={field}
        rows={1}
        aria-label="Comment"
        placeholder="Add a comment, it stays with your rating"
        value={item.draft.comment ?? item.annotated.comment ?? ''}
        onChange={(event) => session.write({ comment: event.target.value })}
        onKeyDown={onKeyDown}
        // A comment on a trace that is rated has no other moment to be saved.
        onBlur={() => item.status === 'rated' && session.saveWritten()}
        className="peer block field-sizing-content max-h-40 min-h-10.5 w-full resize-none rounded-control border border-edge/75 bg-raised py-2.5 pr-12 pl-3.5 text-body placeholder:text-faint focus-visible:outline-offset-0 touch:min-h-11"
      />
      <span className="pointer-events-none absolute top-2.5 right-3.5 text-soft peer-focus:hidden">
        <ShortcutKeys id="writeComment" />
      </span>
    </div>
  )
}
