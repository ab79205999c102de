import { isUtf8 } from 'node:buffer'
import { pipeline, Readable } from 'node:stream'
import { CsvError, parse } from 'csv-parse'
import { badRequest } from '../../base/errors.ts'
import { yieldToEventLoop } from '../../base/event-loop.ts'
import { BrokenText } from '../imports/file-table.ts'
import { CONTENT_LENGTH_MAX } from '../items/item-content.ts'
import { unguardCell } from './formula-guard.ts'
import {
  type FileRow,
  type ItemColumn,
  isColumn,
  overlongCell,
  parseRowJson,
  readRow,
  unknownColumn,
} from './item-row.ts'

const BYTES_PER_TURN = 1 << 14

/** What a cell becomes: null if it is empty, and `BrokenText` if it has a quote in the wrong place. */
export type CsvCell = string | null | BrokenText

export type CsvRecord = { record: CsvCell[]; info: { records: number; empty_lines: number } }

type CsvOptions = {
  delimiter: string
  /** `latin1` has one character per byte, so that the reader of a cell can decode its bytes. */
  encoding: 'utf8' | 'latin1'
}

/**
 * The rows of a CSV file (RFC 4180) whose first row names the columns. The header counts as row 1, as in a spreadsheet. An empty cell is
 * null, and an empty cell in quotes is an empty text. An unclosed quote makes the rest of a file unreadable, so the whole file is
 * rejected; another quote in the wrong place makes its row wrong.
 */
export async function* csvRows(bytes: Buffer): AsyncGenerator<FileRow> {
  // The parser would silently replace invalid UTF-8 with replacement characters.
  if (!isUtf8(bytes)) throw badRequest('The file is not valid UTF-8')
  let columns: ItemColumn[] | undefined
  for await (const { record, info } of csvRecords(bytes, { delimiter: ',', encoding: 'utf8' })) {
    if (columns) yield rowOf(info.records + info.empty_lines, columns, record)
    else columns = columnsOf(record)
  }
  if (!columns) throw badRequest('The file must begin with a row that names the columns')
}

/** An empty cell is null. A cell in quotes is a text, without the guard against formulas. */
export async function* csvRecords(bytes: Buffer, { delimiter, encoding }: CsvOptions): AsyncGenerator<CsvRecord> {
  const parser = parse({
    bom: true,
    delimiter,
    encoding,
    info: true,
    record_delimiter: ['\r\n', '\n', '\r'],
    // The number of cells is checked below for each row, because the parser would stop at the first invalid row.
    relax_column_count: true,
    // Cells with a quote in the wrong place are found below, because the parser would stop at the first one.
    relax_quotes: true,
    skip_empty_lines: true,
    cast: readCell,
  })
  // The loop below throws the error, if there is one.
  pipeline(Readable.from(slicesOf(bytes)), parser, () => {})
  try {
    let start = bytes.subarray(0, UTF8_BOM.length).equals(UTF8_BOM) ? UTF8_BOM.length : 0
    for await (const { record, info } of parser) {
      // Only these rows are read again: the parser could return each row as it is in the file, at twice the time.
      const isSuspect = record.some((cell: CsvCell) => typeof cell === 'string' && cell.startsWith('"'))
      const asWritten = () => bytes.subarray(start, info.bytes).toString(encoding)
      yield { record: isSuspect ? withMisplacedQuotes(record, asWritten(), delimiter) : record, info }
      start = info.bytes
    }
  } catch (error) {
    throw error instanceof CsvError ? badRequest(csvErrorMessage(error)) : error
  }
}

const UTF8_BOM = Buffer.from([0xef, 0xbb, 0xbf])

const MISPLACED_QUOTE = 'has a quote in the wrong place: quotes are around the whole cell and doubled within it'

function readCell(text: string, { quoting }: { quoting: boolean }): CsvCell {
  if (quoting) return unguardCell(text)
  if (text === '') return null
  return text.includes('"') ? new BrokenText(text, MISPLACED_QUOTE) : unguardCell(text)
}

/**
 * A cell whose quotes are followed by more text is read with its quotes, and a cell that begins with doubled quotes looks the same. Only
 * the row as it is in the file distinguishes them.
 */
function withMisplacedQuotes(record: CsvCell[], asWritten: string, delimiter: string): CsvCell[] {
  const text = asWritten.replace(/^[\r\n]+/, '')
  let start = 0
  return record.map((cell) => {
    const isQuoted = text[start] === '"'
    const end = isQuoted ? endOfQuotes(text, start) : start
    const next = text.indexOf(delimiter, end)
    const rest = text.slice(end, next === -1 ? undefined : next).replace(/[\r\n]+$/, '')
    start = next === -1 ? text.length : next + delimiter.length
    return isQuoted && rest !== '' && typeof cell === 'string' ? new BrokenText(cell, MISPLACED_QUOTE) : cell
  })
}

/** The position after the closing quote. */
function endOfQuotes(text: string, start: number): number {
  let end = text.indexOf('"', start + 1)
  while (end !== -1 && text[end + 1] === '"') end = text.indexOf('"', end + 2)
  return end === -1 ? text.length : end + 1
}

async function* slicesOf(bytes: Buffer): AsyncGenerator<Buffer> {
  for (let start = 0; start < bytes.length; start += BYTES_PER_TURN) {
    yield bytes.subarray(start, start + BYTES_PER_TURN)
    await yieldToEventLoop()
  }
}

function columnsOf(record: CsvRecord['record']): ItemColumn[] {
  const columns = record.map((cell) => {
    if (cell instanceof BrokenText) throw badRequest(`A column name ${cell.reason}`)
    const name = (cell ?? '').trim()
    if (!isColumn(name)) throw badRequest(unknownColumn(name))
    return name
  })
  const repeated = columns.find((name, place) => columns.indexOf(name) !== place)
  if (repeated) throw badRequest(`The column ${repeated} is there twice`)
  return columns
}

function rowOf(row: number, columns: ItemColumn[], record: CsvRecord['record']): FileRow {
  if (record.length !== columns.length) {
    return { row, error: `${record.length} cells where there are ${columns.length} columns` }
  }
  const broken = record.findIndex((cell) => cell instanceof BrokenText)
  if (broken !== -1) return { row, error: `${columns[broken]} ${MISPLACED_QUOTE}` }
  const cells = record.map((cell) => (cell instanceof BrokenText ? cell.text : cell))
  if (cells.some((cell) => cell?.includes('\0'))) {
    return { row, error: 'A cell has a character that cannot be stored (U+0000)' }
  }
  // Before any cell is parsed: parsing is slow, and the row is rejected anyway.
  const overlong = columns.find((_, place) => (cells[place]?.length ?? 0) > CONTENT_LENGTH_MAX)
  if (overlong) return { row, error: overlongCell(overlong) }
  const fields: Record<string, unknown> = Object.fromEntries(columns.map((name, place) => [name, cells[place]]))
  if (typeof fields['metadata'] === 'string') {
    const parsed = parseRowJson(Buffer.from(fields['metadata']), 'metadata')
    if ('error' in parsed) return { row, error: parsed.error }
    fields['metadata'] = parsed.value
  }
  return readRow(row, fields)
}

function csvErrorMessage({ code, lines }: CsvError): string {
  const problem = code === 'CSV_QUOTE_NOT_CLOSED' ? 'a quote is opened and never closed' : 'the text is no CSV'
  return `Line ${Number(lines)}: ${problem}; nothing was imported`
}
