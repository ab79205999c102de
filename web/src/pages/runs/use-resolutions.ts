import { useRef, useState } from 'react'
import { useResolve } from '../../api/agreement-query.ts'
import { describeError } from '../../api/api-error.ts'
import type { RatingLook } from '../../api/rating-scheme-query.ts'
import type { RunKey } from '../../api/run-query.ts'
import { useShortcut } from '../../shortcuts/shortcut-store.ts'
import type { DisagreementRow } from '../agreement/agreement-model.ts'

interface ResolutionOptions {
  lookOf: (rating: string) => RatingLook
  /** After a disagreement was resolved. */
  onResolved: (row: DisagreementRow) => void
  /** After the last change was undone. */
  onUndone: (row: DisagreementRow) => void
}

type Change = { rating: string; note: string | null } | null

/** The result of the last change. */
export interface ResolutionResult {
  message: string
  /** Undefined if it failed, or cannot be undone any more. */
  onUndo?: () => void
  error?: Error
}

/** Resolves and reopens disagreements, and undoes the last of these changes. */
export function useResolutions(runKey: RunKey, { lookOf, onResolved, onUndone }: ResolutionOptions) {
  const { mutateAsync } = useResolve(runKey)
  const [result, setResult] = useState<ResolutionResult>()
  // A response may arrive after the page was rendered again.
  const latest = useRef({ onResolved, onUndone })
  latest.current = { onResolved, onUndone }
  const save = async (row: DisagreementRow, change: Change): Promise<boolean> => {
    try {
      await mutateAsync({ traceId: row.id, change })
      return true
    } catch (error) {
      setResult({ message: describeError(error).message, ...(error instanceof Error && { error }) })
      return false
    }
  }
  const undo = async (row: DisagreementRow) => {
    setResult(undefined)
    const { resolution } = row
    if (!(await save(row, resolution && { rating: resolution.rating, note: resolution.note }))) return
    setResult({ message: 'The last change is undone.' })
    latest.current.onUndone(row)
  }
  const apply = async (row: DisagreementRow, change: Change) => {
    if (!(await save(row, change))) return
    const message = change ? `Resolved as ${lookOf(change.rating).label}.` : 'The disagreement is open again.'
    setResult({ message, onUndo: () => void undo(row) })
    if (change) latest.current.onResolved(row)
  }
  useShortcut('undoResolution', result?.onUndo)
  return {
    result,
    resolve: (row: DisagreementRow, rating: string, note: string | null) => void apply(row, { rating, note }),
    reopen: (row: DisagreementRow) => void apply(row, null),
  }
}
