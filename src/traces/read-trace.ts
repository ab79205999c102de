/**
 * Reads a trace. A small one is read by one statement. The response of a larger one is serialized in small chunks and streamed, so that
 * megabytes of spans are not buffered and do not block other requests. Its size is limited.
 *
 * Messages, parameters and metadata are derived from the received data on every read, so that improvements of the mapping also apply to
 * older traces.
 */
import { yieldToEventLoop } from '../base/event-loop.ts'
import type { Page } from '../base/page.ts'
import type { Queries } from '../storage/db.ts'
import { CHUNK, chunkRows } from './chunk-rows.ts'
import { ResourceScopeCache } from './resource-scope-cache.ts'
import { mapMetadata, metadataJson } from './semconv/map-metadata.ts'
import { storedSpan } from './storing/stored-span.ts'
import { writeSpan } from './storing/write-span.ts'
import { readTraceContent, type TraceTexts, traceContent } from './trace-content.ts'
import {
  findFirstSpan,
  findSpanOfTrace,
  listSmallTrace,
  listSpanSizes,
  listSpans,
  type SpanRow,
  type TraceRow,
} from './trace-queries.ts'
import { toTraceSummary } from './trace-summary.ts'

/**
 * The maximum size of a response, in characters. The attributes of a process are part of every span, so a small request can become a
 * trace a hundred times as large.
 */
const RESPONSE_CHARACTERS_MAX = 8 << 20
/** More spans than fit into that many characters. */
const SPANS_MAX = 20_000
/** The maximum size of a response that is not streamed. */
const SMALL_CHARACTERS_MAX = 2 << 20

/** A trace with all spans, as JSON; undefined if it is too large to be read at once. */
export async function readSmallTrace(q: Queries, workspaceId: string, trace: TraceRow): Promise<string | undefined> {
  if (trace.spanCount > CHUNK.rows) return undefined
  const rows = await listSmallTrace(q, { workspaceId, traceDbId: trace.id, bytesMax: CHUNK.bytes })
  if (rows.length !== trace.spanCount) return undefined
  const resourceScopes = new ResourceScopeCache(q, workspaceId)
  await resourceScopes.load(rows)
  const content = await traceContent(q, workspaceId, trace, rows)
  let json = await writeHead(q, { trace, workspaceId, resourceScopes }, content)
  for (const [place, row] of rows.entries()) {
    const span = writeSpan(row, trace, resourceScopes.get(row.resource_scope))
    json += place === 0 ? span : `,${span}`
    // Spans repeat the attributes of their process, which may be large.
    if (json.length > SMALL_CHARACTERS_MAX) return undefined
  }
  return `${json}]}`
}

/** The trace with all spans, or with the first ones and the offset of the next. */
export async function* readTrace(q: Queries, workspaceId: string, trace: TraceRow): AsyncGenerator<string> {
  const resourceScopes = new ResourceScopeCache(q, workspaceId)
  yield await writeHead(q, { trace, workspaceId, resourceScopes }, await readTraceContent(q, workspaceId, trace))
  const nextOffset = yield* writeSpans(q, { trace, workspaceId, resourceScopes, page: { limit: SPANS_MAX, offset: 0 } })
  yield nextOffset === null ? ']}' : `],"nextSpansOffset":${nextOffset}}`
}

/** The trace without its spans, for pages that read them one by one. */
export async function* readTraceHead(q: Queries, workspaceId: string, trace: TraceRow): AsyncGenerator<string> {
  const head = { trace, workspaceId, resourceScopes: new ResourceScopeCache(q, workspaceId) }
  yield await writeHead(q, head, await readTraceContent(q, workspaceId, trace))
  yield trace.spanCount === 0 ? ']}' : '],"nextSpansOffset":0}'
}

