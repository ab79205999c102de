import { Tooltip } from 'radix-ui'
import { type ReactNode, useState } from 'react'

interface TipProps {
  /** Without a text nothing is shown. The element inside stays the same when a text appears, so that it keeps the focus. */
  text: string | undefined
  children: ReactNode
}

/**
 * A short explanation on hover and focus; never the only source of important information. It renders next to its
 * button instead of in a portal: there an open dialog would cover it, and it would be outside of every landmark.
 */
export function Tip({ text, children }: TipProps) {
  const [isOpen, setIsOpen] = useState(false)
  return (
    <Tooltip.Root open={isOpen && text !== undefined} onOpenChange={setIsOpen}>
      <Tooltip.Trigger asChild>{children}</Tooltip.Trigger>
      <Tooltip.Content
        sideOffset={6}
        collisionPadding={8}
        className="z-50 max-w-64 animate-rise rounded-control bg-action px-2.5 py-1.5 text-left text-data font-normal whitespace-normal text-on-action shadow-float"
      >
        {text}
      </Tooltip.Content>
    </Tooltip.Root>
  )
}
