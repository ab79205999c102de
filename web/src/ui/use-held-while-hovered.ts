import { useState } from 'react'

interface Held<Value> {
  shown: Value
  /** There is something newer than what is shown. */
  isOutdated: boolean
  /** Shows it now. */
  release: () => void
  /** Of the element whose rows must not move. */
  hoverProps: { onPointerEnter: (event: { pointerType: string }) => void; onPointerLeave: () => void }
}

/**
 * Data that changes by itself must not move the row under the mouse. While the mouse is over the element, another `layout` waits until
 * it leaves; data with the same layout, or with more rows at the end, is shown at once. Another `view`, such as a filter that the user
 * has chosen, never waits.
 */
export function useHeldWhileHovered<Value>(value: Value, layout: readonly string[], view: string): Held<Value> {
  const [isHovered, setIsHovered] = useState(false)
  const [held, setHeld] = useState({ value, layout, view })
  const isStill = held.layout.every((key, index) => layout[index] === key)
  const mayShow = !isHovered || isStill || held.view !== view
  if (held.value !== value && mayShow) setHeld({ value, layout, view })
  const shown = mayShow ? value : held.value
  return {
    shown,
    isOutdated: shown !== value,
    release: () => setHeld({ value, layout, view }),
    hoverProps: {
      onPointerEnter: ({ pointerType }) => setIsHovered(pointerType === 'mouse'),
      onPointerLeave: () => setIsHovered(false),
    },
  }
}
