/**
 * Reads a trace. The answer is written as JSON in small portions and sent as it is written: megabytes of spans are nothing that anybody
 * should hold in memory, and other requests must not wait until all of them are written. How large it may become is limited.
 *
 * Messages, parameters and metadata are made from what was sent, each time they are read: when a convention is understood better,
 * so are the traces that came before.
 */
import { yieldToEventLoop } from '../base/event-loop.ts'
import type { Page } from '../base/page.ts'
import type { Queries } from '../storage/db.ts'
import { portionsOf } from './portions.ts'
import { mapMetadata } from './semconv/map-metadata.ts'
import type { Origin } from './storing/received-span.ts'
import { readOrigin, storedSpan, UNKNOWN_ORIGIN } from './storing/stored-span.ts'
import { writeSpan } from './storing/write-span.ts'
import { traceContent } from './trace-content.ts'
import { findFirstSpan, listOrigins, listSpanSizes, listSpans, type TraceRow } from './trace-queries.ts'
import { toTraceSummary } from './trace-summary.ts'

/**
 * How much of a trace is answered at once, in characters. What a sender says once of a process is part of every span, so that a small
 * request may become a trace that is a hundred times as large.
 */
const ANSWER_CHARACTERS_MAX = 8 << 20
/** More spans than that many characters can hold. */
const SPANS_MAX = 20_000

/** The trace with its spans, or with the first of them and where to read on. */
export async function* readTrace(q: Queries, workspaceId: string, trace: TraceRow): AsyncGenerator<string> {
  const origins = new OriginCache(q, workspaceId)
  yield await writeHead(q, { trace, workspaceId, origins })
  const nextOffset = yield* writeSpans(q, { trace, workspaceId, origins, page: { limit: SPANS_MAX, offset: 0 } })
  yield nextOffset === null ? ']}' : `],"nextSpansOffset":${nextOffset}}`
}

/** A page of the spans of a trace in the order of time; it ends before its limit where they are large. */
export async function* readSpans(
  q: Queries,
  workspaceId: string,
  { trace, page }: { trace: TraceRow; page: Page },
): AsyncGenerator<string> {
  const origins = new OriginCache(q, workspaceId)
  yield `{"data":[`
  const nextOffset = yield* writeSpans(q, { trace, workspaceId, origins, page })
  yield `],"total":${trace.spanCount},"nextOffset":${nextOffset}}`
}

type SpanPage = { trace: TraceRow; workspaceId: string; origins: OriginCache; page: Page }

/** Answers where the next page begins, or null behind the last span. The first span is written however large it is. */
async function* writeSpans(
  q: Queries,
  { trace, workspaceId, origins, page }: SpanPage,
): AsyncGenerator<string, number | null> {
  const inTrace = { workspaceId, traceDbId: trace.id }
  const sizes = await listSpanSizes(q, inTrace, { limit: page.limit + 1, offset: page.offset })
  let written = 0
  let characters = 0
  for (const portion of portionsOf(sizes.slice(0, page.limit))) {
    const ids = portion.map(({ id }) => id)
    const rows = new Map((await listSpans(q, inTrace, ids)).map((row) => [row.spanId, row]))
    await origins.load([...rows.values()])
    let json = ''
    for (const id of ids) {
      const row = rows.get(id)
      const span = row ? writeSpan(row, trace, origins.get(row.origin)) : ''
      characters += span.length
      if (written > 0 && characters > ANSWER_CHARACTERS_MAX) {
        yield json
        return page.offset + written
      }
      if (span !== '') json += written === 0 ? span : `,${span}`
      written += 1
    }
    yield json
    await yieldToEventLoop()
  }
  return sizes.length > page.limit ? page.offset + written : null
}

type Head = { trace: TraceRow; workspaceId: string; origins: OriginCache }

/** Everything but the spans. What a trace says of itself is what its root says, or its first span while there is no root. */
async function writeHead(q: Queries, { trace, workspaceId, origins }: Head): Promise<string> {
  const content = await traceContent(q, workspaceId, trace)
  const inTrace = { workspaceId, traceDbId: trace.id }
  const representativeSpan = content.top ?? (await findFirstSpan(q, inTrace))
  if (representativeSpan) await origins.load([representativeSpan])
  const head = {
    ...toTraceSummary(trace),
    workspaceId,
    sessionId: trace.sessionId,
    userId: trace.userId,
    input: content.input,
    output: content.output,
    metadata: representativeSpan
      ? mapMetadata(storedSpan(representativeSpan, origins.get(representativeSpan.origin)))
      : {},
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
