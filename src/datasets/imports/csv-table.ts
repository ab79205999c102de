import { isUtf8 } from 'node:buffer'
import { badRequest } from '../../base/errors.ts'
import { type CsvCell, type CsvRecord, csvRecords } from '../files/csv-rows.ts'
import { detectDelimiter } from './detect-delimiter.ts'
import { BrokenText, COLUMNS_MAX, type FileTable, type TableRow } from './file-table.ts'

/** The header counts as row 1, as in a spreadsheet. A column without a name gets one by its position. */
export async function readCsvTable(bytes: Buffer): Promise<Pick<FileTable, 'delimiter' | 'columns' | 'rows'>> {
  const delimiter = detectDelimiter(bytes)
  // The parser would silently replace invalid UTF-8. Its structure is ASCII, so that bytes can be parsed first and decoded cell by cell.
  const encoding = isUtf8(bytes) ? 'utf8' : 'latin1'
  const cellsOf = encoding === 'utf8' ? ({ record }: CsvRecord) => record : decodedCells
  const records = csvRecords(bytes, { delimiter, encoding })
  const header = await records.next()
  if (header.done) throw badRequest('The file must begin with a row that names the columns')
  const columns = columnsOf(cellsOf(header.value))
  return { delimiter, columns, rows: rowsOf(records, columns, cellsOf) }
}

async function* rowsOf(
  records: AsyncIterable<CsvRecord>,
  columns: readonly string[],
  cellsOf: (record: CsvRecord) => CsvCell[],
): AsyncGenerator<TableRow> {
  for await (const record of records) {
    const { info } = record
    const row = info.records + info.empty_lines
    const cells = cellsOf(record)
    // What is beyond belongs to no column, and a row may have millions of cells.
    const source = cells.slice(0, COLUMNS_MAX).map(readable)
    if (cells.length === columns.length) {
      yield { row, source, values: columns.map((column, place) => [column, cells[place] ?? null] as const) }
      continue
    }
    const found = `${cells.length} ${cells.length === 1 ? 'cell' : 'cells'}`
    const wanted = `${columns.length} ${columns.length === 1 ? 'column' : 'columns'}`
    yield { row, source, problem: `${found} where there ${columns.length === 1 ? 'is' : 'are'} ${wanted}` }
  }
}

function columnsOf(cells: CsvCell[]): string[] {
  if (cells.length > COLUMNS_MAX) throw badRequest(`The file has more than ${COLUMNS_MAX} columns`)
  const columns = cells.map((cell, place) => {
    if (cell instanceof BrokenText) throw badRequest(`The name of column ${place + 1} ${cell.reason}`)
    if (cell?.includes('\0')) throw badRequest(`The name of column ${place + 1} has a character that cannot be stored`)
    return (cell ?? '').trim() || `column ${place + 1}`
  })
  const repeated = columns.find((name, place) => columns.indexOf(name) !== place)
  if (repeated !== undefined) throw badRequest(`The column ${repeated} is there twice`)
  return columns
}

function decodedCells({ record }: CsvRecord): CsvCell[] {
  return record.map((cell) => {
    if (cell === null) return null
    const bytes = Buffer.from(cell instanceof BrokenText ? cell.text : cell, 'latin1')
    const text = bytes.toString('utf8')
    if (!isUtf8(bytes)) return new BrokenText(text, 'has broken characters (not valid UTF-8 or UTF-16)')
    return cell instanceof BrokenText ? new BrokenText(text, cell.reason) : text
  })
}

function readable(cell: CsvCell): string | null {
  return cell instanceof BrokenText ? cell.text : cell
}
