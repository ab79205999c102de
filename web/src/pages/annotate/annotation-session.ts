/**
 * The traces that a user rates in a run, one after the other.
 *
 * Every action takes effect in the page at once (`session-state.ts`) and goes to the outbox, which sends it in the background. The next traces
 * were fetched before (`queue-feed.ts`). So neither a slow server nor an outage is felt between two traces. Where the run limits its
 * annotators, the fetched traces are reserved: the reservation is renewed while the page is visible, and released when the user leaves it.
 */
import type { ChosenOrder } from '../../api/queue-query.ts'
import type { RunKey } from '../../api/run-query.ts'
import { type Draft, writeDraft } from './annotation-drafts.ts'
import { type AnnotationItem, changedFields } from './annotation-items.ts'
import type { Outbox, SentChange } from './outbox.ts'
import type { OutboxEntry } from './outbox-contents.ts'
import { createQueueFeed } from './queue-feed.ts'
import { watchReservations } from './reservations.ts'
import {
  confirmSaved,
  currentItem,
  findItem,
  isAtEnd,
  positionOf,
  rejectedDraft,
  returnRejected,
  saveItem,
  showNext,
  showNextOpen,
  showNotice,
  showPrevious,
  showUndone,
  skipItem,
  undoAction,
  writeWords,
} from './session-state.ts'
import { createSessionStore } from './session-store.ts'

export type AnnotationSession = ReturnType<typeof createAnnotationSession>

interface SessionOptions {
  run: RunKey
  userId: string
  outbox: Outbox
  order: ChosenOrder
}

export function createAnnotationSession({ run, userId, outbox, order }: SessionOptions) {
  const store = createSessionStore()
  const feed = createQueueFeed({ run, userId, store, outbox, order })
  const current = () => currentItem(store.read())

  function keepDraft(traceDbId: string, draft: Draft): void {
    writeDraft({ userId, runId: run.runId, traceDbId }, draft)
  }

  /** Saves what the user wrote about a trace, and the rating if there is one. */
  function save(item: AnnotationItem, rating?: string): void {
    const fields = changedFields(item, rating)
    if (!fields) return
    const { traceDbId, annotated: before } = item
    // Before the draft is removed: the words must be stored at any time.
    const { id: entryId } = outbox.add(run, { kind: 'save', traceDbId, before, ...fields })
    keepDraft(traceDbId, {})
    store.update((state) => saveItem(state, { entryId, item, fields }))
  }

  /** What was written about the current trace is saved when the user leaves it, also without a rating. */
  function saveWritten(): void {
    const item = current()
    if (item) save(item)
  }

  function moveOn(): void {
    store.update(showNextOpen)
    feed.fetchIfNeeded()
  }

  function onSent({ entry: { run: sentRun, change }, result }: SentChange): void {
    if (sentRun.runId !== run.runId) return
    if (result && 'annotation' in result) store.update((state) => confirmSaved(state, result.annotation))
    // The page has shown the other ones already.
    if (result && 'undone' in result && change.kind === 'undo' && !change.undone) {
      const { traceDbId } = result.undone
      store.update((state) => showUndone(state, result.undone))
      if (traceDbId !== null && !findItem(store.read(), traceDbId)) void feed.open(traceDbId)
    }
    feed.fetchIfNeeded()
  }

  function onRejected({ run: { runId }, change, rejection }: OutboxEntry): void {
    if (runId !== run.runId || change.kind !== 'save' || !rejection) return
    keepDraft(change.traceDbId, rejectedDraft(store.read(), change))
    store.update((state) => returnRejected(state, change, rejection))
  }

  return {
    read: store.read,
    subscribe: store.subscribe,

    /** Starts with the given trace, or with the first of the queue. Returns a function that leaves the run. */
    start(traceId: string | undefined): () => void {
      feed.activate()
      if (store.read().items.length === 0) void (traceId === undefined ? feed.refill() : feed.open(traceId))
      const ends = [outbox.onSent(onSent), outbox.onRejected(onRejected), watchReservations(store, feed)]
      return () => {
        saveWritten()
        feed.deactivate()
        feed.release()
        for (const end of ends) end()
      }
    },

    /** Saves the rating with what was written, and shows the next trace. */
    rate(rating: string): void {
      const item = current()
      if (!item) return
      save(item, rating)
      moveOn()
    },

    skip(): void {
      saveWritten()
      const item = current()
      if (!item) return
      const { id } = outbox.add(run, { kind: 'skip', traceDbId: item.traceDbId })
      store.update((state) => skipItem(state, id, item))
      moveOn()
    },

    undo(): void {
      const action = store.read().actions.at(-1)
      if (!action) {
        // Made before this visit: the server knows it.
        outbox.add(run, { kind: 'undo' })
        return
      }
      const { traceDbId, annotated, draft } = action.item
      if (!outbox.withdraw(action.entryId) && action.kind === 'save')
        outbox.add(run, { kind: 'undo', undone: { traceDbId, before: annotated } })
      keepDraft(traceDbId, draft)
      store.update((state) => undoAction(state, action))
    },

    async showPrevious(): Promise<void> {
      saveWritten()
      try {
        if (positionOf(store.read()) <= 0 && !isAtEnd(store.read())) await feed.loadEarlier()
      } catch {
        store.update((state) => showNotice(state, 'Your earlier ratings could not be loaded.'))
        return
      }
      store.update(showPrevious)
    },

    showNext(): void {
      saveWritten()
      store.update(showNext)
      feed.fetchIfNeeded()
    },

    /** Keeps what the user is writing about the current trace. */
    write(words: Draft): void {
      const item = current()
      if (!item) return
      const draft = { ...item.draft, ...words }
      keepDraft(item.traceDbId, draft)
      store.update((state) => writeWords(state, item, draft))
    },

    saveWritten,

    /** Fetches again: after an error, or because others may have released traces. */
    refresh: () => void feed.refill(),
  }
}
