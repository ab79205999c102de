/**
 * Defines the question and the answer of a trace. Lists, items, evaluators and users all see this content.
 *
 * The input and output of the root come first, as text that a person would read. If the root has none, the question is the last user
 * message of the first model call, and the answer is the last output of the last one. A trace whose root belongs to another system has no
 * root here; its topmost span is used instead.
 */
import type { Queries } from '../storage/db.ts'
import {
  answerIn,
  lastAnswerIn,
  questionIn,
  questionOfCall,
  type Said,
} from './semconv/messages/question-and-answer.ts'
import { findTopmostSpanId, listSpans, type SpanRow } from './trace-queries.ts'

type Pointers = {
  id: string
  rootSpanId: string | null
  firstLlmSpanId: string | null
  lastLlmSpanId: string | null
}

/** The content of a span; null where it has none. */
export type SpanTexts = { kind: string | null; input: string | null; output: string | null }

/** `top` is the root, or the topmost span while there is no root. */
export type TraceTexts = Pick<SpanTexts, 'input' | 'output'> & { top: SpanRow | undefined }

/** `ownOfRoot` is the content of the root, if the caller has read it. */
export async function readTraceContent(
  q: Queries,
  workspaceId: string,
  pointers: Pointers,
  ownOfRoot?: OwnContent,
): Promise<TraceTexts> {
  const inTrace = { workspaceId, traceDbId: pointers.id }
  const topSpanId = pointers.rootSpanId ?? (await findTopmostSpanId(q, inTrace))
  const wanted = [topSpanId, pointers.firstLlmSpanId, pointers.lastLlmSpanId].filter((spanId) => spanId !== null)
  return contentIn(await listSpans(q, inTrace, wanted), { ...pointers, topSpanId }, ownOfRoot)
}

/** The same from all spans of the trace. */
export async function traceContent(
  q: Queries,
  workspaceId: string,
  pointers: Pointers,
  spans: readonly SpanRow[],
): Promise<TraceTexts> {
  const topSpanId = pointers.rootSpanId ?? (await findTopmostSpanId(q, { workspaceId, traceDbId: pointers.id }))
  return contentIn(spans, { ...pointers, topSpanId })
}

function contentIn(
  spans: readonly SpanRow[],
  { topSpanId, rootSpanId, firstLlmSpanId, lastLlmSpanId }: Pointers & { topSpanId: string | null },
  ownOfRoot?: OwnContent,
): TraceTexts {
  const find = (wanted: string | null) => spans.find(({ spanId }) => spanId === wanted)
  const top = find(topSpanId)
  const own = (rootSpanId === null ? undefined : ownOfRoot) ?? ownContent(top ?? NOTHING)
  const texts = combineContent(own, { top, first: find(firstLlmSpanId), last: find(lastLlmSpanId) })
  return { ...texts, top }
}

const NOTHING: SpanTexts = { kind: null, input: null, output: null }

type KeySpans = { top?: SpanTexts | undefined; first?: SpanTexts | undefined; last?: SpanTexts | undefined }

/** The content of a trace: that of its top span, or else of its first and its last model call. */
export function combineContent(
  own: OwnContent,
  { top, first, last }: KeySpans,
): { input: string | null; output: string | null } {
  const input = questionOf(own.input, first)
  const output = textOf(own.output) ?? lastAnswerIn(last?.output ?? '')
  return {
    input: input ?? (own.input === 'unreadable' ? (top?.input ?? null) : null),
    output: output ?? (own.output === 'unreadable' ? (top?.output ?? null) : null),
  }
}

/**
 * An agent may list all messages of its run, and a prompt to try again looks like a question of the user. The first model call was sent
 * before it.
 */
function questionOf(own: Said, first: SpanTexts | undefined): string | null {
  const text = textOf(own)
  if (text !== undefined && isSettled(own)) return text
  const asked = questionOfCall(first?.input ?? '')
  if (text === undefined) return asked
  return asked !== null && typeof own === 'object' && own.asked?.includes(asked) ? asked : text
}

/** Whether no other span has to be read: there is content, and only one of its messages can be the question. */
export function isSettled(said: Said): boolean {
  return typeof said === 'object' && said.asked === undefined
}

/** The content of a span alone, parsed once. */
export type OwnContent = { input: Said; output: Said }

export function ownContent({ kind, input, output }: SpanTexts): OwnContent {
  return { input: questionIn(input ?? '', kind ?? undefined), output: answerIn(output ?? '', kind ?? undefined) }
}

/** Undefined if model calls have to be read. */
export function textOf(said: Said): string | undefined {
  return typeof said === 'string' ? undefined : said.text
}

/** Strings as they are, any other value as JSON text. Null and undefined have no content. */
export function contentText(value: unknown): string | null {
  if (value === undefined || value === null) return null
  return typeof value === 'string' ? value : JSON.stringify(value)
}