/** A page of the spans of a trace in order of time. It has fewer spans than its limit if they are large. */
export async function* readSpans(
  q: Queries,
  workspaceId: string,
  { trace, page }: { trace: TraceRow; page: Page },
): AsyncGenerator<string> {
  const resourceScopes = new ResourceScopeCache(q, workspaceId)
  yield `{"data":[`
  const nextOffset = yield* writeSpans(q, { trace, workspaceId, resourceScopes, page })
  yield `],"total":${trace.spanCount},"nextOffset":${nextOffset}}`
}

/** One span as JSON, by the references of its trace and by the sender's id; undefined if there is no such trace or span. */
export async function readSpan(
  q: Queries,
  workspaceId: string,
  { traceRef, spanId }: { traceRef: string; spanId: string },
): Promise<string | undefined> {
  const name = /^[0-9a-f]{16}$/i.test(spanId) ? spanId.toLowerCase() : spanId
  const row = await findSpanOfTrace(q, workspaceId, { traceRef, spanId: name })
  if (!row) return undefined
  const resourceScopes = new ResourceScopeCache(q, workspaceId)
  await resourceScopes.load([row])
  const trace = { id: row.traceDbId, traceId: row.traceId, createdAt: row.traceCreatedAt }
  return writeSpan(row, trace, resourceScopes.get(row.resource_scope))
}

type SpanPage = { trace: TraceRow; workspaceId: string; resourceScopes: ResourceScopeCache; page: Page }

/** Returns the offset of the next page, or null after the last span. The first span is always written, regardless of its size. */
async function* writeSpans(
  q: Queries,
  { trace, workspaceId, resourceScopes, page }: SpanPage,
): AsyncGenerator<string, number | null> {
  const inTrace = { workspaceId, traceDbId: trace.id }
  const sizes = await listSpanSizes(q, inTrace, { limit: page.limit + 1, offset: page.offset })
  let written = 0
  let characters = 0
  for (const chunk of chunkRows(sizes.slice(0, page.limit))) {
    const ids = chunk.map(({ id }) => id)
    const rows = new Map((await listSpans(q, inTrace, ids)).map((row) => [row.spanId, row]))
    await resourceScopes.load([...rows.values()])
    let json = ''
    for (const id of ids) {
      const row = rows.get(id)
      const span = row ? writeSpan(row, trace, resourceScopes.get(row.resource_scope)) : ''
      characters += span.length
      if (written > 0 && characters > RESPONSE_CHARACTERS_MAX) {
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

type Head = { trace: TraceRow; workspaceId: string; resourceScopes: ResourceScopeCache }

/** All fields except the spans. Content comes from the root, or from the first span while there is no root. */
async function writeHead(
  q: Queries,
  { trace, workspaceId, resourceScopes }: Head,
  content: TraceTexts,
): Promise<string> {
  const head = {
    ...toTraceSummary(trace),
    workspaceId,
    sessionId: trace.sessionId,
    userId: trace.userId,
    input: content.input,
    output: content.output,
  }
  const span = await findRepresentativeSpan(q, { trace, workspaceId, resourceScopes }, content.top)
  const metadata = span ? metadataJson(span) : '{}'
  // Tags are already JSON.
  const rest = `"metadata":${metadata},"tags":${trace.tags},"createdAt":"${trace.createdAt}","spans":[`
  return `${JSON.stringify(head).slice(0, -1)},${rest}`
}

async function findRepresentativeSpan(
  q: Queries,
  { trace, workspaceId, resourceScopes }: Head,
  top: SpanRow | undefined,
) {
  const row = top ?? (await findFirstSpan(q, { workspaceId, traceDbId: trace.id }))
  if (!row) return undefined
  await resourceScopes.load([row])
  return storedSpan(row, resourceScopes.get(row.resource_scope))
}

/** The metadata of a trace, as in the response of `readTrace`. */
export async function readTraceMetadata(q: Queries, workspaceId: string, trace: TraceRow) {
  const { top } = await readTraceContent(q, workspaceId, trace)
  const head = { trace, workspaceId, resourceScopes: new ResourceScopeCache(q, workspaceId) }
  const span = await findRepresentativeSpan(q, head, top)
  return span ? mapMetadata(span) : {}
}
