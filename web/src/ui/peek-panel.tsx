import { ChevronDown, ChevronUp, X } from 'lucide-react'
import { type ReactNode, useEffect, useLayoutEffect, useRef } from 'react'
import { IconButton } from './icon-button.tsx'
import { hostToasts } from './toast-store.ts'
import { useMediaQuery } from './use-media-query.ts'

interface PeekPanelProps {
  /** The accessible name: "Trace". */
  label: string
  /** Where the shown thing is in the list: "2 of 1,204". */
  position?: string
  /** Undefined at the ends of the list. */
  onPrevious: (() => void) | undefined
  onNext: (() => void) | undefined
  /** A link to the page of the shown thing. */
  openLink?: ReactNode
  onClose: () => void
  /** Docked at the bottom, for the primary action. */
  footer?: ReactNode
  children: ReactNode
}

/**
 * The details of one row, at the right of its list. The focus stays in the list, so that j and k go on; Escape closes
 * from both. Below 900 px it covers the page as a modal dialog and takes the focus.
 */
export function PeekPanel(props: PeekPanelProps) {
  const isNarrow = useMediaQuery('(max-width: 899px)')
  return isNarrow ? <PeekDialog {...props} /> : <PeekAside {...props} />
}

function PeekAside(props: PeekPanelProps) {
  const ref = useRef<HTMLElement>(null)
  const returnTo = useRef<Element>(null)
  const { onClose } = props
  // With the first paint: the focus may move before effects run.
  useLayoutEffect(() => {
    returnTo.current ??= document.activeElement
  }, [])
  useEffect(() => {
    const closeOnEscape = (event: KeyboardEvent) => {
      // A menu or dialog on top of the panel closes first.
      const isOnTop = document.querySelector('dialog[open], [role=menu], [role=dialog][data-state=open]')
      if (event.key !== 'Escape' || event.defaultPrevented || isOnTop) return
      event.preventDefault()
      // The focus must not be lost with the panel.
      if (ref.current?.contains(document.activeElement) && returnTo.current instanceof HTMLElement)
        returnTo.current.focus()
      onClose()
    }
    document.addEventListener('keydown', closeOnEscape)
    return () => document.removeEventListener('keydown', closeOnEscape)
  }, [onClose])
  return (
    <aside ref={ref} aria-label={props.label} className="flex h-full min-h-0 flex-col border-l border-line bg-raised">
      <PeekContent {...props} />
    </aside>
  )
}

function PeekDialog(props: PeekPanelProps) {
  const ref = useRef<HTMLDialogElement>(null)
  useLayoutEffect(() => {
    const dialog = ref.current
    if (!dialog) return undefined
    // Otherwise the first button would get the focus, and show why it is disabled at the first row.
    dialog.querySelector('section')?.setAttribute('autofocus', '')
    dialog.showModal()
    const stopHosting = hostToasts(dialog)
    return () => {
      stopHosting()
      dialog.close()
    }
  }, [])
  return (
    <dialog
      ref={ref}
      aria-label={props.label}
      onCancel={(event) => {
        event.preventDefault()
        props.onClose()
      }}
      className="m-0 h-dvh max-h-none w-dvw max-w-none overscroll-contain border-0 bg-raised p-0 text-ink open:flex open:flex-col"
    >
      <PeekContent {...props} />
    </dialog>
  )
}

function PeekContent({ label, position, onPrevious, onNext, openLink, onClose, footer, children }: PeekPanelProps) {
  const name = label.toLowerCase()
  return (
    <>
      <header className="flex min-h-10 shrink-0 items-center gap-0.5 border-b border-line pr-2 pl-4 text-data text-soft">
        {position && <span className="tabular-nums">{position}</span>}
        <span className="ml-auto flex items-center gap-0.5">
          <IconButton
            label={`Previous ${name}`}
            disabledReason={onPrevious ? undefined : 'This is the first one.'}
            onClick={onPrevious}
          >
            <ChevronUp aria-hidden className="size-4" />
          </IconButton>
          <IconButton
            label={`Next ${name}`}
            disabledReason={onNext ? undefined : 'This is the last one.'}
            onClick={onNext}
          >
            <ChevronDown aria-hidden className="size-4" />
          </IconButton>
          {openLink}
          <IconButton label="Close" onClick={onClose}>
            <X aria-hidden className="size-4" />
          </IconButton>
        </span>
      </header>
      <section
        aria-label={`${label}, details`}
        // biome-ignore lint/a11y/noNoninteractiveTabindex: a scrollable region needs a tab stop (WCAG 2.1.1)
        tabIndex={0}
        className="min-h-0 flex-1 overflow-y-auto px-4 py-3.5 focus-visible:-outline-offset-2"
      >
        {children}
      </section>
      {footer && (
        <footer className="flex min-h-13 shrink-0 items-center gap-1.5 border-t border-edge px-3.5 py-2">
          {footer}
        </footer>
      )}
    </>
  )
}
