/**
 * Reads a whole trace. The answer is written as JSON in small portions and sent as it is written: ten thousand spans are tens of
 * megabytes, which nobody should hold in memory, and other requests must not wait until all of them are written.
 *
 * Messages, parameters and metadata are made from what was sent, each time they are read: when a convention is understood better,
 * so are the traces that came before.
 */
import { yieldToEventLoop } from '../base/event-loop.ts'
import type { Queries } from '../storage/db.ts'
import { mapMetadata } from './mapping/map-metadata.ts'
import { portionsOf } from './portions.ts'
import type { Origin } from './received-span.ts'
import { readOrigin, storedSpan, UNKNOWN_ORIGIN } from './stored-span.ts'
import { traceContent } from './trace-content.ts'
import { findFirstSpan, listOrigins, listSpanSizes, listSpans, type TraceRow } from './trace-queries.ts'
import { toTraceSummary } from './trace-summary.ts'
import { writeSpan } from './write-span.ts'

export async function* readTrace(q: Queries, workspaceId: string, trace: TraceRow): AsyncGenerator<string> {
  const inTrace = { workspaceId, traceDbId: trace.id }
  const origins = new OriginCache(q, workspaceId)
  const sizes = await listSpanSizes(q, inTrace)
  yield await writeHead(q, { trace, workspaceId, origins })
  let separator = ''
  for (const portion of portionsOf(sizes)) {
    const ids = portion.map(({ id }) => id)
    const rows = new Map((await listSpans(q, inTrace, ids)).map((row) => [row.spanId, row]))
    await origins.load([...rows.values()])
    let json = ''
    for (const id of ids) {
      const row = rows.get(id)
      if (!row) continue
      json += separator + writeSpan(row, trace, origins.get(row.origin))
      separator = ','
    }
    yield json
    await yieldToEventLoop()
  }
  yield ']}'
}

type Head = { trace: TraceRow; workspaceId: string; origins: OriginCache }

/** Everything but the spans. What a trace says of itself is what its root says, or its first span while there is no root. */
async function writeHead(q: Queries, { trace, workspaceId, origins }: Head): Promise<string> {
  const content = await traceContent(q, workspaceId, trace)
  const inTrace = { workspaceId, traceDbId: trace.id }
  const spokesman = content.top ?? (await findFirstSpan(q, inTrace))
  if (spokesman) await origins.load([spokesman])
  const head = {
    ...toTraceSummary(trace),
    workspaceId,
    sessionId: trace.sessionId,
    userId: trace.userId,
    input: content.input,
    output: content.output,
    metadata: spokesman ? mapMetadata(storedSpan(spokesman, origins.get(spokesman.origin))) : {},
    tags: JSON.parse(trace.tags),
    createdAt: trace.createdAt,
  }
  return `${JSON.stringify(head).slice(0, -1)},"spans":[`
}

/** Spans share their origins, so each is read once. */
export class OriginCache {
  readonly #q: Queries
  readonly #workspaceId: string
  readonly #known = new Map<string, Origin>()

  constructor(q: Queries, workspaceId: string) {
    this.#q = q
    this.#workspaceId = workspaceId
  }

  async load(rows: readonly { origin: string }[]): Promise<void> {
    const missing = new Set(rows.map(({ origin }) => origin).filter((hash) => !this.#known.has(hash)))
    if (missing.size === 0) return
    for (const row of await listOrigins(this.#q, this.#workspaceId, [...missing])) {
      this.#known.set(row.hash, readOrigin(row))
    }
  }

  get(hash: string): Origin {
    return this.#known.get(hash) ?? UNKNOWN_ORIGIN
  }
}
