/**
 * The traces that a user rates in a run, one after the other.
 *
 * Every action takes effect in the page at once and goes to the outbox, which sends it in the background. The next traces were fetched
 * before. So neither a slow server nor an outage is felt between two traces. Where the run limits its annotators, the fetched traces are
 * reserved: the reservation is renewed while the page is visible, and released when the user leaves it.
 */
import type { UndoneAnnotation } from '../../api/generated/api.ts'
import type { RunKey } from '../../api/run-query.ts'
import { type Draft, writeDraft } from './annotation-drafts.ts'
import { type AnnotationItem, changedFields, isOpen, nextOpen, withSaved } from './annotation-items.ts'
import type { Outbox, OutboxEntry, SentChange } from './outbox.ts'
import { createQueueFeed, isNewRating } from './queue-feed.ts'
import { watchReservations } from './reservations.ts'
import { type Action, createSessionStore } from './session-store.ts'

export type AnnotationSession = ReturnType<typeof createAnnotationSession>

interface SessionOptions {
  run: RunKey
  userId: string
  outbox: Outbox
}

export function createAnnotationSession({ run, userId, outbox }: SessionOptions) {
  const store = createSessionStore()
  const feed = createQueueFeed({ run, userId, store, outbox })
  let actions: readonly Action[] = []

  function keepDraft(traceDbId: string, draft: Draft): void {
    writeDraft({ userId, runId: run.runId, traceDbId }, draft)
  }

  function record(action: Action): void {
    actions = [...actions, action]
    feed.noteChange(action.item.traceDbId)
    store.set({ lastAction: action })
  }

  /** Saves what the user wrote about a trace, and the rating if there is one. */
  function save(item: AnnotationItem, rating?: string): void {
    const fields = changedFields(item, rating)
    if (!fields) return
    const change = { kind: 'save' as const, traceDbId: item.traceDbId, before: item.annotated, ...fields }
    // Before the draft is removed: the words must be stored at any time.
    const entry = outbox.add(run, change)
    keepDraft(item.traceDbId, {})
    store.set({ items: store.withItem(withSaved(item, fields)) })
    record({ kind: 'save', entryId: entry.id, item, rating: fields.rating })
    if (isNewRating(change)) feed.countRating(1)
  }

  /** What was written about the current trace is saved when the user leaves it, also without a rating. */
  function saveWritten(): void {
    const item = store.current()
    if (item) save(item)
  }

  function moveOn(): void {
    const { items, currentId } = store.read()
    store.set({ currentId: nextOpen(items, currentId)?.traceDbId, notice: undefined })
    feed.fetchIfNeeded()
  }

  function undo(): void {
    const action = actions.at(-1)
    if (!action) {
      // Made before this visit: the server knows it.
      outbox.add(run, { kind: 'undo' })
      return
    }
    const { item, kind, entryId, rating } = action
    const { traceDbId, annotated } = item
    actions = actions.slice(0, -1)
    if (!outbox.withdraw(entryId) && kind === 'save')
      outbox.add(run, { kind: 'undo', undone: { traceDbId, before: annotated } })
    keepDraft(traceDbId, item.draft)
    feed.noteChange(traceDbId)
    const items = store.withItem(item)
    store.set({ items, currentId: traceDbId, lastAction: actions.at(-1), notice: undefined })
    if (rating !== undefined && !annotated.rating) feed.countRating(-1)
  }

  function onSent({ entry, result }: SentChange): void {
    if (entry.run.runId !== run.runId) return
    if (result && 'annotation' in result) {
      const { id, traceDbId } = result.annotation
      const item = store.find(traceDbId)
      feed.noteChange(traceDbId)
      if (item) store.set({ items: store.withItem({ ...item, annotationId: id }) })
    }
    // The page has shown the other ones already.
    if (result && 'undone' in result && entry.change.kind === 'undo' && !entry.change.undone) showUndone(result.undone)
    feed.fetchIfNeeded()
  }

  function showUndone({ traceDbId, annotation }: UndoneAnnotation): void {
    if (traceDbId === null) {
      store.set({ notice: 'Nothing is left to undo.' })
      return
    }
    const item = store.find(traceDbId)
    feed.noteChange(traceDbId)
    if (!item) {
      void feed.open(traceDbId)
      return
    }
    const annotated = { rating: annotation?.rating || null, comment: annotation?.comment || null }
    const status = annotated.rating ? ('rated' as const) : ('open' as const)
    store.set({ items: store.withItem({ ...item, annotated, status }), currentId: traceDbId })
    feed.countRating(Number(Boolean(annotated.rating)) - Number(Boolean(item.annotated.rating)))
  }

  /**
   * The trace comes again with the message, after the current one: the user may be about to press a key for that. A trace that has all of
   * its raters does not come again.
   */
  function onRejected({ run: { runId }, change, rejection }: OutboxEntry): void {
    if (runId !== run.runId || change.kind !== 'save' || !rejection) return
    const { traceDbId, before, comment, correctedOutput } = change
    actions = actions.filter(({ item }) => item.traceDbId !== traceDbId)
    store.set({ lastAction: actions.at(-1) })
    feed.noteChange(traceDbId)
    if (isNewRating(change)) feed.countRating(-1)
    const { items, currentId } = store.read()
    const item = store.find(traceDbId)
    const words = { ...(comment !== undefined && { comment }), ...(correctedOutput && { correctedOutput }) }
    const draft = { ...words, ...item?.draft }
    keepDraft(traceDbId, draft)
    if (!item) return
    const status = rejection.status === 409 ? 'gone' : before.rating ? 'rated' : 'open'
    const again: AnnotationItem = { ...item, annotated: before, draft, status, rejection: rejection.message }
    if (traceDbId === currentId || !isOpen(again)) {
      store.set({ items: store.withItem(again) })
      return
    }
    const others = items.filter((other) => other !== item)
    const position = others.findIndex((other) => other.traceDbId === currentId) + 1
    store.set({ items: others.toSpliced(position, 0, again), ...(currentId === undefined && { currentId: traceDbId }) })
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
      const item = store.current()
      if (!item) return
      save(item, rating)
      moveOn()
    },

    skip(): void {
      saveWritten()
      const item = store.current()
      if (!item) return
      const entry = outbox.add(run, { kind: 'skip', traceDbId: item.traceDbId })
      if (isOpen(item)) store.set({ items: store.withItem({ ...item, leaseUntil: null, status: 'skipped' }) })
      record({ kind: 'skip', entryId: entry.id, item, rating: undefined })
      moveOn()
    },

    undo,

    async showPrevious(): Promise<void> {
      saveWritten()
      try {
        if (store.position() <= 0 && !isAtEnd()) await feed.loadEarlier()
      } catch {
        store.set({ notice: 'Your earlier ratings could not be loaded.' })
        return
      }
      const { items } = store.read()
      const previous = items[(isAtEnd() ? items.length : store.position()) - 1]
      store.set(
        previous ? { currentId: previous.traceDbId, notice: undefined } : { notice: 'This is the first trace.' },
      )
    },

    showNext(): void {
      saveWritten()
      const next = isAtEnd() ? undefined : store.read().items[store.position() + 1]
      if (next) store.set({ currentId: next.traceDbId, notice: undefined })
      else moveOn()
      feed.fetchIfNeeded()
    },

    /** Keeps what the user is writing about the current trace. */
    write(words: Draft): void {
      const item = store.current()
      if (!item) return
      const draft = { ...item.draft, ...words }
      keepDraft(item.traceDbId, draft)
      store.set({ items: store.withItem({ ...item, draft }) })
    },

    saveWritten,

    /** Fetches again: after an error, or because others may have released traces. */
    refresh: () => void feed.refill(),
  }

  function isAtEnd(): boolean {
    const { currentId, items } = store.read()
    return currentId === undefined && items.length > 0
  }
}
