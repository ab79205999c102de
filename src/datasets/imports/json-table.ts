import { badRequest } from '../../base/errors.ts'
import { yieldToEventLoop } from '../../base/event-loop.ts'
import { parseRowJson } from '../files/item-row.ts'
import { CONTENT_LENGTH_MAX } from '../items/item-content.ts'
import type { TableRow } from './file-table.ts'

const BYTES_PER_TURN = 1 << 16
/** As for a line of JSON: twice the size of the longest item, to allow for escapes. */
const ENTRY_BYTES_MAX = 8 * CONTENT_LENGTH_MAX

const OPENING = new Set([0x5b, 0x7b])
const CLOSING = new Set([0x5d, 0x7d])
const SPACES = new Set([0x20, 0x09, 0x0a, 0x0d])
const [ARRAY_START, ARRAY_END, COMMA, QUOTE, ESCAPE, NEW_LINE] = [0x5b, 0x5d, 0x2c, 0x22, 0x5c, 0x0a]

/** The rows of a file with one JSON object per line. Empty lines are counted but skipped. */
export async function* jsonLines(bytes: Buffer): AsyncGenerator<TableRow> {
  let turnEnd = BYTES_PER_TURN
  let row = 0
  for (let start = 0; start < bytes.length; ) {
    const found = bytes.indexOf(NEW_LINE, start)
    const end = found === -1 ? bytes.length : found
    const line = bytes.subarray(start, end)
    start = end + 1
    row += 1
    if (!line.every((byte) => SPACES.has(byte))) yield rowOf(row, line, 'The line')
    if (start < turnEnd) continue
    turnEnd = start + BYTES_PER_TURN
    await yieldToEventLoop()
  }
}

/**
 * The entries of a JSON array, counted from 1. Their ends are found by brackets and quotes, and each is parsed by itself: an invalid entry
 * is one row, and a large file does not block the process.
 */
export async function* jsonEntries(bytes: Buffer): AsyncGenerator<TableRow> {
  let at = skipSpaces(bytes, 0)
  if (bytes[at] !== ARRAY_START) throw badRequest('The file must be a JSON array of objects: [{"input": …}, …]')
  at = skipSpaces(bytes, at + 1)
  let row = 0
  let turnEnd = BYTES_PER_TURN
  let isOpen = bytes[at] !== ARRAY_END
  while (isOpen) {
    const end = entryEnd(bytes, at)
    if (end === bytes.length) throw badRequest('The JSON array is never closed; nothing was imported')
    row += 1
    yield rowOf(row, bytes.subarray(at, end), 'The entry')
    isOpen = bytes[end] === COMMA
    at = isOpen ? skipSpaces(bytes, end + 1) : end
    if (at < turnEnd) continue
    turnEnd = at + BYTES_PER_TURN
    await yieldToEventLoop()
  }
  if (skipSpaces(bytes, at + 1) < bytes.length) throw badRequest('The file has text after the end of the JSON array')
}

/** The position of the comma or bracket after an entry; the length of the file if there is none. */
function entryEnd(bytes: Buffer, start: number): number {
  let depth = 0
  let isText = false
  for (let at = start; at < bytes.length; at += 1) {
    const byte = bytes[at] ?? 0
    if (isText) {
      if (byte === ESCAPE) at += 1
      else if (byte === QUOTE) isText = false
    } else if (byte === QUOTE) isText = true
    else if (OPENING.has(byte)) depth += 1
    else if (depth === 0 && (byte === COMMA || byte === ARRAY_END)) return at
    else if (CLOSING.has(byte)) depth = Math.max(0, depth - 1)
  }
  return bytes.length
}

function skipSpaces(bytes: Buffer, start: number): number {
  let at = start
  while (SPACES.has(bytes[at] ?? 0)) at += 1
  return at
}

function rowOf(row: number, bytes: Buffer, name: 'The line' | 'The entry'): TableRow {
  const source = bytes.subarray(0, ENTRY_BYTES_MAX).toString().trim()
  if (bytes.length > ENTRY_BYTES_MAX) return { row, source, problem: `${name} is longer than ${ENTRY_BYTES_MAX} bytes` }
  const parsed = parseRowJson(bytes, name)
  if ('error' in parsed) return { row, source, problem: parsed.error }
  const { value } = parsed
  if (typeof value !== 'object' || value === null || Array.isArray(value)) {
    return { row, source, problem: `${name} must be a JSON object` }
  }
  return { row, source, values: Object.entries(value) }
}
