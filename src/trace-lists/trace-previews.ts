import { yieldToEventLoop } from '../base/event-loop.ts'
import type { Queries } from '../storage/db.ts'
import { portionsOf } from '../traces/portions.ts'
import { shortened } from '../traces/query/query-error.ts'
import { findTraceContents } from '../traces/trace-contents.ts'
import { type KeySpan, listKeySpans, type TraceDetails } from './trace-row-queries.ts'

const PREVIEW_LENGTH_MAX = 200
/** White space is shortened, so more may be needed than is shown. */
export const READ_LENGTH_MAX = 2_000
/** Contents must be parsed as a whole, and each may have a mebibyte. */
const CONTENT_BYTES_MAX = 8 << 20

export type Preview = { input: string | null; output: string | null }

/** The beginnings of the question and of the answer of traces. Traces that do not fit into the limit of bytes are missing. */
export async function readPreviews(
  q: Queries,
  workspaceId: string,
  traces: readonly TraceDetails[],
): Promise<Map<string, Preview>> {
  const ids = traces.map(({ id }) => id)
  const keySpans = Map.groupBy(await listKeySpans(q, workspaceId, ids), ({ traceDbId }) => traceDbId)
  const sizes: { id: string; traceId: string; bytes: number }[] = []
  let bytesLeft = CONTENT_BYTES_MAX
  for (const trace of traces) {
    const bytes = contentBytesOf(trace, keySpans.get(trace.id) ?? [])
    bytesLeft -= bytes
    if (bytesLeft < 0) break
    sizes.push({ id: trace.id, traceId: trace.traceId, bytes })
  }
  const previews = new Map<string, Preview>()
  for (const portion of portionsOf(sizes)) {
    // By the ids of senders, which need not be looked up.
    const refs = portion.map(({ traceId }) => traceId)
    for (const { traceDbId, input, output } of (await findTraceContents(q, workspaceId, refs)).values())
      previews.set(traceDbId, { input: previewOf(input), output: previewOf(output) })
    await yieldToEventLoop()
  }
  return previews
}

/** The root decides; without one, or if it has no content, the first and the last model call do. */
function contentBytesOf({ rootSpanId }: TraceDetails, spans: readonly KeySpan[]): number {
  const root = spans.find(({ spanId }) => spanId === rootSpanId)
  return root && root.bytes > 0 ? root.bytes : spans.reduce((sum, { bytes }) => sum + bytes, 0)
}

/** The beginning of a text, with white space shortened. */
export function previewOf(text: string | null): string | null {
  if (text === null) return null
  return shortened(shortened(text, READ_LENGTH_MAX).replace(/\s+/g, ' ').trim(), PREVIEW_LENGTH_MAX)
}
