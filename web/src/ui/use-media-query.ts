import { useSyncExternalStore } from 'react'

/** For layouts that differ in what they contain, not only in how they look; otherwise a class with a breakpoint is enough. */
export function useMediaQuery(query: string): boolean {
  return useSyncExternalStore(
    (listener) => {
      const media = window.matchMedia(query)
      media.addEventListener('change', listener)
      return () => media.removeEventListener('change', listener)
    },
    () => window.matchMedia(query).matches,
  )
}
