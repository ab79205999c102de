/**
 * What a row of a list shows of the spans of its trace: the models with the basis of the costs, and the beginnings of the question and the
 * answer. Stored with the trace as JSON and sent as it is stored, so that a list of traces reads no spans. The result depends only on the
 * spans, and not on the batches in which they arrived.
 */
import { shortened } from '../base/text.ts'
import type { Queries } from '../storage/db.ts'
import { type PreparedSpan, textsOfSpan } from './storing/build-span-row.ts'
import type { TraceState } from './storing/trace-state.ts'
import type { KnownTrace } from './storing/trace-state-queries.ts'
import { combineContent, isSettled, ownContent, type SpanTexts } from './trace-content.ts'
import { findSpanTexts } from './trace-queries.ts'

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
  if (isSettled(own.input) && isSettled(own.output)) return writePreview(combineContent(own, {}))
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

export type ModelSummary = { models: string[]; costBasis: string | null }

/** A trace with longer names is not summarized, because its row would become too large. */
const MODEL_SUMMARY_LENGTH_MAX = 2_000

const SEVERAL_BASES = 'mixed'

export function summarizeModels(spans: Iterable<{ model: string | null; costBasis: string | null }>): ModelSummary {
  const models = new Set<string>()
  let costBasis: string | null = null
  for (const span of spans) {
    if (span.model !== null) models.add(span.model)
    costBasis = commonBasis(costBasis, span.costBasis)
  }
  return { models: [...models].sort(), costBasis }
}

function commonBasis(a: string | null, b: string | null): string | null {
  if (a === null || b === null || a === b) return a ?? b
  return SEVERAL_BASES
}

/** Null if it is too long to be stored. */
function writeModelSummary({ models, costBasis }: ModelSummary): string | null {
  const json = JSON.stringify({ models, costBasis })
  return json.length > MODEL_SUMMARY_LENGTH_MAX ? null : json
}

/** The summary of a trace that got more spans. Unknown stays unknown. */
function mergeModelSummary(stored: string | null, { models, costBasis }: ModelSummary): string | null {
  if (stored === null) return null
  const known: ModelSummary = JSON.parse(stored)
  return writeModelSummary({
    models: [...new Set([...known.models, ...models])].sort(),
    costBasis: commonBasis(known.costBasis, costBasis),
  })
}

/** The summary of a trace whose costs were computed again. */
export function withCostBasis(stored: string | null, spans: Iterable<{ costBasis: string | null }>): string | null {
  if (stored === null) return null
  let costBasis: string | null = null
  for (const span of spans) costBasis = commonBasis(costBasis, span.costBasis)
  const { models }: ModelSummary = JSON.parse(stored)
  return writeModelSummary({ models, costBasis })
}

const PREVIEW_LENGTH_MAX = 200
/** White space is shortened, so more may be needed than is shown. */
export const READ_LENGTH_MAX = 2_000

export type Preview = { input: string | null; output: string | null }

/** The beginning of a text, with white space shortened. */
export function previewOf(text: string | null): string | null {
  if (text === null) return null
  return shortened(shortened(text, READ_LENGTH_MAX).replace(/\s+/g, ' ').trim(), PREVIEW_LENGTH_MAX)
}

export function writePreview({ input, output }: Preview): string {
  return JSON.stringify({ input: previewOf(input), output: previewOf(output) })
}
