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
/** A name needs a microsecond to parse and a few more until it is stored: the main thread is never busy for more than 50 ms. */
const FIELDS_MAX = 10_000
/** Values without a name, such as those of a list, need less, and objects and lists a few times as much. */
const VALUES_MAX = 100_000
const OBJECT_COST = 4
const decoder = new TextDecoder('utf-8', { fatal: true })

/**
 * Parses JSON from untrusted bytes: valid UTF-8, bounded depth and number of fields, storable strings, finite numbers, no forbidden keys.
 */
export function parseJson(
  bytes: Uint8Array,
  { fieldsMax = FIELDS_MAX, place = 'inside' }: { fieldsMax?: number; place?: Place } = {},
): unknown {
  let text: string
  try {
    text = decoder.decode(bytes)
  } catch {
    throw badRequest('The request body is not valid UTF-8')
  }
  rejectCostly(text, fieldsMax)
  let value: unknown
  try {
    value = JSON.parse(text)
  } catch {
    throw badRequest('The request body is not valid JSON')
  }
  rejectUnstorable(value, place)
  return value
}

/**
 * Counts brackets and colons before parsing: JSON.parse accepts a depth at which other parts of the program overflow the stack, and a
 * megabyte of fields would block the process for a tenth of a second, also if the request is rejected afterwards.
 */
function rejectCostly(text: string, fieldsMax: number): void {
  if (text.length <= DEPTH_MAX * 2) return
  let depth = 0
  let values = 0
  let fields = 0
  let isInString = false
  for (let index = 0; index < text.length; index += 1) {
    const code = text.charCodeAt(index)
    if (isInString) {
      if (code === 0x5c) index += 1
      else if (code === 0x22) isInString = false
    } else if (code === 0x22) isInString = true
    else if (code === 0x7b || code === 0x5b) {
      depth += 1
      values += OBJECT_COST
      if (depth > DEPTH_MAX) throw badRequest(`The request body is nested too deeply (more than ${DEPTH_MAX} levels)`)
    } else if (code === 0x7d || code === 0x5d) depth -= 1
    else if (code === 0x3a) fields += 1
    else if (code === 0x2c) values += 1
    if (fields > fieldsMax) throw badRequest(`The request body has more than ${fieldsMax} fields`)
    if (values > VALUES_MAX) throw badRequest(`The request body has more than ${VALUES_MAX} values`)
  }
}

/**
 * `body`: of a request, whose field `variables` gives values to the variables of a prompt. Their names are those that its author chose, so
 * that any key is allowed there: the code that reads them looks for own keys, and never assigns by name.
 */
type Place = 'body' | 'variables' | 'inside' | 'message' | 'params' | 'arguments'

/** `message`: of the Model Context Protocol, in which the plan of a trial, an argument of a tool, is such a body. */
const PLACES: Record<Place, { field?: string; place?: Place }> = {
  body: { field: 'variables', place: 'variables' },
  message: { field: 'params', place: 'params' },
  params: { field: 'arguments', place: 'arguments' },
  arguments: { field: 'plan', place: 'body' },
  variables: {},
  inside: {},
}

/** The depth is bounded at this point, so recursion is safe. */
function rejectUnstorable(value: unknown, place: Place): void {
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
    // Several messages may come at once.
    for (const entry of value) rejectUnstorable(entry, place === 'message' ? place : 'inside')
    return
  }
  if (typeof value !== 'object' || value === null) return
  const fields: Record<string, unknown> = Object(value)
  const { field: special, place: next = 'inside' } = PLACES[place]
  // Not `Object.entries`, which needs four times as long for an object with thousands of fields.
  for (const key of Object.keys(fields)) {
    if (key === '__proto__' && place !== 'variables')
      throw badRequest('The request body has the forbidden key __proto__')
    rejectText(key)
    rejectUnstorable(fields[key], key === special ? next : 'inside')
  }
}

function rejectText(text: string): void {
  if (!text.isWellFormed() || text.includes('\0')) {
    throw badRequest('The request body has characters that cannot be stored (U+0000 or half of a surrogate pair)')
  }
}
