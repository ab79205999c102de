import type { QueueBatch } from '../../api/generated/api.ts'
import type { AnnotationItem } from './annotation-items.ts'

/** What the annotation page shows. */
export interface SessionState {
  items: readonly AnnotationItem[]
  /** Undefined before the first trace is there, and after the last one. */
  currentId: string | undefined
  /** The newest response of the queue. */
  batch: QueueBatch | undefined
  progress: { rated: number; left: number; total: number } | undefined
  isFetching: boolean
  /** Why traces could not be fetched. */
  error: unknown
  /** What the next undo would undo. */
  lastAction: Action | undefined
  /** What happened without the user; shown until the user goes on. */
  notice: string | undefined
}

export interface Action {
  kind: 'save' | 'skip'
  /** In the outbox. */
  entryId: string
  /** The state before. */
  item: AnnotationItem
  /** Undefined if only words were saved. */
  rating: string | undefined
}

export type SessionStore = ReturnType<typeof createSessionStore>

export function createSessionStore() {
  let state: SessionState = EMPTY
  const listeners = new Set<() => void>()
  return {
    read: () => state,
    set(changes: Partial<SessionState>): void {
      state = { ...state, ...changes }
      for (const listener of listeners) listener()
    },
    subscribe(listener: () => void): () => void {
      listeners.add(listener)
      return () => listeners.delete(listener)
    },
    current: () => state.items.find(({ traceDbId }) => traceDbId === state.currentId),
    find: (traceDbId: string) => state.items.find((item) => item.traceDbId === traceDbId),
    /** -1 if there is no current trace. */
    position: () => state.items.findIndex(({ traceDbId }) => traceDbId === state.currentId),
    /** The items with another state of one of them. */
    withItem: (changed: AnnotationItem): readonly AnnotationItem[] =>
      state.items.map((item) => (item.traceDbId === changed.traceDbId ? changed : item)),
  }
}

const EMPTY: SessionState = {
  items: [],
  currentId: undefined,
  batch: undefined,
  progress: undefined,
  isFetching: false,
  error: undefined,
  lastAction: undefined,
  notice: undefined,
}
