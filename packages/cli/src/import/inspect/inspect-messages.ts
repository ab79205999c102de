import { type Fields, fieldsOf, isFields, listOf, present } from '../source-values.ts'

/** The input of a sample: a text, or messages. One message of the user is its text. */
export function messageInput(input: unknown): unknown {
  if (!Array.isArray(input)) return input
  const [only, ...others] = input.map(fieldsOf)
  if (only && others.length === 0 && only['role'] === 'user' && typeof only['content'] === 'string') {
    return only['content']
  }
  return { messages: messagesOf(input) }
}

/** Chat messages as providers have them: Inspect writes ids, sources and its own form of tool calls. */
export function messagesOf(messages: unknown): Fields[] {
  return listOf(messages).filter(isFields).map(messageOf)
}

export function messageOf(message: Fields): Fields {
  const { role, content, tool_call_id, function: name } = message
  const calls = listOf(message['tool_calls'])
    .filter(isFields)
    .map((call) => ({
      id: call['id'],
      type: 'function',
      function: { name: call['function'], arguments: JSON.stringify(call['arguments'] ?? {}) },
    }))
  return present({ role, content, tool_call_id, name, tool_calls: calls.length > 0 ? calls : undefined })
}

/** Puts texts that are stored once, as attachments, back in their place. */
export function withAttachments(value: unknown, attachments: Fields): unknown {
  if (typeof value === 'string') {
    const [, id] = /^attachment:\/\/(\w+)$/.exec(value) ?? []
    return id === undefined ? value : (attachments[id] ?? value)
  }
  if (Array.isArray(value)) return value.map((one) => withAttachments(one, attachments))
  if (!isFields(value)) return value
  return Object.fromEntries(Object.entries(value).map(([key, one]) => [key, withAttachments(one, attachments)]))
}
