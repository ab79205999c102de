import { hash } from 'node:crypto'
import { badRequest, conflict, notFound } from '../base/errors.ts'
import { pauseAfter } from '../base/event-loop.ts'
import { findComponent } from '../components/component-queries.ts'
import type { Context } from '../http/route.ts'
import { dbWithin, type Queries } from '../storage/db.ts'
import { type ReceivedSpan, readerOf } from '../traces/storing/received-span.ts'
import { TraceRaceError } from '../traces/storing/store-spans.ts'
import { findTraceIds } from '../traces/trace-queries.ts'
import type { Ingest } from './ingest-spans.ts'
import { findNativeHashes, updateNativeHash } from './native-queries.ts'
import { spansOfTrace, type Trace } from './native-trace.ts'

const SPANS_MAX = 10_000
const TURN_MS = 2

export type AddTraces = { workspaceId: string; componentId: string; traces: Trace[] }

type AddedTraces = {
  /** In the order given. */
  ids: { id: string; traceId: string }[]
  outcome: 'created' | 'unchanged'
}

type NewTrace = { traceId: string; spans: ReceivedSpan[]; hash: string }

/**
 * Stores traces that were sent as JSON. A trace that is already stored with the same content stays unchanged. If a stored trace has
 * different content, the whole request is rejected and nothing is stored.
 */
export async function addTraces(
  { db, clock, newId }: Pick<Context, 'db' | 'clock' | 'newId'>,
  ingest: Ingest,
  { workspaceId, componentId, traces }: AddTraces,
): Promise<AddedTraces> {
  const [component] = await findComponent(db.read, { workspaceId, componentId })
  if (!component) throw notFound('Component')
  const context = { nowMs: clock.now(), newId }
  const pause = pauseAfter(TURN_MS)
  const sent: NewTrace[] = []
  for (const trace of traces) {
    sent.push(newTrace(trace, { componentId, context }))
    await pause()
  }
  const count = sent.reduce((sum, { spans }) => sum + spans.length, 0)
  if (count > SPANS_MAX) throw badRequest(`A request may hold at most ${SPANS_MAX} spans; this one has ${count}`)
  const fresh = await db.transaction(async (tx) => {
    const missing = await withoutStored(tx, workspaceId, sent)
    if (missing.length === 0) return missing
    const spans = missing.flatMap((trace) => trace.spans)
    const { traces: stored } = await ingest({ workspaceId, componentId, within: dbWithin(tx) }, readerOf(spans))
    const created = new Map(stored.filter(({ isNew }) => isNew).map(({ id, traceId }) => [traceId, id]))
    for (const { traceId, hash } of missing) {
      const id = created.get(traceId)
      if (id === undefined) throw new TraceRaceError('another process has stored the same trace at this moment')
      await updateNativeHash(tx, { workspaceId, id, hash })
    }
    return missing
  })
  const names = sent.map(({ traceId }) => traceId)
  const ids = await findTraceIds(db.read, workspaceId, names)
  return {
    ids: names.map((traceId) => ({ id: ids.get(traceId) ?? '', traceId })),
    outcome: fresh.length === 0 ? 'unchanged' : 'created',
  }
}

function newTrace(trace: Trace, { componentId, context }: { componentId: string; context: SpanContext }): NewTrace {
  const spans = spansOfTrace(trace, context)
  return { traceId: spans[0]?.traceId ?? '', spans, hash: nativeHash(trace, componentId) }
}

type SpanContext = Parameters<typeof spansOfTrace>[1]

/** The traces that are not stored yet, without duplicates. */
async function withoutStored(tx: Queries, workspaceId: string, sent: readonly NewTrace[]): Promise<NewTrace[]> {
  const names = [...new Set(sent.map(({ traceId }) => traceId))]
  const known = await findNativeHashes(tx, workspaceId, names)
  const missing: NewTrace[] = []
  for (const trace of sent) {
    const hash = known.get(trace.traceId)
    if (hash === undefined) missing.push(trace)
    else if (hash !== trace.hash) throw otherContent(trace.traceId)
    known.set(trace.traceId, trace.hash)
  }
  return missing
}

function otherContent(traceId: string) {
  const name = JSON.stringify(traceId.slice(0, 100).toWellFormed())
  return conflict(
    `A trace ${name} exists with other content; nothing was stored. Use another traceId, or delete it first`,
  )
}

/** The hash of a trace's content and component. The order of the fields does not matter. */
function nativeHash({ traceId: _, ...trace }: Trace, componentId: string): string {
  return hash('sha256', JSON.stringify([componentId, trace], inOrder), 'base64url')
}

/** For `JSON.stringify`: sorts the members of objects by name. */
function inOrder(_key: string, value: unknown): unknown {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return value
  const fields: Record<string, unknown> = Object(value)
  const sorted: Record<string, unknown> = Object.create(null)
  for (const name of Object.keys(fields).sort()) sorted[name] = fields[name]
  return sorted
}
