/**
 * The panels that float next to a button. Not modal: a modal panel locks scrolling with an injected style element, which
 * the content security policy forbids.
 */
import { DropdownMenu, Popover, Tooltip } from 'radix-ui'
import { type ReactNode, type Ref, type RefObject, useImperativeHandle } from 'react'

export { DropdownMenu }

interface PanelProps {
  /** The button, which is on the page before this file is loaded. */
  anchor: RefObject<HTMLElement | null>
  isOpen: boolean
  onOpenChange: (isOpen: boolean) => void
  children: ReactNode
}

interface MenuPanelProps extends PanelProps {
  labelledBy: string
  id: string
  align: 'start' | 'end'
  className: string
}

/** Not in a portal: the menu belongs to the landmark of its button. */
export function MenuPanel({ anchor, isOpen, onOpenChange, labelledBy, ...content }: MenuPanelProps) {
  return (
    <DropdownMenu.Root modal={false} open={isOpen} onOpenChange={onOpenChange}>
      <DropdownMenu.Trigger asChild>
        <Anchor of={anchor} />
      </DropdownMenu.Trigger>
      <DropdownMenu.Content aria-labelledby={labelledBy} sideOffset={6} collisionPadding={8} {...content} />
    </DropdownMenu.Root>
  )
}

interface PopoverPanelProps extends PanelProps {
  id: string
  label: string
  align: 'start' | 'end'
  /** Where the landmark of its button cannot show it. */
  isInPortal: boolean
  tabIndex: number | undefined
  className: string
}

export function PopoverPanel({ anchor, isOpen, onOpenChange, label, isInPortal, ...content }: PopoverPanelProps) {
  const panel = <Popover.Content aria-label={label} sideOffset={6} collisionPadding={8} {...content} />
  return (
    <Popover.Root open={isOpen} onOpenChange={onOpenChange}>
      <Popover.Trigger asChild>
        <Anchor of={anchor} />
      </Popover.Trigger>
      {isInPortal ? <Popover.Portal>{panel}</Popover.Portal> : panel}
    </Popover.Root>
  )
}

export function TipPanel({ anchor, isOpen, onOpenChange, children }: PanelProps) {
  return (
    <Tooltip.Provider>
      <Tooltip.Root open={isOpen} onOpenChange={onOpenChange}>
        <Tooltip.Trigger asChild>
          <Anchor of={anchor} />
        </Tooltip.Trigger>
        <Tooltip.Content
          sideOffset={6}
          collisionPadding={8}
          className="z-50 max-w-64 animate-rise rounded-control bg-action px-2.5 py-1.5 text-left text-data font-normal whitespace-normal text-on-action shadow-float"
        >
          {children}
        </Tooltip.Content>
      </Tooltip.Root>
    </Tooltip.Provider>
  )
}

/** Gives the library the button as its trigger. It renders nothing: rendering the button again would take its focus. */
function Anchor({ of, ref }: { of: RefObject<HTMLElement | null>; ref?: Ref<unknown> }) {
  useImperativeHandle(ref, () => of.current, [of])
  return null
}
