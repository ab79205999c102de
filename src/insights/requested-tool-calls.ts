import { messagesOfTexts } from '../traces/semconv/map-messages.ts'

export type RequestedToolCall = { id: string | null; name: string; arguments: unknown }

/** All shapes of a call have one of these words in their keys; an answer without them need not be read. */
const MAY_CONTAIN_CALL = /tool|function/i

/** The tools that the answer of a model wants to be called. */
export function requestedToolCalls(output: string | null, key: string | null): RequestedToolCall[] {
  if (output === null || !MAY_CONTAIN_CALL.test(output)) return []
  const conversation = messagesOfTexts(null, { text: output, key })
  return (conversation?.output ?? []).flatMap(({ parts }) =>
    parts.flatMap((part) => {
      if (part.type !== 'tool_call') return []
      return [{ id: part.id, name: part.name, arguments: part.arguments }]
    }),
  )
}

/** Lets a call through once: the same answer may be told by several spans, and then has the same id. */
export function createCallFilter(): (call: RequestedToolCall) => boolean {
  const seen = new Set<string>()
  return ({ id }) => {
    if (id === null) return true
    if (seen.has(id)) return false
    seen.add(id)
    return true
  }
}
