import type { Message } from '../../api/generated/api.ts'
import { readPart } from '../trace/message-part.ts'

/** A message as one text, so that two of them can be compared word by word. */
export function messageText({ parts }: Message): string {
  return parts.map((part) => partText(part)).join('\n\n')
}

function partText(value: Record<string, unknown>): string {
  const part = readPart(value)
  switch (part.type) {
    case 'text':
      return readableText(part.text)
    case 'reasoning':
      return `Reasoning: ${part.text}`
    case 'tool_call':
      return `Call of ${part.name}: ${valueText(part.arguments)}`
    case 'tool_result':
      return `Result${part.name === null ? '' : ` of ${part.name}`}: ${valueText(part.result)}`
    case 'media':
      return `[${part.mediaType ?? 'file'}]`
    case 'json':
      return valueText(part.value)
  }
}

/** JSON with one field per line, also if it was sent as text. Other text stays as it is. */
export function readableText(text: string): string {
  if (!/^\s*[[{]/.test(text)) return text
  try {
    return JSON.stringify(JSON.parse(text), null, 2)
  } catch {
    return text
  }
}

function valueText(value: unknown): string {
  if (typeof value === 'string') return readableText(value)
  return value === undefined ? '' : JSON.stringify(value, null, 2)
}
