import { useSyncExternalStore } from 'react'

export interface Toast {
  id: number
  tone: 'good' | 'danger'
  message: string
  requestId?: string
}

let toasts: Toast[] = []
let lastId = 0
const listeners = new Set<() => void>()

/** Shows the result of an action that has no location of its own on the page. */
export function showToast(toast: Omit<Toast, 'id'>): void {
  lastId += 1
  replaceToasts([...toasts, { ...toast, id: lastId }])
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
