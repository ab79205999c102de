import { useEffect, useState } from 'react'
import { ShortcutKeys } from '../../shortcuts/shortcut-keys.tsx'
import { titleOf } from './annotation-items.ts'
import { type BarRating, ratingText } from './rating-bar.tsx'
import type { Action } from './session-state.ts'

const SHOWN_MS = 5000

interface LastActionProps {
  action: Action | undefined
  ratings: readonly BarRating[]
  onUndo: () => void
}

/** What was done with the trace before, and how to take it back. Next to the words or above them, never over them. */
export function LastAction({ action, ratings, onUndo }: LastActionProps) {
  const [hiddenId, setHiddenId] = useState<string>()
  const id = action?.entryId
  useEffect(() => {
    const timer = setTimeout(() => setHiddenId(id), SHOWN_MS)
    return () => clearTimeout(timer)
  }, [id])
  const isShown = action !== undefined && id !== hiddenId
  return (
    <div
      role="status"
      className="pointer-events-none fixed bottom-6 left-6 z-10 max-w-80 max-[1239px]:absolute max-[1239px]:bottom-full max-[1239px]:mb-3 max-sm:inset-x-4 max-sm:max-w-none"
    >
      {isShown && (
        <div className="pointer-events-auto flex items-center justify-between gap-3.5 rounded-card bg-action py-2 pr-2.5 pl-3.5 text-data text-on-action shadow-float">
          <span className="min-w-0">
            {describeAction(action, ratings)}
            <span className="block truncate text-meta opacity-80">“{titleOf(action.item)}”</span>
          </span>
          <button
            type="button"
            onClick={onUndo}
            className="inline-flex min-h-7 items-center gap-2 rounded-control border border-on-action/40 px-2 font-medium whitespace-nowrap focus-visible:outline-on-action touch:min-h-11"
          >
            Undo
            <ShortcutKeys id="undoRating" />
          </button>
        </div>
      )}
    </div>
  )
}

function describeAction({ kind, rating }: Action, ratings: readonly BarRating[]) {
  if (kind === 'skip') return 'Skipped'
  if (rating === undefined) return 'Saved what you wrote'
  const known = ratings.find(({ value }) => value === rating)
  return (
    <>
      Rated <strong className="font-semibold">{known ? ratingText(known) : rating}</strong>
    </>
  )
}
