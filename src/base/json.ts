import { badRequest } from './errors.ts'

/** Serialized JSON that is sent as it is. */
export class JsonText {
  readonly text: string

  constructor(text: string) {
    this.text = text
  }
}

/** Most texts are short and need no escaping; checking that is cheaper than `JSON.stringify`. */
const PLAIN = /^[ !#-[\]-~]*$/
const PLAIN_LENGTH_MAX = 64

/** Serializes a text as JSON. */
export function quoteText(text: string): string {
  return text.length < PLAIN_LENGTH_MAX && PLAIN.test(text) ? `"${text}"` : JSON.stringify(text)
}

const DEPTH_MAX = 64
const decoder = new TextDecoder('utf-8', { fatal: true })

/**
 * Parses JSON from untrusted bytes: valid UTF-8, bounded depth, storable strings, finite numbers, no forbidden keys.
 */
export function parseJson(bytes: Uint8Array): unknown {
  let text: string
  try {
    text = decoder.decode(bytes)
  } catch {
    throw badRequest('The request body is not valid UTF-8')
  }
  rejectDepth(text)
  let value: unknown
  try {
    value = JSON.parse(text)
  } catch {
    throw badRequest('The request body is not valid JSON')
  }
  rejectUnstorable(value)
  return value
}

/**
 * Counts brackets before parsing: JSON.parse accepts a depth at which other parts of the program overflow the stack.
 */
function rejectDepth(text: string): void {
  if (text.length <= DEPTH_MAX * 2) return
  let depth = 0
  let isInString = false
  for (let index = 0; index < text.length; index += 1) {
    const code = text.charCodeAt(index)
    if (isInString) {
      if (code === 0x5c) index += 1
      else if (code === 0x22) isInString = false
    } else if (code === 0x22) isInString = true
    else if (code === 0x7b || code === 0x5b) {
      depth += 1
      if (depth > DEPTH_MAX) throw badRequest(`The request body is nested too deeply (more than ${DEPTH_MAX} levels)`)
    } else if (code === 0x7d || code === 0x5d) depth -= 1
  }
}

/** The depth is bounded at this point, so recursion is safe. */
function rejectUnstorable(value: unknown): void {
  if (typeof value === 'string') {
    rejectText(value)
    return
  }
  if (typeof value === 'number') {
    // JSON.parse reads 1e400 as Infinity, which would be serialized as null.
    if (!Number.isFinite(value)) throw badRequest('The request body has a number that is too large')
    return
  }
  if (Array.isArray(value)) {
    for (const entry of value) rejectUnstorable(entry)
    return
  }
  if (typeof value !== 'object' || value === null) return
  for (const [key, entry] of Object.entries(value)) {
    if (key === '__proto__') throw badRequest('The request body has the forbidden key __proto__')
    rejectText(key)
    rejectUnstorable(entry)
  }
}

function rejectText(text: string): void {
  if (!text.isWellFormed() || text.includes('\0')) {
    throw badRequest('The request body has characters that cannot be stored (U+0000 or half of a surrogate pair)')
  }
}
