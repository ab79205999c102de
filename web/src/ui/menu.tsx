import { DropdownMenu } from 'radix-ui'
import type { ReactElement, ReactNode } from 'react'

interface MenuProps {
  /** The button that opens the menu; must accept a ref and props. */
  trigger: ReactElement
  align?: 'start' | 'end'
  children: ReactNode
}

/**
 * Not modal: a modal menu locks scrolling with an injected style element, which the content security policy forbids.
 * Not in a portal: the menu belongs to the landmark of its button.
 */
export function Menu({ trigger, align = 'end', children }: MenuProps) {
  return (
    <DropdownMenu.Root modal={false}>
      <DropdownMenu.Trigger asChild>{trigger}</DropdownMenu.Trigger>
      <DropdownMenu.Content align={align} sideOffset={6} collisionPadding={8} className={menuPanelClass}>
        {children}
      </DropdownMenu.Content>
    </DropdownMenu.Root>
  )
}

export const menuPanelClass =
  'z-40 min-w-52 animate-rise rounded-card border border-line bg-raised p-1 text-ink shadow-float'

export const menuItemClass =
  'flex w-full cursor-pointer items-center gap-2.5 rounded-control px-2.5 py-1.5 touch:min-h-11 text-left text-data select-none ' +
  'data-highlighted:bg-hover data-highlighted:outline-2 data-highlighted:-outline-offset-2 data-highlighted:outline-gold'
