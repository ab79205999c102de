import { useSyncExternalStore } from 'react'
import type { Outbox } from './outbox.ts'
import { isWaiting, type OutboxEntry, type OutboxState } from './outbox-contents.ts'

/** What waits for the server, and what it rejected in a run. */
export function useOutboxState(outbox: Outbox, runId: string) {
  const entries = useSyncExternalStore(outbox.subscribe, outbox.entries)
  const state: OutboxState = useSyncExternalStore(outbox.subscribe, outbox.state)
  const rejected: OutboxEntry[] = entries.filter((entry) => !isWaiting(entry) && entry.run.runId === runId)
  return { state, waiting: entries.filter(isWaiting).length, rejected }
}
