import { EMPTY_SESSION, type SessionState } from './session-state.ts'

export type SessionStore = ReturnType<typeof createSessionStore>

/** The state of the annotation page, as React reads it. */
export function createSessionStore() {
  let state = EMPTY_SESSION
  const listeners = new Set<() => void>()
  return {
    read: () => state,
    update(change: (state: SessionState) => SessionState): void {
      state = change(state)
      for (const listener of listeners) listener()
    },
    subscribe(listener: () => void): () => void {
      listeners.add(listener)
      return () => listeners.delete(listener)
    },
  }
}
