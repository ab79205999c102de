import { Tooltip } from 'radix-ui'
import type { ReactNode } from 'react'

/**
 * A short explanation on hover and focus; never the only source of important information. It renders next to its
 * button instead of in a portal: there an open dialog would cover it, and it would be outside of every landmark.
 */
export function Tip({ text, children }: { text: string; children: ReactNode }) {
  return (
    <Tooltip.Root>
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
