import { useRef } from 'react'
import { useResolve } from '../../api/agreement-query.ts'
import { describeError } from '../../api/api-error.ts'
import type { RatingLook } from '../../api/rating-scheme-query.ts'
import type { RunKey } from '../../api/run-query.ts'
import { useShortcut } from '../../shortcuts/shortcut-store.ts'
import { showToast, showUndoToast } from '../../ui/toast-store.ts'
import type { DisagreementRow } from '../agreement/agreement-model.ts'

interface ResolutionOptions {
  lookOf: (rating: string) => RatingLook
  /** After a disagreement was resolved. */
  onResolved: (row: DisagreementRow) => void
  /** After the last change was undone. */
  onUndone: (row: DisagreementRow) => void
}

type Change = { rating: string; note: string | null } | null

/** Resolves and reopens disagreements, and undoes the last of these changes. */
export function useResolutions(runKey: RunKey, { lookOf, onResolved, onUndone }: ResolutionOptions) {
  const { mutateAsync } = useResolve(runKey)
  // Callbacks of a toast outlive the render that created them.
  const latest = useRef({ onResolved, onUndone })
  latest.current = { onResolved, onUndone }
  const lastUndo = useRef<() => void>(undefined)
  const save = async (row: DisagreementRow, change: Change): Promise<boolean> => {
    try {
      await mutateAsync({ traceId: row.id, change })
      return true
    } catch (error) {
      showToast({ tone: 'danger', ...describeError(error) })
      return false
    }
  }
  const apply = async (row: DisagreementRow, change: Change) => {
    if (!(await save(row, change))) return
    const undo = () => {
      if (lastUndo.current !== undo) return
      lastUndo.current = undefined
      const { resolution } = row
      void save(row, resolution && { rating: resolution.rating, note: resolution.note }).then((isUndone) => {
        if (isUndone) latest.current.onUndone(row)
      })
    }
    lastUndo.current = undo
    showUndoToast(change ? `Resolved as ${lookOf(change.rating).label}.` : 'The disagreement is open again.', undo)
    if (change) latest.current.onResolved(row)
  }
  useShortcut('undoResolution', () => lastUndo.current?.())
  return {
    resolve: (row: DisagreementRow, rating: string, note: string | null) => void apply(row, { rating, note }),
    reopen: (row: DisagreementRow) => void apply(row, null),
  }
}
