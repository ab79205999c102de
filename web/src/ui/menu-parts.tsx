/** What menus consist of, as in Radix. They are rendered by an open menu only, for which the library is loaded. */
import type { DropdownMenu } from 'radix-ui'
import type { ComponentProps } from 'react'
import { floatingPart } from './floating.ts'

type Parts = typeof DropdownMenu

export function MenuItem(props: ComponentProps<Parts['Item']>) {
  const library = floatingPart.use(true)
  return library && <library.DropdownMenu.Item {...props} />
}

export function MenuLabel(props: ComponentProps<Parts['Label']>) {
  const library = floatingPart.use(true)
  return library && <library.DropdownMenu.Label {...props} />
}

export function MenuSeparator(props: ComponentProps<Parts['Separator']>) {
  const library = floatingPart.use(true)
  return library && <library.DropdownMenu.Separator {...props} />
}

export function MenuRadioGroup(props: ComponentProps<Parts['RadioGroup']>) {
  const library = floatingPart.use(true)
  return library && <library.DropdownMenu.RadioGroup {...props} />
}

export function MenuRadioItem(props: ComponentProps<Parts['RadioItem']>) {
  const library = floatingPart.use(true)
  return library && <library.DropdownMenu.RadioItem {...props} />
}

/** Shown in the chosen item. */
export function MenuItemIndicator(props: ComponentProps<Parts['ItemIndicator']>) {
  const library = floatingPart.use(true)
  return library && <library.DropdownMenu.ItemIndicator {...props} />
}
