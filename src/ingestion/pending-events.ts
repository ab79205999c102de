/** Events whose span has not arrived yet. They are joined when it arrives, and deleted if it never does. */
import { type Clock, timestamp } from '../base/clock.ts'
import { chunksOf, yieldToEventLoop } from '../base/event-loop.ts'
import type { Db, Queries } from '../storage/db.ts'
import { hasOneWriter } from '../storage/dialect.ts'
import { listAllPrices } from '../traces/pricing/price-queries.ts'
import type { Pricer } from '../traces/pricing/price-usage.ts'
import {
  deleteOldPendingOfAnyWorkspace,
  deletePendingEvents,
  findStoredSpanNames,
  hasPendingEvents,
  listPendingEvents,
  type NewSpanEvent,
} from '../traces/storing/pending-event-queries.ts'
import type { Remapping } from '../traces/storing/remap-trace.ts'
import { RollupChanges } from '../traces/storing/rollup-queries.ts'
import type { StoredTrace } from '../traces/storing/store-spans.ts'
import { findTraceStates, type KnownTrace } from '../traces/storing/trace-state-queries.ts'
import { changeStoredBytes } from '../workspaces/usage-queries.ts'
import { lockWorkspaceShared } from '../workspaces/workspace-queries.ts'
import { joinEvents } from './join-events.ts'
import type { TraceLinker } from './link-arrived-traces.ts'

const NAMES_PER_STATEMENT = 500
/** A span is sent when it finishes, seconds after its last event. After a day, the span will not arrive. */
const PENDING_MS = 86_400_000
const DELETED_PER_CHUNK = 200

export type PendingJoin = Omit<Remapping, 'findDatasets'> & { traces: readonly StoredTrace[]; linker: TraceLinker }

/**
 * Joins the events that waited for the spans of this transaction, and returns the traces after that. Costs one index lookup if no events
 * are waiting.
 */
export async function joinPendingEvents(tx: Queries, input: PendingJoin): Promise<readonly StoredTrace[]> {
  const { workspaceId, traces, linker } = input
  if (!(await hasPendingEvents(tx, workspaceId))) return traces
  const waiting: NewSpanEvent[] = []
  for (const chunk of chunksOf(traces, NAMES_PER_STATEMENT)) {
    const traceIds = chunk.map(({ traceId }) => traceId)
    waiting.push(...(await listPendingEvents(tx, workspaceId, traceIds)))
  }
  if (waiting.length === 0) return traces
  const { found } = await findSpans(tx, { workspaceId, events: waiting })
  const findDatasets = (datasetIds: string[]) => linker.findDatasets(tx, workspaceId, datasetIds)
  const states = new Map<string, StoredTrace['state']>()
  for (const { trace, events } of found) {
    const joined = await joinEvents(tx, { ...input, findDatasets }, trace, events)
    if (joined.trace) states.set(trace.id, joined.trace.state)
    const spanIds = [...new Set(events.map(({ spanId }) => spanId))]
    await deletePendingEvents(tx, workspaceId, { traceId: trace.traceId, spanIds })
    await yieldToEventLoop()
  }
  return traces.map((trace) => ({ ...trace, state: states.get(trace.id) ?? trace.state }))
}

type Joining = { workspaceId: string; linker: TraceLinker; pricer: Pricer }

/**
 * Joins waiting events to stored spans in a new transaction. Where transactions run concurrently, the writers of events and of spans both
 * call this after they commit: if an event and its span are stored at the same time, neither transaction sees the other, but the last
 * caller sees both. Joining twice is harmless.
 */
export async function joinWaitingEvents(
  db: Db,
  { traceIds, ...joining }: Joining & { traceIds: readonly string[] },
): Promise<void> {
  const { workspaceId } = joining
  if (traceIds.length === 0 || hasOneWriter(db.read) || !(await hasPendingEvents(db.read, workspaceId))) return
  for (const chunk of chunksOf(traceIds, NAMES_PER_STATEMENT)) {
    const waiting = await listPendingEvents(db.read, workspaceId, chunk)
    const spanIds = [...new Set(waiting.map(({ spanId }) => spanId))]
    const stored = await findStoredSpanNames(db.read, workspaceId, { traceIds: chunk, spanIds })
    const events = waiting.filter(({ traceId, spanId }) => stored.has(`${traceId} ${spanId}`))
    if (events.length === 0) continue
    await db.transaction(async (tx) => {
      if (!(await lockWorkspaceShared(tx, workspaceId))) return
      const { found } = await findSpans(tx, { workspaceId, events })
      for (const { trace, events: joined } of found) {
        const spansOf = [...new Set(joined.map(({ spanId }) => spanId))]
        await deletePendingEvents(tx, workspaceId, { traceId: trace.traceId, spanIds: spansOf })
      }
      await joinFound(tx, joining, found)
    })
  }
}

/** Joins events to stored spans, links their traces, and writes the rollups last. Returns how many events exceeded the limits. */
export async function joinFound(
  tx: Queries,
  { workspaceId, linker, pricer }: Joining,
  found: readonly Found[],
): Promise<number> {
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
  await changeStoredBytes(tx, workspaceId, rollups.storedBytes)
  return rejectedCount
}

/** Deletes events whose span never arrived. */
export async function deleteOldPendingEvents(db: Db, clock: Clock): Promise<void> {
  const before = timestamp(clock.now() - PENDING_MS)
  for (;;) {
    const limit = DELETED_PER_CHUNK
    const deleted = await db.transaction((tx) => deleteOldPendingOfAnyWorkspace(tx, { before, limit }))
    if (deleted < limit) return
    await yieldToEventLoop()
  }
}

export type Found = { trace: KnownTrace; events: NewSpanEvent[] }

/** Locks the existing traces, and separates the events by whether their span is stored. */
export async function findSpans(
  tx: Queries,
  { workspaceId, events }: { workspaceId: string; events: readonly NewSpanEvent[] },
): Promise<{ found: Found[]; missing: NewSpanEvent[] }> {
  const byTrace = Map.groupBy(events, ({ traceId }) => traceId)
  const found: Found[] = []
  const missing: NewSpanEvent[] = []
  const traces = new Map((await findTraceStates(tx, workspaceId, [...byTrace.keys()])).map((t) => [t.traceId, t]))
  for (const chunk of chunksOf([...byTrace], NAMES_PER_STATEMENT)) {
    const traceIds = chunk.map(([traceId]) => traceId)
    const spanIds = [...new Set(chunk.flatMap(([, own]) => own.map(({ spanId }) => spanId)))]
    const stored = await findStoredSpanNames(tx, workspaceId, { traceIds, spanIds })
    for (const [traceId, own] of chunk) {
      const trace = traces.get(traceId)
      const isStored = ({ spanId }: NewSpanEvent) => stored.has(`${traceId} ${spanId}`)
      missing.push(...own.filter((event) => !trace || !isStored(event)))
      const joinable = trace ? own.filter(isStored) : []
      if (trace && joinable.length > 0) found.push({ trace, events: joinable })
    }
  }
  return { found, missing }
}
