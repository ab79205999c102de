import { yieldToEventLoop } from '../base/event-loop.ts'
import type { Queries } from '../storage/db.ts'
import { chunkRows } from '../traces/chunk-rows.ts'
import { type Preview, writePreview } from '../traces/list-fields.ts'
import { findTraceContents } from '../traces/trace-contents.ts'
import { type KeySpan, listKeySpans, type TraceDetails } from './trace-row-queries.ts'

/** Contents must be parsed as a whole, and each may have a mebibyte. */
const CONTENT_BYTES_MAX = 8 << 20

/** The beginnings of the question and of the answer of traces. Traces that do not fit into the limit of bytes are missing. */
export async function readPreviews(
  q: Queries,
  workspaceId: string,
  traces: readonly TraceDetails[],
): Promise<Map<string, Preview>> {
  const written = await readPreviewsJson(q, workspaceId, traces)
  return new Map([...written].map(([id, json]) => [id, JSON.parse(json)]))
}

/** The same as JSON. The spans of a trace are read only if it is stored without a preview. */
export async function readPreviewsJson(
  q: Queries,
  workspaceId: string,
  traces: readonly TraceDetails[],
): Promise<Map<string, string>> {
  const previews = new Map<string, string>()
  for (const { id, preview } of traces) if (preview !== null) previews.set(id, preview)
  const unknown = traces.filter(({ preview }) => preview === null)
  if (unknown.length === 0) return previews
  const ids = unknown.map(({ id }) => id)
  const keySpans = Map.groupBy(await listKeySpans(q, workspaceId, ids), ({ traceDbId }) => traceDbId)
  const sizes: { id: string; traceId: string; bytes: number }[] = []
  let bytesLeft = CONTENT_BYTES_MAX
  for (const trace of unknown) {
    const bytes = contentBytesOf(trace, keySpans.get(trace.id) ?? [])
    bytesLeft -= bytes
    if (bytesLeft < 0) break
    sizes.push({ id: trace.id, traceId: trace.traceId, bytes })
  }
  for (const chunk of chunkRows(sizes)) {
    // By the ids of senders, which need not be looked up.
    const refs = chunk.map(({ traceId }) => traceId)
    for (const { traceDbId, ...content } of (await findTraceContents(q, workspaceId, refs)).values())
      previews.set(traceDbId, writePreview(content))
    await yieldToEventLoop()
  }
  return previews
}

/** How many bytes must be read for the question and the answer of each trace. */
export async function listContentBytes(
  q: Queries,
  workspaceId: string,
  traceDbIds: readonly string[],
): Promise<Map<string, number>> {
  const bytes = new Map<string, number>()
  for (const span of await listKeySpans(q, workspaceId, traceDbIds))
    bytes.set(span.traceDbId, (bytes.get(span.traceDbId) ?? 0) + span.bytes)
  return bytes
}

/** The root decides; without one, or if it has no content, the first and the last model call do. */
function contentBytesOf({ rootSpanId }: TraceDetails, spans: readonly KeySpan[]): number {
  const root = spans.find(({ spanId }) => spanId === rootSpanId)
  return root && root.bytes > 0 ? root.bytes : spans.reduce((sum, { bytes }) => sum + bytes, 0)
}
