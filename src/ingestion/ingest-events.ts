/**
 * Stores events that arrive as log records and belong to spans. GenAI instrumentations send messages this way.
 *
 * An event whose span is stored is joined to that span. Otherwise the event waits in a separate table, and the transaction that stores
 * the span joins it. All events of a request are stored in one transaction. Sending them again changes nothing.
 */
import { createHash } from 'node:crypto'
import { type Clock, timestamp } from '../base/clock.ts'
import { unauthorized } from '../base/errors.ts'
import type { Db, Queries } from '../storage/db.ts'
import { createPricer, type Pricer } from '../traces/pricing/price-usage.ts'
import { eventJson } from '../traces/storing/build-span-row.ts'
import { deleteExcessPending, insertPendingEvents, type NewSpanEvent } from '../traces/storing/pending-event-queries.ts'
import type { ReadEvents, ReceivedSpanEvent } from '../traces/storing/received-span.ts'
import { readEvents } from '../traces/storing/stored-span.ts'
import { lockWorkspaceShared } from '../workspaces/workspace-queries.ts'
import type { TraceLinker } from './link-arrived-traces.ts'
import { findSpans, joinFound, joinWaitingEvents } from './pending-events.ts'

/** Per workspace. When it is exceeded, the oldest events are deleted. */
const PENDING_MAX = { rowsMax: 10_000, bytesMax: 64 << 20 }

export type EventIngestDeps = { db: Db; clock: Clock; linker: TraceLinker }

type IngestedEvents = { rejectedCount: number; ignoredCount: number; problems: string[] }

export type EventIngest = (to: { workspaceId: string }, read: ReadEvents) => Promise<IngestedEvents>

export function createEventIngest({ db, clock, linker }: EventIngestDeps): EventIngest {
  const pricer = createPricer()
  return async ({ workspaceId }, read) => {
    const { events, ...received } = await read(newSpanEvent)
    if (events.length === 0) return received
    const input = { workspaceId, events, linker, pricer, receivedAt: timestamp(clock.now()) }
    const { rejectedCount, waitingFor } = await db.transaction((tx) => store(tx, input))
    await joinWaitingEvents(db, { workspaceId, traceIds: waitingFor, linker, pricer })
    if (rejectedCount === 0) return received
    return {
      ...received,
      rejectedCount: received.rejectedCount + rejectedCount,
      problems: [...received.problems, `A span has too many events (${rejectedCount} log records)`],
    }
  }
}

/** Serialized after one round of parsing and writing, so that the same event always has the same text. */
function newSpanEvent({ traceId, spanId, event }: ReceivedSpanEvent): NewSpanEvent {
  const json = readEvents(`[${eventJson(event)}]`)
    .map(eventJson)
    .join()
  return { traceId, spanId, json, hash: createHash('sha256').update(json).digest('base64url').slice(0, 22) }
}

type StoreInput = {
  workspaceId: string
  events: readonly NewSpanEvent[]
  linker: TraceLinker
  pricer: Pricer
  receivedAt: string
}

/** Joins the events whose span is stored and saves the others as pending. Also returns the traces of the pending events. */
async function store(tx: Queries, input: StoreInput): Promise<{ rejectedCount: number; waitingFor: string[] }> {
  const { workspaceId, events, receivedAt, linker, pricer } = input
  if (!(await lockWorkspaceShared(tx, workspaceId))) throw unauthorized()
  const { found, missing } = await findSpans(tx, { workspaceId, events })
  if (missing.length > 0) {
    await insertPendingEvents(tx, workspaceId, { events: missing, receivedAt })
    await deleteExcessPending(tx, workspaceId, PENDING_MAX)
  }
  const rejectedCount = await joinFound(tx, { workspaceId, linker, pricer }, found)
  return { rejectedCount, waitingFor: [...new Set(missing.map(({ traceId }) => traceId))] }
}
