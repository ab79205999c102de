/** What is in the outbox, and how each event changes it. Pure functions: `outbox.ts` sends, stores and waits. */
import { ApiError, describeError, hasStatus, isTransient } from '../../api/api-error.ts'
import type { RunKey } from '../../api/run-query.ts'
import type { AnnotationChange } from './annotation-change.ts'

export interface OutboxContents {
  /** Changes that are waiting or rejected, oldest first. */
  entries: readonly OutboxEntry[]
  /** Failed attempts since the last one that the server has processed. */
  failures: number
  /** Until the user has signed in again. */
  isSignedOut: boolean
  /** Ids of entries that had one conflict already. */
  conflicts: readonly string[]
}

export interface OutboxEntry {
  id: string
  run: RunKey
  change: AnnotationChange
  /** From then on, the server may have it. */
  wasSent?: true
  rejection?: { status: number; message: string; requestId?: string }
}

export type OutboxState = 'saved' | 'saving' | 'offline'

const FIRST_DELAY_MS = 1000
const DELAY_MS_MAX = 15_000

export function contentsOf(entries: readonly OutboxEntry[]): OutboxContents {
  return { entries, failures: 0, isSignedOut: false, conflicts: [] }
}

/** The user has changed what was rejected, so the message of the rejection is no longer of use. */
export function addEntry(contents: OutboxContents, entry: OutboxEntry): OutboxContents {
  const others = contents.entries.filter((other) => !isRejectionOf(other, entry.change))
  return { ...contents, entries: [...others, entry] }
}

export function removeEntry(contents: OutboxContents, id: string): OutboxContents {
  return { ...contents, entries: contents.entries.filter((entry) => entry.id !== id) }
}

export function markSent(contents: OutboxContents, id: string): OutboxContents {
  return changeEntry(contents, id, { wasSent: true })
}

export function confirmEntry(contents: OutboxContents, id: string): OutboxContents {
  return { ...removeEntry(contents, id), failures: 0 }
}

/** The entry stays waiting, if sending it again may help; else it is kept with the message of the server. */
export function recordFailure(contents: OutboxContents, id: string, error: unknown): OutboxContents {
  if (hasStatus(error, 401)) return { ...contents, isSignedOut: true }
  if (isTransient(error)) return { ...contents, failures: contents.failures + 1 }
  // Also the response while an earlier request with the same key, of this tab or of another, is still running.
  if (hasStatus(error, 409) && !contents.conflicts.includes(id))
    return { ...contents, conflicts: [...contents.conflicts, id] }
  const status = error instanceof ApiError ? error.status : 0
  return changeEntry({ ...contents, failures: 0 }, id, { rejection: { status, ...describeError(error) } })
}

export function allowSending(contents: OutboxContents): OutboxContents {
  return { ...contents, isSignedOut: false }
}

/** How long to wait after a failed attempt: what the server asked for, or twice as long as the time before. */
export function retryDelayMs({ failures }: OutboxContents, error: unknown): number {
  const asked = error instanceof ApiError ? (error.retryAfterSeconds ?? 0) * 1000 : 0
  return Math.max(asked, Math.min(FIRST_DELAY_MS * 2 ** Math.max(0, failures - 1), DELAY_MS_MAX))
}

export function stateOf({ entries, failures }: OutboxContents): OutboxState {
  if (!entries.some(isWaiting)) return 'saved'
  return failures > 0 ? 'offline' : 'saving'
}

export function isWaiting({ rejection }: OutboxEntry): boolean {
  return rejection === undefined
}

function changeEntry(contents: OutboxContents, id: string, changes: Partial<OutboxEntry>): OutboxContents {
  const entries = contents.entries.map((entry) => (entry.id === id ? { ...entry, ...changes } : entry))
  return { ...contents, entries }
}

function isRejectionOf({ rejection, change }: OutboxEntry, next: AnnotationChange): boolean {
  return (
    rejection !== undefined && change.kind === 'save' && next.kind === 'save' && change.traceDbId === next.traceDbId
  )
}
