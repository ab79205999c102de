/**
 * What a user has rated and written, until the server has it.
 *
 * A change is stored in the browser before anything else happens, and removed when the server has confirmed it, so it survives a reload and
 * an outage. Changes are sent one at a time and in order, because an undo refers to the change before it. A change that may have reached the
 * server is sent again with the same idempotency key. A change that the server rejects is kept with its message, until the user has seen it.
 */
import { ApiError, describeError, hasStatus, isTransient } from '../../api/api-error.ts'
import type { RunKey } from '../../api/run-query.ts'
import type { AnnotationChange, ChangeResult } from './annotation-change.ts'
import { listRecords, removeRecord, writeRecord } from './browser-records.ts'

export interface OutboxEntry {
  id: string
  run: RunKey
  change: AnnotationChange
  /** From then on, the server may have it. */
  wasSent?: true
  rejection?: { status: number; message: string; requestId?: string }
}

export type OutboxState = 'saved' | 'saving' | 'offline'

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

const PREFIX = 'touchstone.outbox.'
const FIRST_DELAY_MS = 1000
const DELAY_MS_MAX = 15_000

export function createOutbox({ userId, send }: OutboxOptions): Outbox {
  let entries: readonly OutboxEntry[] = readEntries(userId)
  let state: OutboxState = 'saved'
  let isSending = false
  let isStopped = false
  /** Until the user has signed in again. */
  let isSignedOut = false
  let failures = 0
  let timer: ReturnType<typeof setTimeout> | undefined
  const unstored = new Set<string>()
  const conflicts = new Set<string>()
  const newEntryId = createIds()
  const listeners = new Set<() => void>()
  const sentListeners = new Set<(sent: SentChange) => void>()
  const rejectedListeners = new Set<(entry: OutboxEntry) => void>()

  function show(nextEntries: readonly OutboxEntry[], nextState: OutboxState = stateOf(nextEntries)): void {
    entries = nextEntries
    state = nextState
    for (const listener of listeners) listener()
  }

  function stateOf(all: readonly OutboxEntry[]): OutboxState {
    if (!all.some(isWaiting)) return 'saved'
    return failures > 0 ? 'offline' : 'saving'
  }

  function store(entry: OutboxEntry): void {
    if (writeRecord(keyOf(userId, entry), entry)) unstored.delete(entry.id)
    else unstored.add(entry.id)
    warnBeforeUnload()
  }

  function replace(changed: OutboxEntry): void {
    store(changed)
    show(entries.map((entry) => (entry.id === changed.id ? changed : entry)))
  }

  function remove(id: string): void {
    const removed = entries.find((entry) => entry.id === id)
    if (!removed) return
    removeRecord(keyOf(userId, removed))
    unstored.delete(id)
    warnBeforeUnload()
    show(entries.filter((entry) => entry !== removed))
  }

  /** Only where the storage of the browser is full or blocked: elsewhere nothing is lost. */
  function warnBeforeUnload(): void {
    if (unstored.size > 0) window.addEventListener('beforeunload', askToStay)
    else window.removeEventListener('beforeunload', askToStay)
  }

  async function sendWaiting(): Promise<void> {
    if (isSending || isStopped || isSignedOut || timer !== undefined) return
    isSending = true
    try {
      for (let entry = entries.find(isWaiting); entry && !isStopped; entry = entries.find(isWaiting)) {
        if (!(await attempt(entry))) return
      }
    } finally {
      isSending = false
    }
  }

  /** Returns false if sending must pause. */
  async function attempt(entry: OutboxEntry): Promise<boolean> {
    const sent: OutboxEntry = { ...entry, wasSent: true }
    replace(sent)
    try {
      const result = await send(sent)
      failures = 0
      remove(sent.id)
      for (const listener of sentListeners) listener({ entry: sent, result })
      return true
    } catch (error) {
      if (hasStatus(error, 401)) isSignedOut = true
      else if (isTransient(error) || isFirstConflict(error, sent)) pause(error)
      else {
        reject(sent, error)
        return true
      }
      show(entries)
      return false
    }
  }

  /** A conflict is also the response while an earlier request with the same key, of this tab or of another, is still running. */
  function isFirstConflict(error: unknown, { id }: OutboxEntry): boolean {
    if (!hasStatus(error, 409) || conflicts.has(id)) return false
    conflicts.add(id)
    return true
  }

  function pause(error: unknown): void {
    if (!hasStatus(error, 409)) failures += 1
    const asked = error instanceof ApiError ? (error.retryAfterSeconds ?? 0) * 1000 : 0
    const delayMs = Math.min(FIRST_DELAY_MS * 2 ** Math.max(0, failures - 1), DELAY_MS_MAX)
    timer = setTimeout(retry, Math.max(asked, delayMs))
  }

  function reject(entry: OutboxEntry, error: unknown): void {
    const status = error instanceof ApiError ? error.status : 0
    const rejected = { ...entry, rejection: { status, ...describeError(error) } }
    failures = 0
    replace(rejected)
    for (const listener of rejectedListeners) listener(rejected)
  }

  function retry(): void {
    clearTimeout(timer)
    timer = undefined
    isSignedOut = false
    void sendWaiting()
  }

  window.addEventListener('online', retry)
  state = stateOf(entries)
  // Later, because an owner that is replaced at once stops its outbox in the same task.
  queueMicrotask(retry)

  return {
    add(run, change) {
      const entry = { id: newEntryId(), run, change }
      const replaced = entries.filter((other) => isRejectionOf(other, change))
      for (const { id } of replaced) remove(id)
      store(entry)
      show([...entries, entry])
      void sendWaiting()
      return entry
    },
    withdraw(id) {
      const entry = entries.find((known) => known.id === id)
      if (!entry || entry.wasSent) return false
      remove(id)
      return true
    },
    dismiss: remove,
    entries: () => entries,
    state: () => state,
    retry,
    stop() {
      isStopped = true
      clearTimeout(timer)
      window.removeEventListener('online', retry)
      window.removeEventListener('beforeunload', askToStay)
    },
    subscribe: (listener) => subscribeTo(listeners, listener),
    onSent: (listener) => subscribeTo(sentListeners, listener),
    onRejected: (listener) => subscribeTo(rejectedListeners, listener),
  }
}

export function isWaiting({ rejection }: OutboxEntry): boolean {
  return rejection === undefined
}

/** The user has changed what was rejected, so the message is no longer of use. */
function isRejectionOf({ rejection, change }: OutboxEntry, next: AnnotationChange): boolean {
  return (
    rejection !== undefined && change.kind === 'save' && next.kind === 'save' && change.traceDbId === next.traceDbId
  )
}

function askToStay(event: BeforeUnloadEvent): void {
  event.preventDefault()
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

function readEntries(userId: string): OutboxEntry[] {
  return listRecords(prefixOf(userId))
    .map(({ record }) => record)
    .filter(isEntry)
    .sort((a, b) => (a.id < b.id ? -1 : 1))
}

function isEntry(record: unknown): record is OutboxEntry {
  return typeof record === 'object' && record !== null && 'id' in record && 'run' in record && 'change' in record
}

function keyOf(userId: string, { id, run }: OutboxEntry): string {
  return `${prefixOf(userId)}${run.runId}.${id}`
}

function prefixOf(userId: string): string {
  return `${PREFIX}${userId}.`
}
