import { EyeOff, X } from 'lucide-react'
import type { ChosenOrder } from '../../api/queue-query.ts'
import type { RunKey } from '../../api/run-query.ts'
import { ShortcutKeys } from '../../shortcuts/shortcut-keys.tsx'
import { formatCount } from '../../ui/format-number.ts'
import { SaveState } from '../../ui/save-state.tsx'
import type { Outbox } from './outbox.ts'
import { PolicyMenu } from './policy-menu.tsx'
import { progressOf, type SessionState } from './session-state.ts'
import { useOutboxState } from './use-outbox-state.ts'

interface AnnotateHeaderProps {
  run: RunKey
  title: string
  state: SessionState
  outbox: Outbox
  onLeave: () => void
  onPolicyChange: () => void
  onOrder: (order: ChosenOrder) => void
}

/** How far the user is, and whether everything is saved. */
export function AnnotateHeader({ run, title, state, outbox, onLeave, ...menu }: AnnotateHeaderProps) {
  const { batch } = state
  const progress = progressOf(state)
  const share = progress && progress.total > 0 ? (progress.rated / progress.total) * 100 : 0
  return (
    <header className="sticky top-0 z-20 bg-canvas text-data text-soft">
      <div
        role="progressbar"
        aria-label="Rated"
        aria-valuemin={0}
        aria-valuemax={progress?.total ?? 0}
        aria-valuenow={progress?.rated ?? 0}
        className="h-[3px] bg-line"
      >
        <div className="h-full bg-gold" style={{ width: `${share}%` }} />
      </div>
      <div className="flex min-h-11 flex-wrap items-center gap-x-4 px-5 max-sm:gap-x-2 max-sm:px-2">
        <button
          type="button"
          aria-label="Close"
          onClick={onLeave}
          className="flex min-h-8 items-center gap-2 rounded-control px-1.5 hover:bg-hover hover:text-ink touch:size-11 max-sm:justify-center"
        >
          <X aria-hidden className="size-4" />
          <ShortcutKeys id="leaveAnnotation" />
        </button>
        <span className="min-w-0 truncate max-md:hidden">{title}</span>
        {progress && (
          <span className="whitespace-nowrap tabular-nums">
            <strong className="font-semibold text-ink">{formatCount(progress.rated)}</strong> of{' '}
            {formatCount(progress.total)} rated
            <span className="max-[360px]:hidden">, {formatCount(progress.left)} left</span>
          </span>
        )}
        <div className="ml-auto flex items-center gap-4 max-sm:gap-2">
          {batch?.blind && (
            <span
              className="flex items-center gap-1.5"
              title="You see what others said about a trace after you have rated it."
            >
              <EyeOff aria-hidden className="size-4 shrink-0" />
              <span className="max-lg:sr-only">Blind: ratings of others are hidden</span>
            </span>
          )}
          <Saved outbox={outbox} runId={run.runId} />
          <PolicyMenu run={run} order={batch?.order} onChange={menu.onPolicyChange} onOrder={menu.onOrder} />
        </div>
      </div>
    </header>
  )
}

function Saved({ outbox, runId }: { outbox: Outbox; runId: string }) {
  const { state, waiting, rejected } = useOutboxState(outbox, runId)
  if (state === 'saved' && rejected.length > 0) return <SaveState state="failed" />
  return <SaveState state={state} {...(state === 'offline' && { waitingText: `${waiting} kept on this device` })} />
}
