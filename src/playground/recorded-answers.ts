/** The answers that tools have given in the trace of an item, by the name and the arguments of their calls. */
import { isSameJson } from '../evaluators/json/compare-json.ts'
import { readArguments } from '../evaluators/json/match-steps.ts'
import { TooMuchWork, workBudget } from '../evaluators/work-budget.ts'
import type { ToolCall } from '../llm/chat.ts'
import type { Queries } from '../storage/db.ts'
import { messagesOfTexts } from '../traces/semconv/messages/map-messages.ts'
import type { MessagePart } from '../traces/storing/mapped-span.ts'
import { findTrace } from '../traces/trace-queries.ts'
import { listLastModelInputs, listToolCalls } from './playground-queries.ts'

const TOOL_CALLS = { limit: 200, bytesMax: 65_536 }
const MODEL_CALLS = { limit: 2, bytesMax: 524_288 }

type RecordedCall = { name: string; arguments: unknown; answer: string }

export type RecordedAnswers = {
  /** Equal calls get their answers in the order in which they were given, and then the last one. Undefined if there is none. */
  find(call: ToolCall): string | undefined
}

export const NO_ANSWERS: RecordedAnswers = { find: () => undefined }

/** From the spans of tools; without them, from the results in the messages of models. */
export async function readRecordedAnswers(
  q: Queries,
  { workspaceId, traceRef }: { workspaceId: string; traceRef: string | null },
): Promise<RecordedAnswers> {
  const trace = traceRef === null ? undefined : await findTrace(q, workspaceId, traceRef)
  if (!trace) return NO_ANSWERS
  const ofTrace = { workspaceId, traceDbId: trace.id }
  const spans = await listToolCalls(q, ofTrace, TOOL_CALLS)
  const fromSpans = spans.flatMap(({ name, input, output }) =>
    output === null ? [] : { name, arguments: input ?? '{}', answer: output },
  )
  if (fromSpans.length > 0) return recordedAnswers(fromSpans)
  const inputs = await listLastModelInputs(q, ofTrace, MODEL_CALLS)
  for (const { input } of inputs) {
    const calls = callsIn(input)
    if (calls.length > 0) return recordedAnswers(calls)
  }
  return NO_ANSWERS
}

function callsIn(input: string | null): RecordedCall[] {
  if (input === null) return []
  const parts = messagesOfTexts({ text: input, key: null }, null)?.input.flatMap((message) => message.parts) ?? []
  const results = new Map<string, Extract<MessagePart, { type: 'tool_result' }>>()
  for (const part of parts)
    if (part.type === 'tool_result' && part.id !== null && !results.has(part.id)) results.set(part.id, part)
  return parts.flatMap((part) => {
    if (part.type !== 'tool_call') return []
    const result = part.id === null ? undefined : results.get(part.id)
    return result ? { name: part.name, arguments: part.arguments, answer: answerOf(result) } : []
  })
}

function answerOf({ result }: Extract<MessagePart, { type: 'tool_result' }>): string {
  return typeof result === 'string' ? result : JSON.stringify(result)
}

function recordedAnswers(calls: readonly RecordedCall[]): RecordedAnswers {
  const used = new Set<RecordedCall>()
  return {
    find(call) {
      const equal = calls.filter((recorded) => recorded.name === call.name && isSameCall(recorded, call))
      const next = equal.find((recorded) => !used.has(recorded)) ?? equal.at(-1)
      if (next) used.add(next)
      return next?.answer
    },
  }
}

function isSameCall(recorded: RecordedCall, { arguments: asked }: ToolCall): boolean {
  const budget = workBudget()
  try {
    // A call without arguments equals one with an empty object.
    const read = (value: unknown) => readArguments(value, budget) ?? {}
    return isSameJson(read(recorded.arguments), read(asked), { budget })
  } catch (error) {
    if (error instanceof TooMuchWork) return false
    throw error
  }
}
