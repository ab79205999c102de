import type { MessagePart } from '../../storing/mapped-span.ts'
import { isJsonObject, type JsonObject, parseGuarded } from '../json/guarded-json.ts'
import { readFrom, unwrap } from '../json/json-cursor.ts'
import { asMedia, asMediaOfType, MEDIA_TYPES, MEDIA_WRAPPERS } from './media-part.ts'

/** A message part in any known format; otherwise as JSON. */
export function asPart(value: unknown): MessagePart {
  if (typeof value === 'string') return { type: 'text', text: value }
  return (isJsonObject(value) ? understand(value) : undefined) ?? { type: 'json', value }
}

/** The parts of a content: a text, a list of parts, one part, or a list of parts that was sent as text. */
export function asParts(content: unknown): MessagePart[] {
  if (content === '') return []
  if (Array.isArray(content)) return asPartList(content)
  if (typeof content === 'string') return asPartsOfText(content) ?? [asPart(content)]
  return [asPart(content)]
}

/** A list without any recognized part is shown as the list. */
export function asPartList(list: unknown[]): MessagePart[] {
  const parts = list.map(asPart)
  return parts.length > 0 && parts.every(({ type }) => type === 'json') ? [{ type: 'json', value: list }] : parts
}

function asPartsOfText(text: string): MessagePart[] | undefined {
  if (!text.startsWith('[{')) return undefined
  const parsed = parseGuarded(text)
  if (!Array.isArray(parsed)) return undefined
  // A user may have written JSON. It is a list of parts only if every entry is a part.
  const parts = parsed.map(asPart)
  return parts.every(({ type }) => type !== 'json') ? parts : undefined
}

function understand(value: JsonObject): MessagePart | undefined {
  if (typeof value.type !== 'string') return understandUntyped(value)
  const type = PART_TYPES.has(value.type) ? value.type : value.type.toLowerCase().replaceAll('-', '_')
  const kind = PART_TYPES.get(type)
  if (kind !== undefined) return kind(value, ['type'])
  return MEDIA_TYPES.has(type) ? asMediaOfType(withoutType(value), type) : undefined
}

const PART_TYPES: ReadonlyMap<string, (part: JsonObject, known: readonly string[]) => MessagePart | undefined> =
  new Map([
    ...['text', 'input_text', 'output_text', 'summary_text', 'refusal'].map((type) => [type, asText] as const),
    ...['reasoning', 'thinking'].map((type) => [type, asReasoning] as const),
    ...[
      'tool_call',
      'tool_use',
      'server_tool_use',
      'mcp_tool_use',
      'function',
      'function_call',
      'custom_tool_call',
    ].map((type) => [type, asToolCall] as const),
    ...[
      'tool_call_response',
      'tool_result',
      'tool_response',
      'function_call_output',
      'custom_tool_call_output',
      'function_response',
      'mcp_tool_result',
      'web_search_tool_result',
    ].map((type) => [type, asToolResult] as const),
  ])

/** Gemini and Bedrock identify a part by its property name. */
function understandUntyped(value: JsonObject): MessagePart | undefined {
  if (typeof value.text === 'string') return asText(value)
  // The Vercel AI SDK has lists of calls and of results, whose entries have no type.
  if (typeof value.toolCallId === 'string')
    return 'input' in value || 'args' in value ? asToolCall(value) : asToolResult(value)
  // AutoGen has lists of calls, too.
  if (typeof value.name === 'string' && typeof value.arguments === 'string') return asToolCall(value)
  for (const { wrappers, understandInner } of UNTYPED) {
    if (!wrappers.some((name) => isJsonObject(value[name]))) continue
    const inner = unwrap(value, wrappers)
    return inner && understandInner(inner)
  }
  return undefined
}

const UNTYPED = [
  { wrappers: ['functionCall', 'function_call', 'toolUse', 'tool_use'], understandInner: asToolCall },
  { wrappers: ['functionResponse', 'function_response', 'toolResult'], understandInner: asToolResult },
  { wrappers: MEDIA_WRAPPERS, understandInner: asMedia },
]

function asText(part: JsonObject, known: readonly string[] = []): MessagePart | undefined {
  const cursor = readFrom(part, known)
  const text = cursor.text('text', 'content', 'value', 'refusal') ?? cursor.any('text', 'content') ?? ''
  return typeof text === 'string' ? { type: 'text', text, ...cursor.rest() } : undefined
}

function asReasoning(part: JsonObject, known: readonly string[] = []): MessagePart | undefined {
  const cursor = readFrom(part, known)
  const text = cursor.text('content', 'text', 'thinking', 'reasoning') ?? textOfSummary(cursor.any('summary'))
  return text === undefined ? undefined : { type: 'reasoning', text, ...cursor.rest() }
}

/** OpenAI sends reasoning as a list of texts; undefined for any other value. */
function textOfSummary(summary: unknown): string | undefined {
  return Array.isArray(summary) ? textOfList(summary, '\n\n') : undefined
}

/** The ids that connect a call with its result. A plain `id` may also be the id of the message or of the part. */
const CALL_IDS = ['toolCallId', 'tool_call_id', 'tool_use_id', 'call_id', 'toolUseId', 'id']

/** Also for the entries of `tool_calls`, which often have no type. */
export function asToolCall(call: JsonObject, known: readonly string[] = []): MessagePart | undefined {
  const flat = unwrap(call, ['function'])
  if (flat === undefined) return undefined
  const cursor = readFrom(flat, known)
  const name = cursor.text('name', 'toolName', 'tool_name')
  if (name === undefined) return undefined
  const id = cursor.text(...CALL_IDS) ?? null
  const sent = cursor.any('arguments', 'args', 'input', 'parameters')
  return { type: 'tool_call', id, name, arguments: parsedOrAsIs(sent), ...cursor.rest() }
}

/** The schema of the GenAI convention has `response` where its examples have `result`; providers use other names. */
export function asToolResult(part: JsonObject, known: readonly string[] = []): MessagePart | undefined {
  const cursor = readFrom(part, known)
  const sent = cursor.any('response', 'result', 'output', 'content')
  if (sent === undefined) return undefined
  const id = cursor.text(...CALL_IDS) ?? null
  const name = cursor.text('name', 'toolName', 'tool_name') ?? null
  return { type: 'tool_result', id, name, result: parsedOrAsIs(withoutEnvelope(sent)), ...cursor.rest() }
}

/** The Vercel AI SDK marks each result as text or JSON; Bedrock and Anthropic send a list of texts. */
function withoutEnvelope(result: unknown): unknown {
  if (Array.isArray(result)) return textOfList(result) ?? result
  if (!isJsonObject(result) || Object.keys(result).length !== 2) return result
  return (result.type === 'text' || result.type === 'json') && 'value' in result ? result.value : result
}

/** Undefined if the list has any other part than text. */
function textOfList(list: readonly unknown[], separator = '\n'): string | undefined {
  const parts = list.map(asPart)
  const texts = parts.flatMap((part) => (part.type === 'text' && part.extra === undefined ? [part.text] : []))
  return texts.length > 0 && texts.length === parts.length && list.every(isJsonObject)
    ? texts.join(separator)
    : undefined
}

function parsedOrAsIs(value: unknown): unknown {
  return typeof value === 'string' ? (parseGuarded(value) ?? value) : (value ?? null)
}

function withoutType(part: JsonObject): JsonObject {
  return Object.fromEntries(Object.entries(part).filter(([name]) => name !== 'type'))
}
