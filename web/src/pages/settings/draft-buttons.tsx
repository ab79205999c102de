import type { ReactNode } from 'react'
import { Button } from '../../ui/button.tsx'

interface DraftButtonsProps {
  /** The label of the button that saves. */
  children: ReactNode
  isSaving: boolean
  disabledReason: string | undefined
  hasChanges: boolean
  onDiscard: () => void
}

/** The end of a form whose changes are kept until they are saved or discarded. */
export function DraftButtons({ children, isSaving, disabledReason, hasChanges, onDiscard }: DraftButtonsProps) {
  return (
    <div className="flex flex-wrap items-center gap-2">
      <Button type="submit" look="primary" isBusy={isSaving} disabledReason={disabledReason}>
        {children}
      </Button>
      {hasChanges && (
        <Button look="quiet" onClick={onDiscard}>
          Discard changes
        </Button>
      )}
    </div>
  )
}
