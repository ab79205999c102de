import { Slot } from 'radix-ui'
import {
  type KeyboardEvent,
  type PointerEvent,
  type ReactElement,
  type ReactNode,
  useId,
  useRef,
  useState,
} from 'react'
import { floatingPart } from './floating.ts'

interface MenuProps {
  /** The button that opens the menu; must accept a ref and props. */
  trigger: ReactElement
  align?: 'start' | 'end'
  children: ReactNode
}

/** The items are in `menu-items.tsx`. It opens on press, as the menus of the system do, and with the keys that open them. */
export function Menu({ trigger, align = 'end', children }: MenuProps) {
  const [state, setState] = useState<'unused' | 'open' | 'closed'>('unused')
  const isOpen = state === 'open'
  const setIsOpen = (isOpenNow: boolean) => setState(isOpenNow ? 'open' : 'closed')
  const anchor = useRef<HTMLElement>(null)
  const parts = floatingPart.use(isOpen)
  const id = useId()
  const press = (event: PointerEvent) => {
    if (event.button !== 0 || event.ctrlKey) return
    // The menu gets the focus, not the button.
    if (!isOpen) event.preventDefault()
    setIsOpen(!isOpen)
  }
  const pressKey = (event: KeyboardEvent) => {
    if (!['Enter', ' ', 'ArrowDown'].includes(event.key)) return
    event.preventDefault()
    setIsOpen(event.key === 'ArrowDown' || !isOpen)
  }
  return (
    <>
      <Slot.Root
        ref={anchor}
        id={`${id}-button`}
        aria-haspopup="menu"
        aria-expanded={isOpen}
        aria-controls={isOpen && parts ? id : undefined}
        onPointerDown={press}
        onKeyDown={pressKey}
      >
        {trigger}
      </Slot.Root>
      {parts && state !== 'unused' && (
        <parts.MenuPanel
          id={id}
          anchor={anchor}
          isOpen={isOpen}
          onOpenChange={setIsOpen}
          labelledBy={`${id}-button`}
          align={align}
          className={menuPanelClass}
        >
          {children}
        </parts.MenuPanel>
      )}
    </>
  )
}

export const menuPanelClass =
  'z-40 min-w-52 animate-rise rounded-card border border-line bg-raised p-1 text-ink shadow-float'

export const menuItemClass =
  'flex w-full cursor-pointer items-center gap-2.5 rounded-control px-2.5 py-1.5 touch:min-h-11 text-left text-data select-none ' +
  'data-highlighted:bg-hover data-highlighted:outline-2 data-highlighted:-outline-offset-2 data-highlighted:outline-gold'
