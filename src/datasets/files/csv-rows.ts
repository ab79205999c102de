import { isUtf8 } from 'node:buffer'
import { pipeline, Readable } from 'node:stream'
import { CsvError, parse } from 'csv-parse'
import { badRequest } from '../../base/errors.ts'
import { yieldToEventLoop } from '../../base/event-loop.ts'
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

const BYTES_PER_TURN = 1 << 16

export type CsvRecord = { record: (string | null)[]; info: { records: number; empty_lines: number } }

type CsvOptions = {
  delimiter: string
  /** `latin1` has one character per byte, so that the reader of a cell can decode its bytes. */
  encoding: 'utf8' | 'latin1'
}

/**
 * The rows of a CSV file (RFC 4180) whose first row names the columns. The header counts as row 1, as in a spreadsheet. An empty cell is
 * null, and an empty cell in quotes is an empty text. An unclosed quote makes the rest of a file unreadable, so the whole file is
 * rejected.
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
    relax_quotes: false,
    skip_empty_lines: true,
    cast: (text, { quoting }) => (text === '' && !quoting ? null : unguardCell(text)),
  })
  // The loop below throws the error, if there is one.
  pipeline(Readable.from(slicesOf(bytes)), parser, () => {})
  try {
    for await (const record of parser) yield record
  } catch (error) {
    throw error instanceof CsvError ? badRequest(csvErrorMessage(error)) : error
  }
}

async function* slicesOf(bytes: Buffer): AsyncGenerator<Buffer> {
  for (let start = 0; start < bytes.length; start += BYTES_PER_TURN) {
    yield bytes.subarray(start, start + BYTES_PER_TURN)
    await yieldToEventLoop()
  }
}

function columnsOf(record: CsvRecord['record']): ItemColumn[] {
  const columns = record.map((cell) => {
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
  if (record.some((cell) => cell?.includes('\0'))) {
    return { row, error: 'A cell has a character that cannot be stored (U+0000)' }
  }
  // Before any cell is parsed: parsing is slow, and the row is rejected anyway.
  const overlong = columns.find((_, place) => (record[place]?.length ?? 0) > CONTENT_LENGTH_MAX)
  if (overlong) return { row, error: overlongCell(overlong) }
  const fields: Record<string, unknown> = Object.fromEntries(columns.map((name, place) => [name, record[place]]))
  if (typeof fields['metadata'] === 'string') {
    const parsed = parseRowJson(Buffer.from(fields['metadata']), 'metadata')
    if ('error' in parsed) return { row, error: parsed.error }
    fields['metadata'] = parsed.value
  }
  return readRow(row, fields)
}

function csvErrorMessage({ code, lines }: CsvError): string {
  const place = `Line ${Number(lines)}`
  if (code === 'CSV_QUOTE_NOT_CLOSED') return `${place}: a quote is opened and never closed; nothing was imported`
  return `${place}: a quote is in the wrong place, or must be doubled; nothing was imported`
}
