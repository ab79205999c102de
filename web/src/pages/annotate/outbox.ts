/**
 * What a user has rated and written, until the server has it.
 *
 * A change is stored in the browser before anything else happens, and removed when the server has confirmed it, so it survives a reload and
 * an outage. Changes are sent one at a time and in order, because an undo refers to the change before it. A change that may have reached the
 * server is sent again with the same idempotency key. A change that the server rejects is kept with its message, until the user has seen it.
 */
import type { RunKey } from '../../api/run-query.ts'
import type { AnnotationChange, ChangeResult } from './annotation-change.ts'
import { listRecords, removeRecord, writeRecord } from './browser-records.ts'
import {
  addEntry,
  allowSending,
  confirmEntry,
  contentsOf,
  isWaiting,
  markSent,
  type OutboxContents,
  type OutboxEntry,
  type OutboxState,
  recordFailure,
  removeEntry,
  retryDelayMs,
  stateOf,
} from './outbox-contents.ts'

export interface SentChange {
  entry: OutboxEntry
  result: ChangeResult
}

export interface Outbox {
  add: (run: RunKey, change: AnnotationChange) => OutboxEntry
  /** Removes a change that was never sent. Returns false if the server may have it. */
  withdraw: (id: string) => boolean
  /** Removes a rejected change. */
  dismiss: (id: string) => void
  /** Changes that are waiting or rejected, oldest first. */
  entries: () => readonly OutboxEntry[]
  state: () => OutboxState
  /** Sends what is waiting, without waiting for the next attempt. */
  retry: () => void
  /** Ends sending; what is waiting stays in the browser. */
  stop: () => void
  /** Called after every change of entries and state. */
  subscribe: (listener: () => void) => () => void
  onSent: (listener: (sent: SentChange) => void) => () => void
  onRejected: (listener: (entry: OutboxEntry) => void) => () => void
}

interface OutboxOptions {
  userId: string
  send: (entry: OutboxEntry) => Promise<ChangeResult>
}

export function createOutbox({ userId, send }: OutboxOptions): Outbox {
  const storage = createEntryStorage(userId)
  let contents = contentsOf(storage.read())
  let isSending = false
  let isStopped = false
  let timer: ReturnType<typeof setTimeout> | undefined
  const newEntryId = createIds()
  const listeners = new Set<() => void>()
  const sentListeners = new Set<(sent: SentChange) => void>()
  const rejectedListeners = new Set<(entry: OutboxEntry) => void>()

  function apply(next: OutboxContents): void {
    storage.update(contents.entries, next.entries)
    contents = next
    for (const listener of listeners) listener()
  }

  const find = (id: string) => contents.entries.find((entry) => entry.id === id)

  async function sendWaiting(): Promise<void> {
    if (isSending || isStopped || contents.isSignedOut || timer !== undefined) return
    isSending = true
    try {
      for (let entry = contents.entries.find(isWaiting); entry && !isStopped; entry = contents.entries.find(isWaiting))
        if ((await attempt(entry)) === 'pause') return
    } finally {
      isSending = false
    }
  }

  async function attempt(entry: OutboxEntry): Promise<'continue' | 'pause'> {
    const { id } = entry
    const sent: OutboxEntry = { ...entry, wasSent: true }
    apply(markSent(contents, id))
    try {
      const result = await send(sent)
      apply(confirmEntry(contents, id))
      for (const listener of sentListeners) listener({ entry: sent, result })
      return 'continue'
    } catch (error) {
      apply(recordFailure(contents, id, error))
      const rejected = find(id)
      if (rejected?.rejection) {
        for (const listener of rejectedListeners) listener(rejected)
        return 'continue'
      }
      if (!contents.isSignedOut) timer = setTimeout(retry, retryDelayMs(contents, error))
      return 'pause'
    }
  }

  function retry(): void {
    clearTimeout(timer)
    timer = undefined
    contents = allowSending(contents)
    void sendWaiting()
  }

  window.addEventListener('online', retry)
  // Later, because an owner that is replaced at once stops its outbox in the same task.
  queueMicrotask(retry)

  return {
    add(run, change) {
      const entry = { id: newEntryId(), run, change }
      apply(addEntry(contents, entry))
      void sendWaiting()
      return entry
    },
    withdraw(id) {
      const entry = find(id)
      if (!entry || entry.wasSent) return false
      apply(removeEntry(contents, id))
      return true
    },
    dismiss: (id) => apply(removeEntry(contents, id)),
    entries: () => contents.entries,
    state: () => stateOf(contents),
    retry,
    stop() {
      isStopped = true
      clearTimeout(timer)
      storage.close()
      window.removeEventListener('online', retry)
    },
    subscribe: (listener) => subscribeTo(listeners, listener),
    onSent: (listener) => subscribeTo(sentListeners, listener),
    onRejected: (listener) => subscribeTo(rejectedListeners, listener),
  }
}

function subscribeTo<Listener>(listeners: Set<Listener>, listener: Listener): () => void {
  listeners.add(listener)
  return () => listeners.delete(listener)
}

/** Ids in the order of creation: the clock of the browser may stand still for some milliseconds, or go back. */
function createIds(): () => string {
  let last = 0
  return () => {
    last = Math.max(Date.now(), last + 1)
    return `${last.toString(36).padStart(9, '0')}-${Math.random().toString(36).slice(2, 14)}`
  }
}

/** The entries of a user in the storage of the browser. */
function createEntryStorage(userId: string) {
  const prefix = `touchstone.outbox.${userId}.`
  const keyOf = ({ id, run }: OutboxEntry) => `${prefix}${run.runId}.${id}`
  const unstored = new Set<string>()
  return {
    read: () =>
      listRecords(prefix)
        .map(({ record }) => record)
        .filter(isEntry)
        .sort((a, b) => (a.id < b.id ? -1 : 1)),

    update(before: readonly OutboxEntry[], after: readonly OutboxEntry[]): void {
      for (const entry of after.filter((one) => !before.includes(one))) {
        if (writeRecord(keyOf(entry), entry)) unstored.delete(entry.id)
        else unstored.add(entry.id)
      }
      const ids = new Set(after.map(({ id }) => id))
      for (const entry of before.filter(({ id }) => !ids.has(id))) {
        removeRecord(keyOf(entry))
        unstored.delete(entry.id)
      }
      // Only where the storage of the browser is full or blocked: elsewhere nothing is lost.
      if (unstored.size > 0) window.addEventListener('beforeunload', askToStay)
      else window.removeEventListener('beforeunload', askToStay)
    },

    close: () => window.removeEventListener('beforeunload', askToStay),
  }
}

function isEntry(record: unknown): record is OutboxEntry {
  return typeof record === 'object' && record !== null && 'id' in record && 'run' in record && 'change' in record
}

function askToStay(event: BeforeUnloadEvent): void {
  event.preventDefault()
}
