/** Reads the text of an input or output down to its content: through quotes, wrappers and message formats. */
import type { Message, MessagePart } from '../../storing/mapped-span.ts'
import { isJsonObject, type JsonObject, parseGuarded } from '../json/guarded-json.ts'
import { isPythonObject, singleFieldText } from '../json/python-text.ts'
import { asMessages, conversationOf } from './conversation-shapes.ts'
import { asPart } from './message-parts.ts'
import { carriesContent, contentOfShape, hasText, type Side, unwrapContent } from './unwrap-content.ts'

/** The maximum nesting of wrappers. Deeper values are data. */
const DEPTH_MAX = 8

export type Content =
  | { form: 'messages'; messages: Message[] }
  /** `value` is the text, or its value parsed as JSON. */
  | { form: 'text'; text: string; value: unknown }
  | { form: 'nothing' }
  /** Only Python representations of objects. */
  | { form: 'objects'; text: string }

const NOTHING: Content = { form: 'nothing' }
const ROLES = { input: 'user', output: 'assistant' } as const

/** `said`: the content without additional data. `all`: everything that was sent, so a wrapper with more than its content stays. */
type Wanted = 'said' | 'all'

export function readContent(text: string, side: Side): Content {
  return ofText(text, { side, wanted: 'said', depthLeft: DEPTH_MAX })
}

/** The whole text as messages. Text without a role gets the default role of its side. */
export function messagesIn(text: string, side: Side): Message[] {
  const content = ofText(text, { side, wanted: 'all', depthLeft: DEPTH_MAX })
  if (content.form === 'messages') return content.messages
  return asMessages(content.form === 'text' ? content.value : text, ROLES[side])
}

type Reading = { side: Side; wanted: Wanted; depthLeft: number }

function ofText(text: string, reading: Reading): Content {
  const { side, wanted, depthLeft } = reading
  const value = parseGuarded(text) ?? quotedText(text)
  const isShown = value !== undefined && (wanted === 'said' || value !== '')
  if (isShown && depthLeft > 0) return ofValue(value, text, reading)
  const message = conversationOf(text, ROLES[side])
  if (message !== undefined) return { form: 'messages', messages: message }
  if (wanted === 'all') return { form: 'text', text, value: text }
  if (text.trim() === '') return NOTHING
  const field = singleFieldText(text)
  if (field !== undefined) return { form: 'text', text: field, value: field }
  return isPythonObject(text) ? { form: 'objects', text } : { form: 'text', text, value: text }
}

/** `whole` is the text from which the value was parsed. */
function ofValue(value: unknown, whole: string, reading: Reading): Content {
  const { side, wanted, depthLeft } = reading
  if (typeof value === 'string') return ofText(value, { ...reading, depthLeft: depthLeft - 1 })
  const isShaped = wanted === 'said' && isJsonObject(value) && contentOfShape(value) !== undefined
  const messages = isShaped ? undefined : (conversationOf(value, ROLES[side]) ?? looseParts(value, ROLES[side]))
  if (messages !== undefined) return { form: 'messages', messages }
  if (isJsonObject(value) && depthLeft > 0) return ofObject(value, whole, reading)
  if (wanted === 'said' && (value === null || (Array.isArray(value) && value.length === 0))) return NOTHING
  const isReadable = wanted === 'all' || !Array.isArray(value) || carriesContent(value)
  return isReadable ? { form: 'text', text: whole, value } : { form: 'objects', text: whole }
}

function ofObject(value: JsonObject, whole: string, reading: Reading): Content {
  const { side, wanted, depthLeft } = reading
  const unwrapped = unwrapContent(value, side)
  if (unwrapped === 'whole') return { form: 'text', text: whole, value }
  if (unwrapped === 'empty') {
    if (wanted === 'all') return { form: 'text', text: whole, value }
    return hasText(value) ? { form: 'objects', text: whole } : NOTHING
  }
  const { inside, isAll } = unwrapped
  if (wanted === 'all' && !isAll) return { form: 'text', text: whole, value }
  // A text is read as it is.
  const json = typeof inside === 'string' ? inside : (JSON.stringify(inside) ?? '')
  return ofValue(inside, json, { ...reading, depthLeft: depthLeft - 1 })
}

/** Text in quotes, from a function that returns everything as JSON. */
function quotedText(text: string): string | undefined {
  const trimmed = text.trim()
  if (trimmed.length < 2 || !trimmed.startsWith('"') || !trimmed.endsWith('"')) return undefined
  try {
    const value: unknown = JSON.parse(trimmed)
    return typeof value === 'string' ? value : undefined
  } catch {
    // A user may start and end with a quotation.
    return undefined
  }
}

/** Message parts without a message, such as `[{"text": "…"}]`. */
function looseParts(value: unknown, role: string): Message[] | undefined {
  const list = Array.isArray(value) ? value : [value]
  if (list.length === 0 || !list.every(isJsonObject)) return undefined
  const parts: MessagePart[] = []
  for (const entry of list) {
    const part = asPart(entry)
    // An object with a `text` next to other fields is data. The others are not read then: there may be thousands.
    if (part.type === 'json' || (part.extra !== undefined && !('type' in entry))) return undefined
    parts.push(part)
  }
  return [{ role, parts }]
}
