/**
 * Some instrumentations send messages without content: a role alone, or an empty list of parts. Such messages must not win over other
 * sources that have the content.
 */
import type { AttributeValue } from '../../storing/received-span.ts'
import { asJsonList, isJsonObject, type JsonObject } from '../json/guarded-json.ts'

/** Messages without content are short. Longer text has content and need not be parsed. */
const EMPTY_LENGTH_MAX = 2_000
/** A role and nothing else. */
const ROLE_LENGTH_MAX = 100
/** The first message has content, after properties with plain text values. This recognizes most lists without parsing them. */
const STARTS_WITH_CONTENT =
  /^\s*\[\s*\{\s*(?:"[a-z_]+"\s*:\s*"[^"\\]*"\s*,\s*)*"(?:parts|contents?)"\s*:\s*(?:"[^"]|\[\s*[^\s\]]|\{\s*[^\s}])/
/** Searched before anything is parsed, because this runs for every model call while its sender waits. */
const EMPTY_CONTENT = /"(?:parts|contents?|blocks)"\s*:\s*(?:\[\s*\]|null|""|\{\s*\})/
/** Properties of a message other than its content. */
const ABOUT: ReadonlySet<string> = new Set([
  'role',
  'finish_reason',
  'index',
  'name',
  'type',
  'id',
  'refusal',
  'annotations',
  'tool_call_id',
])

export function areEmptyMessages(value: unknown): boolean {
  return (
    Array.isArray(value) && value.length > 0 && value.every((entry) => isJsonObject(entry) && isEmptyMessage(entry))
  )
}

/** Reads the messages of an attribute; undefined if they have no content. */
export function readMessages(value: AttributeValue): AttributeValue | undefined {
  if (isNothing(value) || value === '[]') return undefined
  if (typeof value === 'string' && (STARTS_WITH_CONTENT.test(value) || !mayBeEmpty(value))) return value
  const list = asJsonList(value)
  return list !== undefined && (list.length === 0 || areEmptyMessages(list)) ? undefined : value
}

function mayBeEmpty(text: string): boolean {
  return text.length <= ROLE_LENGTH_MAX || (text.length <= EMPTY_LENGTH_MAX && EMPTY_CONTENT.test(text))
}

/** An empty text is content: a tool may return an empty result. */
function isEmptyMessage(message: JsonObject): boolean {
  const isMessage = typeof message.role === 'string' || 'finish_reason' in message
  if (!isMessage || message.role === 'tool') return false
  for (const name in message) if (!isNothing(message[name]) && !ABOUT.has(name)) return false
  return true
}

function isNothing(value: unknown): boolean {
  if (value === null || value === undefined || value === '') return true
  if (typeof value !== 'object') return false
  for (const _ in value) return false
  return true
}
