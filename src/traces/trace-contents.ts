import { chunksOf } from '../base/event-loop.ts'
import type { Queries } from '../storage/db.ts'
import { earlierTurnsIn, questionOfCall } from './semconv/messages/question-and-answer.ts'
import { isSettled, ownContent, readTraceContent, textOf } from './trace-content.ts'
import { findSpanTexts, listRoots } from './trace-queries.ts'
import { canonicalRefs } from './trace-ref-queries.ts'

const REFS_PER_STATEMENT = 500
/** No model reads more. */
const CONVERSATION_BYTES_MAX = 4 << 20

type Wanted = 'content' | 'content and conversation'

/** The question and the answer of a trace, as shown with the trace; null if it has none. */
export type TraceContent = {
  traceDbId: string
  traceId: string
  input: string | null
  output: string | null
  /** What was said up to the input, if it has several turns; null unless requested. */
  conversation: string | null
  /** Content that is not from the root may change with the next span, and the root may not have arrived yet. */
  rootHas: { input: boolean; output: boolean }
}

/** The contents of the traces that have arrived, by reference: our ids, in any case, or those of the senders. */
export async function findTraceContents(
  q: Queries,
  workspaceId: string,
  refs: string[],
  wanted: Wanted = 'content',
): Promise<Map<string, TraceContent>> {
  const canonical = await canonicalRefs(q, workspaceId, refs)
  const byTraceId = new Map<string, TraceContent>()
  for (const chunk of chunksOf([...new Set(canonical)], REFS_PER_STATEMENT)) {
    for (const row of await listRoots(q, workspaceId, chunk)) {
      const content = await contentOf(q, workspaceId, row)
      const conversation = wanted === 'content' ? null : await conversationOf(q, workspaceId, row, content.input)
      byTraceId.set(row.traceId, { ...content, conversation })
    }
  }
  const contents = new Map<string, TraceContent>()
  refs.forEach((ref, place) => {
    const content = byTraceId.get(canonical[place] ?? ref)
    if (content) contents.set(ref, content)
  })
  return contents
}

type Root = Awaited<ReturnType<typeof listRoots>>[number]

/** Most roots have both texts. Other spans are read only if the root lacks one, trace by trace. */
async function contentOf(q: Queries, workspaceId: string, root: Root) {
  const { id: traceDbId, traceId } = root
  const own = ownContent(root)
  const said = { input: textOf(own.input), output: textOf(own.output) }
  const rootHas = { input: isSettled(own.input), output: isSettled(own.output) }
  const { input, output } = rootHas.input && rootHas.output ? said : await readTraceContent(q, workspaceId, root, own)
  return { traceDbId, traceId, rootHas, input: input ?? null, output: output ?? null }
}

/** The turns of the root, or else of the first model call, if that was asked the same: an agent gets the history from elsewhere. */
async function conversationOf(q: Queries, workspaceId: string, root: Root, input: string | null) {
  const { id: traceDbId, firstLlmSpanId: spanId } = root
  const own = earlierTurnsIn(root.input ?? '')
  if (own !== null || spanId === null || spanId === root.rootSpanId) return own
  const call = await findSpanTexts(q, { workspaceId, traceDbId, spanId, bytesMax: CONVERSATION_BYTES_MAX })
  return questionOfCall(call?.input ?? '') === input ? earlierTurnsIn(call?.input ?? '') : null
}
