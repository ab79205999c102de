import { CircleAlert, CircleCheck, CloudOff, PencilLine } from 'lucide-react'
import type { ReactNode } from 'react'
import { Spinner } from './spinner.tsx'

interface SaveStateProps {
  state: 'saved' | 'unsaved' | 'saving' | 'offline' | 'failed'
  /** Unsaved changes, for the states that keep them: "3 ratings are kept on this device". */
  waitingText?: string
  onRetry?: () => void
}

/** Whether the words of the user are on the server; announced when it changes. */
export function SaveState({ state, waitingText, onRetry }: SaveStateProps) {
  const { icon, text, className } = looks[state]
  return (
    <span className={`inline-flex min-h-6 items-center gap-1.5 text-meta ${className}`}>
      {icon}
      <span role="status">
        {text}
        {waitingText && state !== 'saved' && ` · ${waitingText}`}
      </span>
      {state === 'failed' && onRetry && (
        <button type="button" onClick={onRetry} className="rounded-sm font-medium underline underline-offset-3">
          Retry
        </button>
      )}
    </span>
  )
}

const iconClass = 'size-3.5 shrink-0'

const looks: Record<SaveStateProps['state'], { icon: ReactNode; text: string; className: string }> = {
  saved: { icon: <CircleCheck aria-hidden className={iconClass} />, text: 'Saved', className: 'text-good' },
  unsaved: { icon: <PencilLine aria-hidden className={iconClass} />, text: 'Not saved yet', className: 'text-soft' },
  saving: { icon: <Spinner />, text: 'Saving…', className: 'text-soft' },
  offline: {
    icon: <CloudOff aria-hidden className={iconClass} />,
    text: 'Offline, will be saved later',
    className: 'text-warn',
  },
  failed: {
    icon: <CircleAlert aria-hidden className={iconClass} />,
    text: 'Could not be saved',
    className: 'text-danger',
  },
}
