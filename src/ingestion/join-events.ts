/**
 * Adds events that arrived as log records to a stored span. The result is the same as if they had arrived with the span: they are among
 * its events, ordered by time, and their content counts for the span and its trace.
 */
import { isDeepStrictEqual } from 'node:util'
import type { Queries } from '../storage/db.ts'
import { updatePreview } from '../traces/list-fields.ts'
import {
  contentBytes,
  eventJson,
  eventsJson,
  type PreparedSpan,
  storedContentBytes,
} from '../traces/storing/build-span-row.ts'
import type { NewSpanEvent } from '../traces/storing/pending-event-queries.ts'
import type { ReceivedEvent } from '../traces/storing/received-span.ts'
import {
  findCurrentTraces,
  listStoredSpans,
  replaceSpans,
  type StoredSpanRow,
  updateSpanEvents,
} from '../traces/storing/remap-queries.ts'
import { SpanRemapper } from '../traces/storing/remap-span.ts'
import { type Remapping, remapTrace } from '../traces/storing/remap-trace.ts'
import type { StoredTrace } from '../traces/storing/store-spans.ts'
import { readEvents } from '../traces/storing/stored-span.ts'
import { type KnownTrace, updateTrace } from '../traces/storing/trace-state-queries.ts'

/** More than a model call has. Adding an event requires reading all others of the span. */
const EVENTS_PER_SPAN_MAX = 1_000
const EVENT_CHARACTERS_PER_SPAN_MAX = 16 << 20

export type Joined = {
  /** The state after joining; undefined if all events were stored already. */
  trace: StoredTrace | undefined
  /** Events that exceed the limits of their span. */
  rejectedCount: number
}

/** The caller must have locked the trace, and the spans of the events must be stored. */
export async function joinEvents(
  tx: Queries,
  remapping: Remapping,
  trace: KnownTrace,
  events: readonly NewSpanEvent[],
): Promise<Joined> {
  const inTrace = { workspaceId: remapping.workspaceId, traceDbId: trace.id }
  const bySpan = Map.groupBy(events, ({ spanId }) => spanId)
  const rows = await listStoredSpans(tx, inTrace, [...bySpan.keys()])
  const extended = rows.map((row) => ({ row, ...extend(row, bySpan.get(row.spanId) ?? []) }))
  const rejectedCount = extended.reduce((sum, span) => sum + span.rejectedCount, 0)
  const changed = extended.filter(({ addedCount }) => addedCount > 0)
  if (changed.length === 0) return { trace: undefined, rejectedCount }

  const isCurrent = (await findCurrentTraces(tx, remapping.workspaceId, [trace.id])).has(trace.id)
  const spans = await mapBoth(tx, remapping, trace, changed)
  // If nothing changes for the trace, its other spans need not be read.
  if (isCurrent && spans.every(({ before, after }) => isSameForTrace(before, after))) {
    for (const { row, after } of spans) remapping.rollups.storedBytes += contentBytes(after) - storedContentBytes(row)
    await replaceSpans(
      tx,
      inTrace,
      spans.map(({ after }) => after),
    )
    const isShown = await updatePreview(tx, remapping.workspaceId, trace, [...bySpan.keys()])
    if (isShown) await updateTrace(tx, remapping.workspaceId, trace)
    return { trace: { ...trace, before: trace.state }, rejectedCount }
  }
  for (const { row, all } of changed) {
    const events = eventsJson(all)
    remapping.rollups.storedBytes += Buffer.byteLength(events) - Buffer.byteLength(row.events ?? '')
    await updateSpanEvents(tx, inTrace, { spanId: row.spanId, events })
  }
  return { trace: await remapTrace(tx, remapping, trace), rejectedCount }
}

type Extended = { all: ReceivedEvent[]; addedCount: number; rejectedCount: number }

/** Events with the same timestamp stay in the order of arrival, so that a conversation keeps its order. */
function extend({ events: json }: StoredSpanRow, added: readonly NewSpanEvent[]): Extended {
  const all = json === null ? [] : readEvents(json)
  const known = new Set(all.map(eventJson))
  let characters = json?.length ?? 0
  let addedCount = 0
  let rejectedCount = 0
  for (const event of added) {
    if (known.has(event.json)) continue
    known.add(event.json)
    characters += event.json.length
    if (all.length >= EVENTS_PER_SPAN_MAX || characters > EVENT_CHARACTERS_PER_SPAN_MAX) {
      rejectedCount += 1
      continue
    }
    all.push(...readEvents(`[${event.json}]`))
    addedCount += 1
  }
  all.sort((a, b) => (a.timeNs < b.timeNs ? -1 : a.timeNs > b.timeNs ? 1 : 0))
  return { all, addedCount, rejectedCount }
}

async function mapBoth(
  tx: Queries,
  remapping: Remapping,
  { id, traceId }: KnownTrace,
  spans: readonly { row: StoredSpanRow; all: readonly ReceivedEvent[] }[],
) {
  const remapper = new SpanRemapper(tx, remapping)
  await remapper.load(spans.map(({ row }) => row))
  return spans.map(({ row, all }) => ({
    row,
    before: remapper.remap(row, traceId, id).prepared,
    after: remapper.remap(row, traceId, id, all).prepared,
  }))
}

/** Whether both versions of a span contribute the same to their trace. Ignores the values of the row and the resource scope, which is the same. */
function isSameForTrace(before: PreparedSpan, after: PreparedSpan): boolean {
  return isDeepStrictEqual({ ...before, values: [] }, { ...after, values: [] })
}
