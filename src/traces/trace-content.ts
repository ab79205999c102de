/**
 * The one place that decides what a trace was asked and what it answered. Lists, items, evaluators and people all see this.
 *
 * The root says it: its own input and output, as a person would say them. Where it says nothing, the first thing that a person said in
 * the first call of a model, and the last thing that a model answered in the last one. A trace whose root belongs to another system
 * has no root here; its topmost span then speaks for it.
 */
import type { Queries } from '../storage/db.ts'
import { answerIn, firstQuestionIn, lastAnswerIn, questionIn, type Said } from './semconv/question-and-answer.ts'
import { findTopmostSpanId, listSpans, type SpanRow } from './trace-queries.ts'

type Pointers = {
  id: string
  rootSpanId: string | null
  firstLlmSpanId: string | null
  lastLlmSpanId: string | null
}

/** What a span says of itself; null where it says nothing. */
export type SpanTexts = { kind: string | null; input: string | null; output: string | null }

/** `top` is the root, or the topmost span while there is none. */
export async function traceContent(
  q: Queries,
  workspaceId: string,
  { id: traceDbId, rootSpanId, firstLlmSpanId, lastLlmSpanId }: Pointers,
): Promise<Pick<SpanTexts, 'input' | 'output'> & { top: SpanRow | undefined }> {
  const inTrace = { workspaceId, traceDbId }
  const topSpanId = rootSpanId ?? (await findTopmostSpanId(q, inTrace))
  const wanted = [topSpanId, firstLlmSpanId, lastLlmSpanId].filter((spanId) => spanId !== null)
  const rows = new Map((await listSpans(q, inTrace, wanted)).map((row) => [row.spanId, row]))
  const top = rows.get(topSpanId ?? '')
  return {
    input: questionOf(top ?? NOTHING, rows.get(firstLlmSpanId ?? '')),
    output: answerOf(top ?? NOTHING, rows.get(lastLlmSpanId ?? '')),
    top,
  }
}

const NOTHING: SpanTexts = { kind: null, input: null, output: null }

/** What the topmost span says by itself; undefined where calls of models have to be asked. */
export function ownContent(span: SpanTexts): { input: string | undefined; output: string | undefined } {
  return { input: textOf(ownQuestion(span)), output: textOf(answerIn(span.output ?? '')) }
}

function ownQuestion({ kind, input }: SpanTexts): Said {
  return questionIn(input ?? '', kind ?? undefined)
}

function questionOf(top: SpanTexts, firstLlm: SpanTexts | undefined): string | null {
  const said = ownQuestion(top)
  const asked = textOf(said) ?? firstQuestionIn(firstLlm?.input ?? '')
  return asked ?? (said === 'unreadable' ? top.input : null)
}

function answerOf({ output }: SpanTexts, lastLlm: SpanTexts | undefined): string | null {
  const said = answerIn(output ?? '')
  const answered = textOf(said) ?? lastAnswerIn(lastLlm?.output ?? '')
  return answered ?? (said === 'unreadable' ? output : null)
}

function textOf(said: Said): string | undefined {
  return typeof said === 'string' ? undefined : said.text
}
