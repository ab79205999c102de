import { X } from 'lucide-react'
import type { ReactNode } from 'react'
import { formatCount } from '../format-number.ts'
import { IconButton } from '../icon-button.tsx'

interface SelectionBarProps {
  count: number
  onClear: () => void
  /** Actions on the selected rows; the first one is the primary one. */
  children: ReactNode
}

/** Docked below a table while rows are selected. */
export function SelectionBar({ count, onClear, children }: SelectionBarProps) {
  if (count === 0) return null
  return (
    <section
      aria-label="Selected rows"
      className="relative z-10 flex min-h-13 flex-wrap items-center gap-1.5 border-t border-edge bg-raised px-4 py-2 text-data"
    >
      <b role="status" className="mr-2 font-semibold tabular-nums">
        {formatCount(count)} selected
      </b>
      {children}
      <span className="ml-auto">
        <IconButton label="Clear selection" onClick={onClear}>
          <X aria-hidden className="size-4" />
        </IconButton>
      </span>
    </section>
  )
}
