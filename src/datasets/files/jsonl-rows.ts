import { yieldToEventLoop } from '../../base/event-loop.ts'
import { CONTENT_LENGTH_MAX } from '../items/item-content.ts'
import { type FileRow, parseRowJson, readRow } from './item-row.ts'

const BYTES_PER_TURN = 1 << 16
const NEW_LINE = 0x0a
/** Twice the size of the longest item, to allow for JSON escapes. The time to parse a line grows with its length. */
const LINE_BYTES_MAX = 8 * CONTENT_LENGTH_MAX

/** The rows of a file with one JSON object per line. Empty lines are counted but skipped. */
export async function* jsonlRows(bytes: Buffer): AsyncGenerator<FileRow> {
  let turnEnd = BYTES_PER_TURN
  let row = 0
  for (let start = 0; start < bytes.length; row += 1) {
    const found = bytes.indexOf(NEW_LINE, start)
    const end = found === -1 ? bytes.length : found
    const line = bytes.subarray(start, end)
    start = end + 1
    if (!isBlank(line)) yield rowOf(row + 1, line)
    if (start < turnEnd) continue
    turnEnd = start + BYTES_PER_TURN
    await yieldToEventLoop()
  }
}

function rowOf(row: number, line: Buffer): FileRow {
  if (line.length > LINE_BYTES_MAX) {
    const each = 'input, output, expected and metadata have room for'
    return {
      row,
      error: `The line is longer than ${LINE_BYTES_MAX} bytes; ${each} ${CONTENT_LENGTH_MAX} characters each`,
    }
  }
  const parsed = parseRowJson(line, 'The line')
  if ('error' in parsed) return { row, error: parsed.error }
  const { value } = parsed
  if (typeof value !== 'object' || value === null || Array.isArray(value)) {
    return { row, error: 'The line must be a JSON object' }
  }
  return readRow(row, { ...value })
}

/** Spaces, tabs and carriage returns. */
function isBlank(line: Buffer): boolean {
  return line.every((byte) => byte === 0x20 || byte === 0x09 || byte === 0x0d)
}
