import { useEffect, useSyncExternalStore } from 'react'

/** A file of the interface that no page needs before a click, a hover or a message. Loading it again after a failure is allowed. */
export function laterPart<Part>(importPart: () => Promise<Part>) {
  let part: Part | undefined
  let loading: Promise<void> | undefined
  const listeners = new Set<() => void>()
  const load = () => {
    loading ??= importPart().then(
      (loaded) => {
        part = loaded
        for (const listener of listeners) listener()
      },
      (error: unknown) => {
        loading = undefined
        throw error
      },
    )
    return loading
  }
  const subscribe = (listener: () => void) => {
    listeners.add(listener)
    return () => listeners.delete(listener)
  }
  /** Undefined until it is loaded, which begins when it is wanted. */
  const use = (isWanted: boolean) => {
    useEffect(() => {
      // The application loads it before, too, and reports a server that does not respond.
      if (isWanted) load().catch(() => undefined)
    }, [isWanted])
    return useSyncExternalStore(subscribe, () => part)
  }
  return { load, use }
}
