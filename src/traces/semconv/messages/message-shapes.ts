/** A message in any of the formats that providers and frameworks use. */
import type { Message, MessagePart } from '../../storing/mapped-span.ts'
import { isJsonObject, type JsonObject, parseGuarded } from '../json/guarded-json.ts'
import { type JsonCursor, readFrom } from '../json/json-cursor.ts'
import { messageOfPython } from '../json/python-text.ts'
import { asPart, asParts, asToolCall, asToolResult } from './message-parts.ts'

/** Undefined if the value is not a message. */
export function asMessage(value: unknown): Message | undefined {
  if (typeof value === 'string') return messageOfPython(value)
  if (isPair(value)) return { role: ROLES_BY_TYPE.get(value[0]) ?? value[0], parts: asParts(value[1]) }
  if (!isJsonObject(value)) return undefined
  const message = withoutConstructor(value)
  if (isItem(message)) return { role: ROLES_BY_ITEM.get(message.type) ?? 'assistant', parts: [asPart(message)] }
  const role = roleOf(message)
  return role === undefined ? undefined : readMessage(message, role)
}

export function isMessage(value: unknown): boolean {
  if (typeof value === 'string') return messageOfPython(value) !== undefined
  if (isPair(value)) return true
  if (!isJsonObject(value)) return false
  const message = withoutConstructor(value)
  return isItem(message) || roleOf(message) !== undefined
}

/** LangChain accepts a role and a text as a message: `["human", "Hi?"]`. */
function isPair(value: unknown): value is [role: string, text: string] {
  return Array.isArray(value) && value.length === 2 && ROLES_BY_TYPE.has(value[0]) && typeof value[1] === 'string'
}

/** Other names of providers and frameworks for two of the roles. */
const ROLES: ReadonlyMap<unknown, string> = new Map([
  ['human', 'user'],
  ['ai', 'assistant'],
  ['model', 'assistant'],
  ['chatbot', 'assistant'],
  ['AIMessageChunk', 'assistant'],
])

/** The roles of messages that define them by type, such as those of LangChain. */
const ROLES_BY_TYPE: ReadonlyMap<unknown, string> = new Map([
  ['human', 'user'],
  ['ai', 'assistant'],
  ['AIMessageChunk', 'assistant'],
  ['system', 'system'],
  ['developer', 'developer'],
  ['user', 'user'],
  ['assistant', 'assistant'],
  ['tool', 'tool'],
])

/** The Responses API lists calls and their results between the messages. */
const ROLES_BY_ITEM: ReadonlyMap<unknown, string> = new Map([
  ['function_call', 'assistant'],
  ['custom_tool_call', 'assistant'],
  ['reasoning', 'assistant'],
  ['function_call_output', 'tool'],
  ['custom_tool_call_output', 'tool'],
])

const CONTENT_NAMES = ['content', 'parts', 'contents', 'blocks']

function isItem(value: JsonObject): boolean {
  return value.role === undefined && ROLES_BY_ITEM.has(value.type)
}

function roleOf(value: JsonObject): string | undefined {
  if (typeof value.role === 'string' && value.role !== '') return ROLES.get(value.role.toLowerCase()) ?? value.role
  const byType = ROLES_BY_TYPE.get(value.type)
  if (byType !== undefined && CONTENT_NAMES.some((name) => name in value)) return byType
  if (isAutoGenMessage(value)) return value.source === 'user' ? 'user' : 'assistant'
  // Only a model calls tools. The result of an agent has its message next to its calls.
  const isCall = isFilled(value.tool_calls) || isFilled(value.toolCalls) || isFilled(value.function_call)
  return isCall && !isJsonObject(value.response) ? 'assistant' : undefined
}

/** AutoGen names the sender: the user, or one of the agents. */
function isAutoGenMessage({ source, type, content }: JsonObject): boolean {
  return typeof source === 'string' && typeof type === 'string' && content !== undefined && AUTOGEN_TYPE.test(type)
}

const AUTOGEN_TYPE = /^[A-Z]\w*(?:Message|Event)\b/

function isFilled(value: unknown): boolean {
  return Array.isArray(value) ? value.length > 0 && value.every(isJsonObject) : isJsonObject(value)
}

/** Unwraps a LangChain message: `{"lc": 1, "id": [… "HumanMessage"], "kwargs": {…}}` or `{"type": "human", "data": {…}}`. */
function withoutConstructor(value: JsonObject): JsonObject {
  if (value.lc === 1 && isJsonObject(value.kwargs)) return withTypeOfClass(value.kwargs, value.id)
  if (ROLES_BY_TYPE.has(value.type) && isJsonObject(value.data)) return { type: value.type, ...value.data }
  return value
}

