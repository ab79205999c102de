/**
 * Whether the session ended while a page was open. The page stays as it is, so that nothing that was typed is lost, and a dialog asks
 * the user to sign in again.
 */
import { useEffect, useEffectEvent, useSyncExternalStore } from 'react'

let hasEnded = false
const listeners = new Set<() => void>()
const restoredListeners = new Set<() => void>()

export function endSession(): void {
  change(true)
}

/** Until the next request that needs a session. */
export function dismissSessionEnd(): void {
  change(false)
}

/** The same user has signed in again. */
export function restoreSession(): void {
  change(false)
  for (const listener of restoredListeners) listener()
}

export function useSessionHasEnded(): boolean {
  return useSyncExternalStore(subscribe, () => hasEnded)
}

/** For what does not use queries: those are fetched again anyway. */
export function useSessionRestored(onRestored: () => unknown): void {
  const restored = useEffectEvent(onRestored)
  useEffect(() => onSessionRestored(() => restored()), [])
}

export function onSessionRestored(listener: () => void): () => void {
  restoredListeners.add(listener)
  return () => restoredListeners.delete(listener)
}

function change(next: boolean): void {
  hasEnded = next
  for (const listener of listeners) listener()
}

function subscribe(listener: () => void): () => void {
  listeners.add(listener)
  return () => listeners.delete(listener)
}
