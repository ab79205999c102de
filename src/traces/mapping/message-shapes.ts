import type { Message, MessagePart } from '../mapped-span.ts'
import { isJsonObject, type JsonObject } from './guarded-json.ts'
import { type JsonCursor, readFrom } from './json-cursor.ts'
import { asPart, asPartList, asParts, asToolCall, asToolResult } from './message-parts.ts'

/** Messages in any of the shapes that are in use. What is no message becomes a part of one, in the given role. */
export function asMessages(value: unknown, role: string): Message[] {
  if (Array.isArray(value)) return asMessageList(value, role)
  if (value === '' || value === null) return []
  if (!isJsonObject(value)) return [{ role, parts: [asPart(value)] }]
  if (isMessage(value)) return [asMessage(value)]
  return asConversation(value, role) ?? asChoices(value) ?? [{ role, parts: [asPart(value)] }]
}

function asMessageList(list: unknown[], role: string): Message[] {
  if (list.length === 0) return []
  if (!hasMessage(list)) return [{ role, parts: asPartList(list) }]
  return list.flatMap((entry) => asMessages(entry, role))
}

/** Also further down: LangChain has a list of conversations. */
function hasMessage(list: unknown[]): boolean {
  return list.some((entry) => isMessage(entry) || (Array.isArray(entry) && hasMessage(entry)))
}

/** The body of a request: messages, and what is said beside them. */
function asConversation(value: JsonObject, role: string): Message[] | undefined {
  const cursor = readFrom(value)
  const messages = cursor.any('messages', 'contents') ?? []
  const prompt = cursor.any('prompt') ?? ''
  if (!Array.isArray(messages)) return undefined
  if (messages.length === 0 && (typeof prompt !== 'string' || prompt === '')) return undefined
  const system = cursor.any('system', 'instructions', 'systemInstruction', 'system_instruction') ?? ''
  const said = [...asMessages(system, 'system'), ...asMessages(prompt, 'user'), ...asMessageList(messages, role)]
  return withExtra(said, cursor)
}

/** The body of an answer of OpenAI, and of all who answer like it. */
function asChoices(value: JsonObject): Message[] | undefined {
  const cursor = readFrom(value)
  const choices = cursor.any('choices')
  if (!Array.isArray(choices) || choices.length === 0 || !choices.every(isJsonObject)) return undefined
  const messages = choices.flatMap((choice) => {
    const choiceCursor = readFrom(choice)
    return withExtra(asMessages(choiceCursor.any('message', 'delta', 'text') ?? '', 'assistant'), choiceCursor)
  })
  return withExtra(messages, cursor)
}

/** Who a message is from, where it says so by its type as those of LangChain do. */
const ROLES_BY_TYPE: ReadonlyMap<unknown, string> = new Map([
  ['human', 'user'],
  ['ai', 'assistant'],
  ['system', 'system'],
  ['developer', 'developer'],
  ['user', 'user'],
  ['assistant', 'assistant'],
  ['tool', 'tool'],
])

const CONTENT_NAMES = ['content', 'parts', 'contents']

function isMessage(value: unknown): value is JsonObject {
  return isJsonObject(value) && (hasRole(value) || (ROLES_BY_TYPE.has(value.type) && hasContent(value)))
}

function hasRole({ role }: JsonObject): boolean {
  return typeof role === 'string' && role !== ''
}

function hasContent(value: JsonObject): boolean {
  return CONTENT_NAMES.some((name) => name in value)
}

function asMessage(value: JsonObject): Message {
  const role = hasRole(value) ? String(value.role) : (ROLES_BY_TYPE.get(value.type) ?? 'user')
  const known = [...(hasRole(value) ? ['role'] : ['type']), ...(value.type === 'message' ? ['type'] : [])]
  const toolResult = asToolMessage(value, role, known)
  if (toolResult) return { role, parts: [toolResult] }
  const cursor = readFrom(value, known)
  const reasoning = cursor.text('reasoning_content', 'reasoning', 'thinking')
  const parts: MessagePart[] = reasoning === undefined ? [] : [{ type: 'reasoning', text: reasoning }]
  for (const name of CONTENT_NAMES) {
    const content = cursor.any(name)
    if (content !== undefined) parts.push(...asParts(content))
  }
  const text = cursor.text('text')
  if (text !== undefined) parts.push({ type: 'text', text })
  parts.push(...toolCallsOf(cursor))
  return { role, parts, ...cursor.rest() }
}

/** A message that is nothing but the answer of a tool. */
function asToolMessage(message: JsonObject, role: string, known: string[]): MessagePart | undefined {
  if (role !== 'tool' && role !== 'function') return undefined
  const isTyped = Array.isArray(message.content) && message.content.some((part) => isJsonObject(part) && 'type' in part)
  if (message.content === undefined || (isTyped && message.tool_call_id === undefined)) return undefined
  return asToolResult(message, known)
}

function toolCallsOf(cursor: JsonCursor): MessagePart[] {
  const calls = cursor.any('tool_calls', 'toolCalls')
  const call = cursor.any('function_call')
  return [...(Array.isArray(calls) ? calls : [calls]), call].flatMap((entry) => {
    if (entry === undefined) return []
    const part = asPart(entry)
    return [part.type === 'json' && isJsonObject(entry) ? (asToolCall(entry) ?? part) : part]
  })
}

/** What was said beside the messages is kept with the first of them, or before it when it has the same names already. */
function withExtra(messages: Message[], cursor: JsonCursor): Message[] {
  const { extra } = cursor.rest()
  if (extra === undefined) return messages
  const [first, ...others] = messages
  const beside: Message = { role: 'assistant', parts: [{ type: 'json', value: extra }] }
  if (first === undefined) return [beside]
  if (Object.keys(extra).some((name) => Object.hasOwn(first.extra ?? {}, name))) return [beside, ...messages]
  return [{ ...first, extra: { ...extra, ...first.extra } }, ...others]
}