const CLASS_TYPES: ReadonlyMap<unknown, string> = new Map([
  ['HumanMessage', 'human'],
  ['HumanMessageChunk', 'human'],
  ['AIMessage', 'ai'],
  ['AIMessageChunk', 'ai'],
  ['SystemMessage', 'system'],
  ['SystemMessageChunk', 'system'],
  ['ToolMessage', 'tool'],
  ['ToolMessageChunk', 'tool'],
])

function withTypeOfClass(fields: JsonObject, id: unknown): JsonObject {
  const type = CLASS_TYPES.get(Array.isArray(id) ? id.at(-1) : undefined)
  return type === undefined ? fields : { ...fields, type }
}

function readMessage(value: JsonObject, role: string): Message {
  const known = knownNames(value, role)
  const toolResult = asToolMessage(value, role, known)
  if (toolResult) return { role, parts: [toolResult] }
  const results = functionResults(value, role)
  if (results) return { role, parts: results, ...readFrom(value, [...known, 'function']).rest() }
  const cursor = readFrom(value, known)
  const reasoning = cursor.text('reasoning_content', 'reasoning', 'thinking')
  const parts: MessagePart[] = reasoning === undefined ? [] : [{ type: 'reasoning', text: reasoning }]
  for (const name of CONTENT_NAMES) addNew(parts, asParts(cursor.any(name) ?? ''))
  const text = cursor.text('text')
  if (text !== undefined) addNew(parts, [{ type: 'text', text }])
  addNew(parts, toolCallsOf(cursor))
  return { role, parts, ...cursor.rest() }
}

/** The properties that contain only the role. */
function knownNames({ role, type }: JsonObject, read: string): string[] {
  const isTypeOfRole = type === 'message' || ROLES_BY_TYPE.get(type) === read
  const known: string[] = []
  if (typeof role === 'string') known.push('role')
  if (isTypeOfRole) known.push('type')
  return known
}

/** OpenInference sends the content as `content` and again as a list of `contents`, with calls in both. */
function addNew(parts: MessagePart[], further: readonly MessagePart[]): void {
  // Most messages have one content, so that there is nothing to compare.
  if (parts.length === 0 || further.length === 0) {
    for (const part of further) parts.push(part)
    return
  }
  const before = [...parts]
  const said = textsOf(before).join('\n')
  const isRepeated = said !== '' && textsOf(further).join('\n') === said
  for (const part of further) {
    if (part.type === 'text' && (isRepeated || (part.text !== '' && textsOf(before).includes(part.text)))) continue
    if (part.type === 'tool_call' && before.some((other) => isSameCall(other, part))) continue
    parts.push(part)
  }
}

function textsOf(parts: readonly MessagePart[]): string[] {
  return parts.flatMap((part) => (part.type === 'text' ? [part.text] : []))
}

function isSameCall(part: MessagePart, call: MessagePart & { type: 'tool_call' }): boolean {
  if (part.type !== 'tool_call' || part.name !== call.name) return false
  if (part.id !== null && call.id !== null) return part.id === call.id
  return JSON.stringify(part.arguments) === JSON.stringify(call.arguments)
}

/** A message that contains only a tool result. */
function asToolMessage(message: JsonObject, role: string, known: string[]): MessagePart | undefined {
  if (role !== 'tool' && role !== 'function') return undefined
  const isTyped = Array.isArray(message.content) && message.content.some((part) => isJsonObject(part) && 'type' in part)
  if (message.content === undefined || (isTyped && message.tool_call_id === undefined)) return undefined
  const parts = asParts(message.content)
  // Some senders put the parts of the message into a text.
  if (parts.length > 0 && parts.every(({ type }) => type === 'tool_result'))
    return parts.length === 1 ? parts[0] : undefined
  return asToolResult(message, known)
}

/** AutoGen lists the results of its tools, each as JSON in a text. */
function functionResults({ function: results }: JsonObject, role: string): MessagePart[] | undefined {
  if (role !== 'function' || !Array.isArray(results)) return undefined
  const parts = results.flatMap((result) => {
    const parsed = typeof result === 'string' ? parseGuarded(result) : result
    return (isJsonObject(parsed) ? asToolResult(parsed) : undefined) ?? []
  })
  return parts.length > 0 && parts.length === results.length ? parts : undefined
}

function toolCallsOf(cursor: JsonCursor): MessagePart[] {
  const calls = cursor.any('tool_calls', 'toolCalls')
  const call = cursor.any('function_call')
  if (calls === undefined && call === undefined) return []
  return [...(Array.isArray(calls) ? calls : [calls]), call].flatMap((entry) => {
    if (entry === undefined) return []
    const part = asPart(entry)
    return [part.type === 'json' && isJsonObject(entry) ? (asToolCall(entry) ?? part) : part]
  })
}
