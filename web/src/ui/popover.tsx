import { Slot } from 'radix-ui'
import { type ReactElement, type ReactNode, useId, useRef, useState } from 'react'
import { floatingPart } from './floating.ts'
import { menuPanelClass } from './menu.tsx'

interface PopoverProps {
  /** The button that opens it; must accept a ref and props. */
  trigger: ReactElement
  label: string
  align?: 'start' | 'end'
  className?: string
  /** A popover that scrolls needs a tab stop. */
  tabIndex?: number
  /** Only where the landmark of its button cannot show it. */
  isInPortal?: boolean
  children: (close: () => void) => ReactNode
}

/** A panel with fields or text. Each opening starts with fresh fields. */
export function Popover({
  trigger,
  label,
  align = 'end',
  className = '',
  tabIndex,
  isInPortal,
  children,
}: PopoverProps) {
  const [state, setState] = useState<'unused' | 'open' | 'closed'>('unused')
  const isOpen = state === 'open'
  const setIsOpen = (isOpenNow: boolean) => setState(isOpenNow ? 'open' : 'closed')
  const anchor = useRef<HTMLElement>(null)
  const parts = floatingPart.use(isOpen)
  const id = useId()
  return (
    <>
      <Slot.Root
        ref={anchor}
        aria-haspopup="dialog"
        aria-expanded={isOpen}
        aria-controls={isOpen && parts ? id : undefined}
        onClick={() => setIsOpen(!isOpen)}
      >
        {trigger}
      </Slot.Root>
      {parts && state !== 'unused' && (
        <parts.PopoverPanel
          id={id}
          anchor={anchor}
          isOpen={isOpen}
          onOpenChange={setIsOpen}
          label={label}
          align={align}
          isInPortal={isInPortal === true}
          tabIndex={tabIndex}
          className={`${menuPanelClass} ${className}`}
        >
          {isOpen && children(() => setIsOpen(false))}
        </parts.PopoverPanel>
      )}
    </>
  )
}
