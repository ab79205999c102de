import { useEffect } from 'react'

/** Keeps the row of the panel in view: the panel changes the layout of the page after the table has scrolled. */
export function useKeepInView(rowId: string | undefined): void {
  useEffect(() => {
    if (rowId === undefined) return undefined
    const frame = requestAnimationFrame(() => {
      document.querySelector(`[data-row-id="${CSS.escape(rowId)}"]`)?.scrollIntoView({ block: 'nearest' })
    })
    return () => cancelAnimationFrame(frame)
  }, [rowId])
}
