import { messagesOfTexts } from '../traces/semconv/messages/map-messages.ts'

export type RequestedToolCall = { id: string | null; name: string; arguments: unknown }

/** All formats of a tool call have one of these words in their keys, so an output without them is not parsed. */
const MAY_CONTAIN_CALL = /tool|function/i

/** The tool calls that the output of a model contains. */
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

/** Returns a filter that drops repeated ids: several spans may contain the same output. */
export function createCallFilter(): (call: RequestedToolCall) => boolean {
  const seen = new Set<string>()
  return ({ id }) => {
    if (id === null) return true
    if (seen.has(id)) return false
    seen.add(id)
    return true
  }
}
