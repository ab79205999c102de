import { isOpen } from './annotation-items.ts'
import type { QueueFeed } from './queue-feed.ts'
import { progressOf } from './session-state.ts'
import type { SessionStore } from './session-store.ts'

/** The server reserves traces for ten minutes. */
const RENEW_MS = 4 * 60_000
const CHECK_MS = 20_000
/** A page that is left open must not keep traces from others forever. */
const IDLE_MS_MAX = 30 * 60_000

/** Renews reservations while the user is there, releases them when the page is closed, and at the end asks for new traces. */
export function watchReservations(store: SessionStore, feed: QueueFeed): () => void {
  let shown = store.read().currentId
  let shownAt = Date.now()

  function check(): void {
    if (document.visibilityState !== 'visible') return
    const state = store.read()
    const { items, currentId } = state
    const progress = progressOf(state)
    if (currentId !== shown) shownAt = Date.now()
    shown = currentId
    const isReserved = items.some((item) => isOpen(item) && item.leaseUntil !== null)
    const isIdle = Date.now() - shownAt > IDLE_MS_MAX
    if (isReserved && !isIdle && Date.now() - feed.fetchedAt() >= RENEW_MS) void feed.refill('renew')
    // Others may release traces, and traces may arrive.
    if (currentId === undefined && !isIdle && progress !== undefined && progress.left > 0) feed.fetchIfNeeded()
  }

  /** The browser has kept the page, and the reservations were released. */
  function onPageShow({ persisted }: PageTransitionEvent): void {
    if (persisted) void feed.refill('renew')
  }

  const timer = setInterval(check, CHECK_MS)
  document.addEventListener('visibilitychange', check)
  window.addEventListener('pagehide', feed.release)
  window.addEventListener('pageshow', onPageShow)
  return () => {
    clearInterval(timer)
    document.removeEventListener('visibilitychange', check)
    window.removeEventListener('pagehide', feed.release)
    window.removeEventListener('pageshow', onPageShow)
  }
}
