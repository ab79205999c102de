import { X } from 'lucide-react'
import { type ReactNode, type SyntheticEvent, useId, useLayoutEffect, useRef } from 'react'
import { Button } from './button.tsx'

interface DialogProps {
  title: string
  isOpen: boolean
  /** Called for Escape and the close button. The caller may leave the dialog open. */
  onClose: () => void
  /** `wide` is for tables. */
  size?: 'normal' | 'wide'
  children: ReactNode
}

/**
 * The browser's modal dialog, which handles focus, Escape and inertness. Radix' dialog locks scrolling with an
 * injected style element, which the content security policy forbids.
 */
export function Dialog(props: DialogProps) {
  return props.isOpen ? <OpenDialog {...props} /> : null
}

function OpenDialog({ title, onClose, size = 'normal', children }: DialogProps) {
  const ref = useRef<HTMLDialogElement>(null)
  const isLeft = useRef(false)
  const titleId = useId()
  // Only showModal() makes the rest of the page inert; the `open` attribute does not. A layout effect, because close()
  // restores the focus only while the dialog is still in the page.
  useLayoutEffect(() => {
    const dialog = ref.current
    isLeft.current = false
    dialog?.showModal()
    return () => {
      isLeft.current = true
      dialog?.close()
    }
  }, [])
  const keepOpen = (event: SyntheticEvent<HTMLDialogElement>) => {
    event.preventDefault()
    if (event.target === event.currentTarget) onClose()
  }
  return (
    <dialog
      ref={ref}
      aria-labelledby={titleId}
      onCancel={keepOpen}
      // The event also fires when the effect closes the dialog because React hides the page while the next one loads. The
      // user did not close it then, so `onClose` is not called.
      onClose={(event) => event.target === event.currentTarget && !isLeft.current && onClose()}
      className={`m-auto animate-rise ${size === 'wide' ? 'w-[min(72rem,calc(100vw-2rem))]' : 'w-[min(32rem,calc(100vw-2rem))]'} overscroll-contain rounded-dialog border border-line bg-surface p-0 text-ink shadow-float`}
    >
      <h2 id={titleId} className="px-6 pt-5 pb-3 pr-14 font-display text-section font-semibold">
        {title}
      </h2>
      <div className="px-6 pb-6">{children}</div>
      {/* Last, because opening moves the focus to the first control. */}
      <Button look="quiet" size="icon" aria-label="Close" onClick={onClose} className="absolute top-3.5 right-4">
        <X aria-hidden className="size-4" />
      </Button>
    </dialog>
  )
}

export function DialogActions({ children }: { children: ReactNode }) {
  return <div className="mt-6 flex flex-wrap justify-end gap-2">{children}</div>
}
