import type { Message, MessagePart } from '../../storing/mapped-span.ts'

/** The readable text of a message; null if it has none. For a message with only tool calls, the calls, one per line. */
export function messageText({ parts }: Message): string | null {
  const said = parts.flatMap(saidIn).join('\n').trim()
  if (said !== '') return said
  const calls = parts.flatMap((part) => (part.type === 'tool_call' ? [callText(part)] : []))
  return calls.length > 0 ? calls.join('\n') : null
}

/** Whether the message has its own text, and not only a tool result. */
export function isSpoken({ parts }: Message): boolean {
  return parts.some((part) => saidIn(part).some((text) => text.trim() !== ''))
}

/** The tool result in a message; null if it has none. */
export function toolResultText({ parts }: Message): string | null {
  const results = parts.flatMap((part) => (part.type === 'tool_result' ? [jsonText(part.result)] : []))
  return results.length > 0 ? results.join('\n') : null
}

function saidIn(part: MessagePart): string[] {
  if (part.type === 'text') return [part.text]
  if (part.type === 'media') return [mediaText(part)]
  return part.type === 'json' ? [jsonText(part.value)] : []
}

function callText({ name, arguments: given }: MessagePart & { type: 'tool_call' }): string {
  return `${name}(${given === null ? '' : jsonText(given)})`
}

function mediaText({ mediaType, extra }: MessagePart & { type: 'media' }): string {
  const kind = mediaType?.split('/')[0]
  if (kind === 'image' || kind === 'audio' || kind === 'video') return `[${kind}]`
  const name = [extra?.filename, extra?.file_name, extra?.name, extra?.title].find((value) => typeof value === 'string')
  return name === undefined ? '[file]' : `[file ${name}]`
}

function jsonText(value: unknown): string {
  return typeof value === 'string' ? value : (JSON.stringify(value) ?? '')
}
