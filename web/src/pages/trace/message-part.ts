/** A part of a message. The server passes on parts of unknown form as they are, so every field is checked before it is shown. */
export type MessagePart =
  | { type: 'text'; text: string }
  | { type: 'reasoning'; text: string }
  | { type: 'tool_call'; id: string | null; name: string; arguments: unknown }
  | { type: 'tool_result'; id: string | null; name: string | null; result: unknown }
  | { type: 'media'; mediaType: string | null; url: string | null; size: number | null }
  | { type: 'json'; value: unknown }

export function readPart(part: Record<string, unknown>): MessagePart {
  const { type, text, id, name, result, value } = part
  if ((type === 'text' || type === 'reasoning') && typeof text === 'string') return { type, text }
  if (type === 'tool_call' && typeof name === 'string') {
    return { type, id: readText(id), name, arguments: part['arguments'] }
  }
  if (type === 'tool_result') return { type, id: readText(id), name: readText(name), result }
  if (type === 'media') {
    const data = readText(part['data'])
    return {
      type,
      mediaType: readText(part['mediaType']),
      url: readText(part['url']),
      size: data === null ? null : data.length,
    }
  }
  return { type: 'json', value: type === 'json' ? value : part }
}

function readText(value: unknown): string | null {
  return typeof value === 'string' ? value : null
}
