import { Slot } from 'radix-ui'
import { type PointerEvent, type ReactNode, useEffect, useRef, useState } from 'react'
import { floatingPart } from './floating.ts'

interface TipProps {
  /** Without a text nothing is shown. The element inside stays the same when a text appears, so that it keeps the focus. */
  text: string | undefined
  children: ReactNode
}

const HOVER_MS = 300

/** Only one is open at a time. */
let closeOpenTip: (() => void) | undefined

/**
 * A short explanation on hover and focus; never the only source of important information. It renders next to its
 * button instead of in a portal: there an open dialog would cover it, and it would be outside of every landmark.
 */
export function Tip({ text, children }: TipProps) {
  const [isOpen, setIsOpen] = useState(false)
  const anchor = useRef<HTMLElement>(null)
  const timer = useRef<number>(undefined)
  /** A press focuses the button, which must not open the tip. */
  const isPressed = useRef(false)
  const isShown = isOpen && text !== undefined
  const parts = floatingPart.use(isShown)
  useEffect(() => () => window.clearTimeout(timer.current), [])
  const close = () => {
    window.clearTimeout(timer.current)
    setIsOpen(false)
  }
  const open = () => {
    closeOpenTip?.()
    closeOpenTip = () => setIsOpen(false)
    setIsOpen(true)
  }
  const enter = (event: PointerEvent) => {
    window.clearTimeout(timer.current)
    if (event.pointerType !== 'touch') timer.current = window.setTimeout(open, HOVER_MS)
  }
  const press = () => {
    close()
    isPressed.current = true
    document.addEventListener('pointerup', () => (isPressed.current = false), { once: true })
  }
  return (
    <>
      <Slot.Root
        ref={anchor}
        onPointerEnter={enter}
        // An open tip is closed by its panel, which the pointer may enter.
        onPointerLeave={() => window.clearTimeout(timer.current)}
        onPointerDown={press}
        onFocus={() => isPressed.current || open()}
        onBlur={close}
        onClick={close}
      >
        {children}
      </Slot.Root>
      {parts && isShown && (
        <parts.TipPanel anchor={anchor} isOpen onOpenChange={setIsOpen}>
          {text}
        </parts.TipPanel>
      )}
    </>
  )
}
