/**
 * The way in for events that come by themselves, as log records, and belong to spans: GenAI instrumentations send messages so.
 *
 * An event whose span is stored is joined to it. One whose span is yet to come waits in a table of its own, and is joined by the
 * transaction that stores the span. All events of a request are stored in one transaction; sent again, they change nothing.
 */
import { createHash } from 'node:crypto'
import { type Clock, timestamp } from '../base/clock.ts'
import { unauthorized } from '../base/errors.ts'
import { chunksOf, yieldToEventLoop } from '../base/event-loop.ts'
import type { Db, Queries } from '../storage/db.ts'
import { keepWorkspace, lockWorkspace } from '../workspaces/workspace-queries.ts'
import type { TraceLinker } from './ingest-spans.ts'
import { joinEvents } from './join-events.ts'
import {
  deleteExcessPending,
  findStoredSpanNames,
  insertPendingEvents,
  type NewSpanEvent,
} from './pending-event-queries.ts'
import { type Found, findSpans } from './pending-events.ts'
import { eventJson } from './prepare-span.ts'
import { listAllPrices } from './prices/price-queries.ts'
import { createPricer, type Pricer } from './prices/price-usage.ts'
import type { ReadEvents, ReceivedSpanEvent } from './received-span.ts'
import { RollupChanges } from './rollups.ts'
import type { StoredTrace } from './store-spans.ts'
import { readEvents } from './stored-span.ts'

const NAMES_PER_STATEMENT = 500
/** Of one workspace. Beyond this the oldest are forgotten. */
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
    const isStored = await areSpansStored(db.read, workspaceId, events)
    const stored =
      (isStored ? await db.transaction((tx) => storeJoined(tx, input)) : undefined) ??
      (await db.transaction((tx) => storeAll(tx, input)))
    if (stored.rejectedCount === 0) return received
    return {
      ...received,
      rejectedCount: received.rejectedCount + stored.rejectedCount,
      problems: [...received.problems, `A span has too many events (${stored.rejectedCount} log records)`],
    }
  }
}

/** In the form that reading and writing it once more would give, so that the same event is always the same text. */
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

async function areSpansStored(q: Queries, workspaceId: string, events: readonly NewSpanEvent[]): Promise<boolean> {
  for (const chunk of chunksOf(events, NAMES_PER_STATEMENT)) {
    const traceIds = [...new Set(chunk.map(({ traceId }) => traceId))]
    const spanIds = [...new Set(chunk.map(({ spanId }) => spanId))]
    const stored = await findStoredSpanNames(q, workspaceId, { traceIds, spanIds })
    if (chunk.some(({ traceId, spanId }) => !stored.has(`${traceId} ${spanId}`))) return false
  }
  return true
}

/** For events whose spans are all stored: nobody needs to wait for this. Undefined if one is gone; then nothing was written. */
async function storeJoined(tx: Queries, input: StoreInput): Promise<{ rejectedCount: number } | undefined> {
  if (!(await keepWorkspace(tx, input.workspaceId))) throw unauthorized()
  const { found, missing } = await findSpans(tx, input)
  return missing.length > 0 ? undefined : join(tx, input, found)
}

/**
 * For events of which some must wait for their span. While this runs nobody stores spans in the workspace: a transaction that stores
 * the span at the same moment would not see the event that waits, nor would this one see the span.
 */
async function storeAll(tx: Queries, input: StoreInput): Promise<{ rejectedCount: number }> {
  const { workspaceId, receivedAt } = input
  if (!(await lockWorkspace(tx, workspaceId))) throw unauthorized()
  const { found, missing } = await findSpans(tx, input)
  await insertPendingEvents(tx, workspaceId, { events: missing, receivedAt })
  await deleteExcessPending(tx, workspaceId, PENDING_MAX)
  return join(tx, input, found)
}

async function join(
  tx: Queries,
  { workspaceId, linker, pricer }: StoreInput,
  found: readonly Found[],
): Promise<{ rejectedCount: number }> {
  const rollups = new RollupChanges()
  const prices = await listAllPrices(tx, workspaceId)
  const findDatasets = (datasetIds: string[]) => linker.findDatasets(tx, workspaceId, datasetIds)
  const changed: StoredTrace[] = []
  let rejectedCount = 0
  for (const { trace, events } of found) {
    const joined = await joinEvents(tx, { workspaceId, pricer, prices, rollups, findDatasets }, trace, events)
    rejectedCount += joined.rejectedCount
    if (joined.trace) changed.push(joined.trace)
    await yieldToEventLoop()
  }
  await linker.linkTraces(tx, workspaceId, changed)
  await rollups.write(tx, workspaceId)
  return { rejectedCount }
}
