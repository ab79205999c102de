import { useEffect, useState } from 'react'
import type { ExperimentEstimate } from '../../api/generated/api.ts'
import { Button } from '../../ui/button.tsx'
import { formatCost } from '../../ui/format-number.ts'
import type { StartState } from './experiment-summary-card.tsx'

interface DockedStartProps {
  known: ExperimentEstimate | undefined
  start: StartState
}

/** On narrow screens: cost and button above the bottom bar, as long as the card with both is out of sight. */
export function DockedStart({ known, start }: DockedStartProps) {
  const [isNeeded, setIsNeeded] = useState(false)
  useEffect(() => {
    const card = document.getElementById('experiment-summary')
    if (!card || typeof IntersectionObserver === 'undefined') return undefined
    const observer = new IntersectionObserver((entries) => setIsNeeded(!entries.at(-1)?.isIntersecting))
    observer.observe(card)
    return () => observer.disconnect()
  }, [])
  if (!isNeeded) return null
  return (
    <div className="fixed inset-x-0 bottom-14 z-20 flex items-center gap-3 border-t border-line bg-surface px-4 py-2 text-data shadow-float sm:hidden">
      <span className="min-w-0 flex-1 text-soft tabular-nums">
        {known
          ? known.expectedCostUsd === null
            ? 'cost unknown'
            : `up to about ${formatCost(known.expectedCostUsd)}`
          : 'no estimate yet'}
      </span>
      <Button look="primary" isBusy={start.isBusy} disabledReason={start.disabledReason} onClick={start.run}>
        Start
      </Button>
    </div>
  )
}
