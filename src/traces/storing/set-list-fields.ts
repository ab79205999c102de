/**
 * Computes what lists show of the spans of a trace (`list-fields.ts`) when spans are stored. The result depends only on the spans, and
 * not on the batches in which they arrived.
 */
import type { Queries } from '../../storage/db.ts'
import { mergeModelSummary, summarizeModels, writeModelSummary, writePreview } from '../list-fields.ts'
import { combineContent, ownContent, type SpanTexts, textOf } from '../trace-content.ts'
import { findSpanTexts } from '../trace-queries.ts'
import { type PreparedSpan, textsOfSpan } from './build-span-row.ts'
import type { TraceState } from './trace-state.ts'
import type { KnownTrace } from './trace-state-queries.ts'

/** Larger contents are not parsed while spans are stored: lists read them. */
const CONTENT_BYTES_MAX = 1 << 16

type Batch = {
  trace: KnownTrace
  spans: ReadonlyMap<string, PreparedSpan>
  before: TraceState | undefined
}

/** The spans must be part of the state already. Those that are not in the batch are read, if they are needed. */
export async function setListFields(tx: Queries, workspaceId: string, { trace, spans, before }: Batch): Promise<void> {
  const { state } = trace
  const models = summarizeModels(spans.values())
  state.modelSummary = before ? mergeModelSummary(before.modelSummary, models) : writeModelSummary(models)
  if (before && hasSameKeySpans(before, state)) return
  state.preview = await buildPreview(tx, workspaceId, trace, spans)
}

/** Computes the preview again after a span was rewritten, unless it does not depend on that span. Returns whether it did. */
export async function updatePreview(
  tx: Queries,
  workspaceId: string,
  trace: KnownTrace,
  spanIds: readonly string[],
): Promise<boolean> {
  const { rootSpanId, firstLlmSpanId, lastLlmSpanId } = trace.state
  if (!spanIds.some((id) => id === rootSpanId || id === firstLlmSpanId || id === lastLlmSpanId)) return false
  trace.state.preview = await buildPreview(tx, workspaceId, trace, new Map())
  return true
}

function hasSameKeySpans(a: TraceState, b: TraceState): boolean {
  return a.rootSpanId === b.rootSpanId && a.firstLlmSpanId === b.firstLlmSpanId && a.lastLlmSpanId === b.lastLlmSpanId
}

/** Null while there is no root: its content may still arrive, and what is shown until then depends on all other spans. */
async function buildPreview(
  tx: Queries,
  workspaceId: string,
  { id: traceDbId, state: { rootSpanId, firstLlmSpanId, lastLlmSpanId } }: KnownTrace,
  spans: ReadonlyMap<string, PreparedSpan>,
): Promise<string | null> {
  if (rootSpanId === null) return null
  const read = async (spanId: string): Promise<SpanTexts | undefined> => {
    const span = spans.get(spanId)
    if (span && span.values.length > 0) return small(textsOfSpan(span))
    return findSpanTexts(tx, { workspaceId, traceDbId, spanId, bytesMax: CONTENT_BYTES_MAX })
  }
  const root = await read(rootSpanId)
  if (!root) return null
  const own = ownContent(root)
  const input = textOf(own.input)
  const output = textOf(own.output)
  if (input !== undefined && output !== undefined) return writePreview({ input, output })
  const first = firstLlmSpanId === null ? NO_TEXTS : await read(firstLlmSpanId)
  const last = lastLlmSpanId === null ? NO_TEXTS : await read(lastLlmSpanId)
  return first && last ? writePreview(combineContent(own, { top: root, first, last })) : null
}

const NO_TEXTS: SpanTexts = { kind: null, input: null, output: null }

function small(texts: SpanTexts): SpanTexts | undefined {
  return bytesIn(texts.input) + bytesIn(texts.output) <= CONTENT_BYTES_MAX ? texts : undefined
}

function bytesIn(text: string | null): number {
  return text === null ? 0 : Buffer.byteLength(text)
}
