/**
 * What a trace was asked and what it answered: its root's input and output. Where the root tells neither, the first thing that a
 * person said in the first call of a model, and the last thing that a model answered in the last one.
 */
import type { Queries } from '../storage/db.ts'
import type { Message } from './mapped-span.ts'
import { mapMessages } from './mapping/map-messages.ts'
import { storedSpan, UNKNOWN_ORIGIN } from './stored-span.ts'
import { listSpans, type SpanRow } from './trace-queries.ts'

type Pointers = {
  id: string
  rootSpanId: string | null
  firstLlmSpanId: string | null
  lastLlmSpanId: string | null
}

export async function traceContent(
  q: Queries,
  workspaceId: string,
  { id: traceDbId, rootSpanId, firstLlmSpanId, lastLlmSpanId }: Pointers,
): Promise<{ input: string | null; output: string | null; root: SpanRow | undefined }> {
  const wanted = [rootSpanId, firstLlmSpanId, lastLlmSpanId].filter((spanId) => spanId !== null)
  const rows = new Map((await listSpans(q, { workspaceId, traceDbId }, wanted)).map((row) => [row.spanId, row]))
  const root = rows.get(rootSpanId ?? '')
  const first = rows.get(firstLlmSpanId ?? '')
  const last = rows.get(lastLlmSpanId ?? '')
  return {
    input: root?.input ?? (first ? firstUserText(first) : null),
    output: root?.output ?? (last ? lastAssistantText(last) : null),
    root,
  }
}

function firstUserText(row: SpanRow): string | null {
  const message = messagesOf(row)?.input.find(({ role }) => role === 'user')
  return (message && textOf(message)) ?? row.input
}

function lastAssistantText(row: SpanRow): string | null {
  const message = messagesOf(row)?.output.at(-1)
  return (message && textOf(message)) ?? row.output
}

function messagesOf(row: SpanRow) {
  return mapMessages(storedSpan(row, UNKNOWN_ORIGIN))
}

/** Undefined if there is more to the message than text: then the whole of it is shown. */
function textOf({ parts }: Message): string | undefined {
  const texts = parts.filter((part) => part.type === 'text').map(({ text }) => text)
  const isOnlyText = parts.every(({ type }) => type === 'text' || type === 'reasoning')
  return isOnlyText && texts.length > 0 ? texts.join('\n') : undefined
}
