import { useSyncExternalStore } from 'react'

export interface Toast {
  id: number
  tone: 'good' | 'danger'
  message: string
  requestId?: string
  /** When the server expects the request again. */
  retryAtMs?: number
  /** Takes the action back. The toast stays longer then. */
  onUndo?: () => void
}

let toasts: Toast[] = []
let lastId = 0
const listeners = new Set<() => void>()

/** Shows the result of an action that has no location of its own on the page. Returns its id. */
export function showToast(toast: Omit<Toast, 'id'>): number {
  lastId += 1
  replaceToasts([...toasts, { ...toast, id: lastId }])
  return lastId
}

/** Shows that something was done, and how to take it back. Only the newest action can be undone. */
export function showUndoToast(message: string, onUndo: () => void): number {
  replaceToasts(toasts.filter((toast) => toast.onUndo === undefined))
  return showToast({ tone: 'good', message, onUndo })
}

export function dismissToast(id: number): void {
  replaceToasts(toasts.filter((toast) => toast.id !== id))
}

export function useToasts(): Toast[] {
  return useSyncExternalStore(subscribe, () => toasts)
}

function replaceToasts(next: Toast[]): void {
  toasts = next
  for (const listener of listeners) listener()
}

function subscribe(listener: () => void): () => void {
  listeners.add(listener)
  return () => listeners.delete(listener)
}
