/** Fetches the traces of the queue before the user needs them, and counts how many are rated and left. */
import { isTransient } from '../../api/api-error.ts'
import type { QueueBatch } from '../../api/generated/api.ts'
import { fetchBatch, fetchOwnAnnotations, releaseTraces } from '../../api/queue-query.ts'
import type { RunKey } from '../../api/run-query.ts'
import { type Draft, readDraft } from './annotation-drafts.ts'
import { isOpen, mergeBatch, nextOpen, ratedItemOf, withoutLost } from './annotation-items.ts'
import { isWaiting, type Outbox, type OutboxEntry } from './outbox.ts'
import type { SessionState, SessionStore } from './session-store.ts'

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
}

export function createQueueFeed({ run, userId, store, outbox }: FeedOptions) {
  let isActive = false
  let fetching: Promise<void> | undefined
  let fetchedAt = 0
  let retryTimer: ReturnType<typeof setTimeout> | undefined
  let earlierSeen = 0
  /** The trace in the address, until it is there. */
  let wantedId: string | undefined
  /** Ratings of the user that the counts of the newest response do not include. */
  let newlyRated = 0
  /** When each trace was last changed or confirmed, in steps: a response to an earlier request does not know of it. */
  let step = 0
  const changedAt = new Map<string, number>()

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
    // Traces whose ratings are still in the outbox are open for the server.
    const held = store.read().items.filter(isOpen).length + waiting().length
    const limit = Math.min(BATCH_MAX, Math.max(1, held + (mode === 'more' ? AHEAD : 0)))
    const request = { startedAt: step, wasIdle: waiting().length === 0, isComplete: held <= limit }
    store.set({ isFetching: true })
    try {
      const batch = await fetchBatch(run, { limit, first: wantedId })
      fetchedAt = Date.now()
      accept(batch, request)
      // The server can be reached again.
      if (outbox.state() === 'offline') outbox.retry()
      if (!isActive) release()
    } catch (error) {
      store.set({ error, isFetching: false })
      if (isActive && isTransient(error)) retryTimer = setTimeout(fetchIfNeeded, RETRY_MS)
    }
  }

  interface BatchRequest {
    startedAt: number
    wasIdle: boolean
    /** It asked for at least as many traces as are reserved. */
    isComplete: boolean
  }

  function accept(batch: QueueBatch, { startedAt, wasIdle, isComplete }: BatchRequest): void {
    const { items, currentId, batch: former } = store.read()
    const changing = new Set(waiting().filter(isForQueue).map(traceOf))
    const isChanging = (id: string) => changing.has(id) || (changedAt.get(id) ?? 0) > startedAt
    const kept = isComplete ? withoutLost(items, batch) : items
    const merged = mergeBatch(kept, { batch: withWaitingComments(batch), isChanging, readDraft: draftOf })
    const wasOpen = items.some((item) => item.traceDbId === currentId && isOpen(item))
    const isLost = wasOpen && !merged.some((item) => item.traceDbId === currentId && isOpen(item))
    // The counts are exact only if nothing changed since the request.
    const isExact = former === undefined || (wasIdle && step === startedAt)
    if (isExact) newlyRated = waiting().filter(({ change }) => isNewRating(change)).length
    store.set({
      items: merged,
      batch: isExact ? batch : { ...batch, rated: former.rated, remaining: former.remaining },
      isFetching: false,
      error: undefined,
      ...((currentId === undefined || isLost) && { currentId: nextOpen(merged, currentId)?.traceDbId }),
      ...(isLost && { notice: 'Your reservation of a trace expired, and another annotator has it now.' }),
    })
    showProgress()
  }

  /** Comments that the server does not have yet. */
  function withWaitingComments(batch: QueueBatch): QueueBatch {
    const comments = new Map<string, string>()
    for (const { change } of waiting())
      if (change.kind === 'save' && change.comment !== undefined) comments.set(change.traceDbId, change.comment)
    const items = batch.items.map((item) => ({ ...item, comment: comments.get(item.traceDbId) ?? item.comment }))
    return { ...batch, items }
  }

  function draftOf(traceDbId: string): Draft {
    return readDraft({ userId, runId: run.runId, traceDbId })
  }

  function showProgress(): void {
    store.set({ progress: progressOf(store.read(), newlyRated) })
  }

  /** Called after each action: the next traces must be there before the user needs them. */
  function fetchIfNeeded(): void {
    clearTimeout(retryTimer)
    if (!isActive) return
    const { items, progress } = store.read()
    const open = items.filter(isOpen).length
    const isMoreLeft = progress === undefined || progress.left > open
    // At the end, the server must have all ratings before it can say what is left.
    const isDue = open === 0 ? waiting().length === 0 : open < OPEN_MIN && isMoreLeft
    if (isDue) void refill()
  }

  /** Adds traces that the user rated before this visit. */
  async function loadEarlier(): Promise<void> {
    const annotations = await fetchOwnAnnotations(run, { limit: EARLIER_PER_PAGE, offset: earlierSeen })
    earlierSeen += annotations.length
    const { items } = store.read()
    const earlier = annotations
      .flatMap((annotation) => ratedItemOf(annotation) ?? [])
      .filter(({ traceDbId }) => !items.some((item) => item.traceDbId === traceDbId))
    store.set({ items: [...earlier.reverse(), ...items] })
  }

  /** Shows a trace by its id. If the user cannot rate it, the next one is shown with a notice. */
  async function open(traceId: string): Promise<void> {
    // A request that is running does not ask for it.
    await fetching
    wantedId = traceId
    await refill()
    const findWanted = () => store.read().items.find((item) => item.traceDbId === traceId || item.traceId === traceId)
    if (!findWanted() && store.read().error === undefined) await loadEarlier().catch((error) => store.set({ error }))
    // Wanted again by the next attempt.
    if (store.read().error !== undefined) return
    wantedId = undefined
    const found = findWanted()
    if (found) store.set({ currentId: found.traceDbId })
    else store.set({ notice: 'You cannot rate the trace in the address. This is the next one.' })
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
    /** After the user changed a trace, and after the server has confirmed it. */
    noteChange(traceDbId: string): void {
      step += 1
      changedAt.set(traceDbId, step)
    },
    /** 1 for a trace that has a rating now, -1 for one that has none any more. */
    countRating(difference: number): void {
      newlyRated += difference
      showProgress()
    },
  }
}

/** Whether a change gives a rating to a trace that had none. */
export function isNewRating(change: OutboxEntry['change']): boolean {
  return change.kind === 'save' && change.rating !== undefined && !change.before.rating
}

/** Whether the queue changes with it. A comment alone does not change what is to be rated. */
function isForQueue({ change }: OutboxEntry): boolean {
  return change.kind !== 'save' || change.rating !== undefined
}

function traceOf({ change }: OutboxEntry): string | undefined {
  return change.kind === 'undo' ? change.undone?.traceDbId : change.traceDbId
}

function progressOf({ batch }: SessionState, newlyRated: number): SessionState['progress'] {
  if (!batch) return undefined
  const { rated, remaining, total } = batch
  return { rated: rated + newlyRated, left: Math.max(0, remaining - newlyRated), total }
}
