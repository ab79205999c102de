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

/** A modal dialog that covers the page shows the toasts in itself: outside of it nothing can be seen or pressed. */
let hosts: HTMLElement[] = []

/** Until the returned function is called. */
export function hostToasts(element: HTMLElement): () => void {
  replaceHosts([...hosts, element])
  return () => replaceHosts(hosts.filter((host) => host !== element))
}

/** Undefined for the page itself. */
export function useToastHost(): HTMLElement | undefined {
  return useSyncExternalStore(subscribe, () => hosts.at(-1))
}

function replaceHosts(next: HTMLElement[]): void {
  hosts = next
  for (const listener of listeners) listener()
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
