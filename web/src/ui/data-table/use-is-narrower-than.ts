import { type RefObject, useLayoutEffect, useState } from 'react'

export function useIsNarrowerThan(element: RefObject<HTMLElement | null>, width: number): boolean {
  const [isNarrower, setIsNarrower] = useState(false)
  useLayoutEffect(() => {
    const observed = element.current
    if (!observed) return
    const observer = new ResizeObserver(() => setIsNarrower(observed.clientWidth < width))
    observer.observe(observed)
    return () => observer.disconnect()
  }, [element, width])
  return isNarrower
}
