/** Fetches the traces of the queue before the user needs them. */
import { isTransient } from '../../api/api-error.ts'
import { type ChosenOrder, fetchBatch, fetchOwnAnnotations, releaseTraces } from '../../api/queue-query.ts'
import type { RunKey } from '../../api/run-query.ts'
import { readDraft } from './annotation-drafts.ts'
import { isOpen } from './annotation-items.ts'
import type { Outbox } from './outbox.ts'
import { isWaiting, type OutboxEntry } from './outbox-contents.ts'
import { acceptBatch, addEarlier, failFetch, findByAnyId, progressOf, showWanted, startFetch } from './session-state.ts'
import type { SessionStore } from './session-store.ts'

/** More are fetched when fewer open traces than this are left, and so many beyond them. */
const OPEN_MIN = 5
const AHEAD = 5
/** What the server allows. */
const BATCH_MAX = 10
const EARLIER_PER_PAGE = 20
const RETRY_MS = 3000

export type QueueFeed = ReturnType<typeof createQueueFeed>

interface FeedOptions {
  run: RunKey
  userId: string
  store: SessionStore
  outbox: Outbox
  order: ChosenOrder
}

export function createQueueFeed({ run, userId, store, outbox, order }: FeedOptions) {
  let isActive = false
  let fetching: Promise<void> | undefined
  let fetchedAt = 0
  let retryTimer: ReturnType<typeof setTimeout> | undefined
  let earlierSeen = 0
  /** The trace in the address, until it is there. */
  let wantedId: string | undefined

  function waiting(): OutboxEntry[] {
    return outbox.entries().filter((entry) => isWaiting(entry) && entry.run.runId === run.runId)
  }

  function refill(mode: 'more' | 'renew' = 'more'): Promise<void> {
    fetching ??= fetchTraces(mode).finally(() => {
      fetching = undefined
    })
    return fetching
  }

  async function fetchTraces(mode: 'more' | 'renew'): Promise<void> {
    const { items, step } = store.read()
    // Traces whose ratings are still in the outbox are open for the server.
    const held = items.filter(isOpen).length + waiting().length
    const limit = Math.min(BATCH_MAX, Math.max(1, held + (mode === 'more' ? AHEAD : 0)))
    const request = { startedAt: step, wasIdle: waiting().length === 0, isComplete: held <= limit }
    store.update(startFetch)
    try {
      const batch = await fetchBatch(run, { limit, first: wantedId, order })
      fetchedAt = Date.now()
      store.update((state) => acceptBatch(state, { batch, request, waiting: waiting(), readDraft: draftOf }))
      // The server can be reached again.
      if (outbox.state() === 'offline') outbox.retry()
      if (!isActive) release()
    } catch (error) {
      store.update((state) => failFetch(state, error))
      if (isActive && isTransient(error)) retryTimer = setTimeout(fetchIfNeeded, RETRY_MS)
    }
  }

  function draftOf(traceDbId: string) {
    return readDraft({ userId, runId: run.runId, traceDbId })
  }

  /** Called after each action: the next traces must be there before the user needs them. */
  function fetchIfNeeded(): void {
    clearTimeout(retryTimer)
    if (!isActive) return
    const progress = progressOf(store.read())
    const open = store.read().items.filter(isOpen).length
    const isMoreLeft = progress === undefined || progress.left > open
    // At the end, the server must have all ratings before it can say what is left.
    const isDue = open === 0 ? waiting().length === 0 : open < OPEN_MIN && isMoreLeft
    if (isDue) void refill()
  }

  /** Adds traces that the user rated before this visit. */
  async function loadEarlier(): Promise<void> {
    const annotations = await fetchOwnAnnotations(run, { limit: EARLIER_PER_PAGE, offset: earlierSeen })
    earlierSeen += annotations.length
    store.update((state) => addEarlier(state, annotations))
  }

  /** Shows a trace by its id. If the user cannot rate it, the next one is shown with a notice. */
  async function open(traceId: string): Promise<void> {
    // A request that is running does not ask for it.
    await fetching
    wantedId = traceId
    await refill()
    if (!findByAnyId(store.read(), traceId) && store.read().error === undefined)
      await loadEarlier().catch((error) => store.update((state) => failFetch(state, error)))
    // Wanted again by the next attempt.
    if (store.read().error !== undefined) return
    wantedId = undefined
    store.update((state) => showWanted(state, traceId))
  }

  /** Lets other annotators have what the user has not rated. */
  function release(): void {
    const reserved = store.read().items.filter((item) => isOpen(item) && item.leaseUntil !== null)
    if (reserved.length === 0) return
    const traceIds = reserved.map(({ traceDbId }) => traceDbId)
    // If it fails, the reservations expire by themselves.
    releaseTraces(run, traceIds).catch(() => undefined)
  }

  return {
    activate() {
      isActive = true
    },
    deactivate() {
      isActive = false
      clearTimeout(retryTimer)
    },
    refill,
    fetchIfNeeded,
    loadEarlier,
    open,
    release,
    fetchedAt: () => fetchedAt,
  }
}
