import { surveyJson } from '../evaluators/json/json-text.ts'
import { WORK_MAX } from '../evaluators/work-budget.ts'
import { isJsonObject, parseGuarded } from '../traces/semconv/json/guarded-json.ts'
import { asMessages } from '../traces/semconv/messages/conversation-shapes.ts'
import { asPart } from '../traces/semconv/messages/message-parts.ts'
import type { OutputForm } from './insight.ts'

/** An object with more keys holds data, not fields. Longer keys are truncated. */
const KEYS_MAX = 200
const KEY_LENGTH_MAX = 200

const NONE: OutputForm = { form: 'none' }
const EMPTY: OutputForm = { form: 'empty' }
const TEXT: OutputForm = { form: 'text' }

/**
 * Determines the form of a trace output. For messages, only the last one counts. JSON in a Markdown code fence is JSON.
 */
export function readOutputForm(output: string | null): OutputForm {
  if (output === null) return NONE
  const parsed = parse(output)
  return parsed === undefined ? formOfText(output) : formOfJson(parsed)
}

/** A single pattern for both ends would need quadratic time. */
const FENCE_START = /^```(?:json)?[^\S\n]*\n/
const FENCE_END = '\n```'

function stripFence(text: string): string {
  const start = text.endsWith(FENCE_END) ? FENCE_START.exec(text)?.[0].length : undefined
  return start === undefined ? text : text.slice(start, -FENCE_END.length)
}

/** Also undefined for a text that would block the event loop for too long. */
function parse(text: string): unknown {
  return surveyJson(text).work > WORK_MAX / 2 ? undefined : parseGuarded(text)
}

function formOfText(text: string): OutputForm {
  const trimmed = text.trim()
  if (trimmed === '' || trimmed === '""' || trimmed === 'null') return EMPTY
  const value = parse(stripFence(trimmed))
  return value === undefined ? TEXT : formOfValue(value)
}

function formOfJson(value: unknown): OutputForm {
  if (!isConversation(value)) return formOfValue(value)
  const last = asMessages(value, 'assistant').at(-1)
  const content = last?.parts.filter(({ type }) => type !== 'reasoning') ?? []
  if (content.length === 0) return EMPTY
  const texts = content.flatMap((part) => (part.type === 'text' ? [part.text] : []))
  // A tool call or an image: not empty, and not text.
  return texts.length === content.length ? formOfText(texts.join('\n')) : TEXT
}

/** True for messages, provider responses and message parts. All other JSON is the output itself. */
function isConversation(value: unknown): boolean {
  if (Array.isArray(value)) return value.some(isConversation) || (value.length > 0 && value.every(isTypedPart))
  if (!isJsonObject(value)) return false
  return typeof value.role === 'string' || [value.choices, value.messages].some(Array.isArray)
}

function isTypedPart(entry: unknown): boolean {
  return isJsonObject(entry) && typeof entry.type === 'string' && asPart(entry).type !== 'json'
}

function formOfValue(value: unknown): OutputForm {
  const entries = Array.isArray(value) ? value : [value]
  if (entries.length === 0) return EMPTY
  if (!entries.every(isJsonObject)) return TEXT
  const keys = new Set(entries.flatMap((entry) => Object.keys(entry)))
  if (keys.size === 0) return EMPTY
  const kept = [...keys].slice(0, KEYS_MAX).map((key) => key.slice(0, KEY_LENGTH_MAX))
  return { form: 'json', keys: kept.sort() }
}
