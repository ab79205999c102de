import { type RefCallback, useCallback, useState } from 'react'

/** The width of an element in pixels, and the ref that measures it. Before it is measured: that of the window. */
export function useWidth(): [RefCallback<HTMLElement>, number] {
  const [width, setWidth] = useState(() => window.innerWidth)
  const ref = useCallback((element: HTMLElement | null) => {
    if (!element) return undefined
    const measure = () => setWidth(element.clientWidth || window.innerWidth)
    measure()
    const observer = new ResizeObserver(measure)
    observer.observe(element)
    return () => observer.disconnect()
  }, [])
  return [ref, width]
}
