import { createHash } from 'node:crypto'
import { pauseAfter, yieldToEventLoop } from '../../base/event-loop.ts'
import { quoteText } from '../../base/json.ts'
import { questionIn } from '../../traces/semconv/messages/question-and-answer.ts'

const HASH_LENGTH = 22
const DEPTH_MAX = 64
/** Parsing longer text is slow and blocks the whole process. */
const PARSED_LENGTH_MAX = 256 * 1024
const LARGE_LENGTH = 16 * 1024
const TURN_MS = 2
const JSON_BEGINNING = /^[\s]*[[{"\-0-9tfn]/

/**
 * The same hash for inputs with the same question: the question in any wrapper or message, JSON that differs only in key order or
 * whitespace, or text that differs only in surrounding whitespace. Long JSON counts as text. The hash identifies an item in another run,
 * where its trace has another id.
 */
export function hashInput(text: string): string {
  if (text.length > PARSED_LENGTH_MAX) return hashContent(text)
  // The input of a trace is already a question; an imported item may have the messages around it.
  const said = questionIn(text)
  if (typeof said === 'string') return hashContent(text)
  const isParsed = typeof said.value === 'object' && said.text.length <= PARSED_LENGTH_MAX
  return isParsed ? hashCanonical(canonicalJson(said.value, DEPTH_MAX) ?? said.text.trim()) : hashContent(said.text)
}

/** The hashes of inputs that are processed together. Lets other requests run in between: one input alone may need ten milliseconds. */
export async function hashInputs(inputs: readonly (string | null)[]): Promise<(string | null)[]> {
  const pause = pauseAfter(TURN_MS)
  const hashes: (string | null)[] = []
  for (const input of inputs) {
    if (input !== null && input.length > LARGE_LENGTH) await yieldToEventLoop()
    hashes.push(input === null ? null : hashInput(input))
    await pause()
  }
  return hashes
}

/** The same without extracting a question: for the arguments of a tool, every argument counts. */
export function hashContent(text: string): string {
  return hashCanonical(canonicalInput(text))
}

type HashedItem = {
  inputHash: string | null
  expected: string | null
  split: string | null
  /** The field that groups the items, and the group of this one; undefined if the dataset names none. */
  group?: { field: string; value: string | undefined } | undefined
}

/**
 * Changes if an item becomes another one for a score: another question, expected answer, split or group. Has up to three
 * parts, so that groups by different fields are not compared: content, field and group.
 */
export function hashOfItem({ inputHash, expected, split, group }: HashedItem): string {
  const content = hashCanonical(JSON.stringify([inputHash, expected && hashContent(expected), split]))
  if (group === undefined) return content
  return [content, ...[group.field, group.value ?? ''].map((text) => hashCanonical(text).slice(0, SHORT_LENGTH))].join(
    '.',
  )
}

const SHORT_LENGTH = 8

function hashCanonical(input: string): string {
  return createHash('sha256').update(input).digest('base64url').slice(0, HASH_LENGTH)
}

function canonicalInput(text: string): string {
  if (text.length > PARSED_LENGTH_MAX || !JSON_BEGINNING.test(text)) return text.trim()
  let value: unknown
  try {
    value = JSON.parse(text)
  } catch {
    // Invalid JSON is treated as text.
    return text.trim()
  }
  return canonicalJson(value, DEPTH_MAX) ?? text.trim()
}

/** Undefined if it is nested too deeply: inputs are untrusted, and the recursion must end before the stack overflows. */
function canonicalJson(value: unknown, depthLeft: number): string | undefined {
  if (typeof value === 'string') return quoteText(value)
  if (typeof value !== 'object' || value === null) return String(value)
  if (depthLeft === 0) return undefined
  const parts: string[] = []
  if (Array.isArray(value)) {
    for (const entry of value) {
      const part = canonicalJson(entry, depthLeft - 1)
      if (part === undefined) return undefined
      parts.push(part)
    }
    return `[${parts.join(',')}]`
  }
  const fields: Record<string, unknown> = Object(value)
  // Not `Object.entries`, which needs four times as long for an object with thousands of fields.
  for (const key of Object.keys(fields).sort()) {
    const part = canonicalJson(fields[key], depthLeft - 1)
    if (part === undefined) return undefined
    parts.push(`${quoteText(key)}:${part}`)
  }
  return `{${parts.join(',')}}`
}
