import { badRequest } from '../../base/errors.ts'
import type { Uploaded } from '../../http/route.ts'
import type { ItemContent } from '../items/item-content.ts'
import { ColumnMapping, type ColumnUse, readMapping } from './column-mapping.ts'
import { readCsvTable } from './csv-table.ts'
import { decodeFile } from './decode-file.ts'
import type { FileTable } from './file-table.ts'
import { jsonEntries, jsonLines } from './json-table.ts'
import { type BadRow, readTableRow } from './read-table-row.ts'

export const CSV = 'text/csv'
export const JSON_ARRAY = 'application/json'
export const ROWS_MAX = 100_000
export const BAD_ROWS_MAX = 100

/** A row that can become an item. */
export type ImportRow = { row: number; content: ItemContent }

/** A bad row as it is in the file. */
export type BadSource = { bad: BadRow; source: (string | null)[] | string }

export type ReadFile = Pick<FileTable, 'format' | 'encoding' | 'delimiter'> & {
  rows: ImportRow[]
  /** The first ones. */
  badRows: BadRow[]
  badCount: number
  mapping: ColumnUse[]
}

/** Reads a file by a mapping of its columns. `onBadRow` gets every bad row. */
export async function readImportFile(
  file: Uploaded,
  mappingText: string | undefined,
  onBadRow: (bad: BadSource) => void = () => {},
): Promise<ReadFile> {
  const mapping = new ColumnMapping(mappingText === undefined ? new Map() : readMapping(mappingText))
  const table = await openTable(file)
  if (table.columns) mapping.addAll(table.columns)
  const rows: ImportRow[] = []
  const badRows: BadRow[] = []
  let badCount = 0
  for await (const tableRow of table.rows) {
    const { content, bad } = readTableRow(tableRow, mapping)
    if (content) rows.push({ row: tableRow.row, content })
    else {
      badCount += 1
      if (badRows.length < BAD_ROWS_MAX) badRows.push(bad)
      onBadRow({ bad, source: tableRow.source })
    }
    if (rows.length + badCount > ROWS_MAX) throw badRequest(`The file has more than ${ROWS_MAX} rows`)
  }
  mapping.rejectMisfit()
  const { format, encoding, delimiter } = table
  return { format, encoding, delimiter, rows, badRows, badCount, mapping: mapping.uses }
}

async function openTable({ mediaType, bytes: sent }: Uploaded): Promise<FileTable> {
  const { bytes, encoding } = decodeFile(sent)
  if (mediaType === CSV) return { format: 'csv', encoding, ...(await readCsvTable(bytes)) }
  const isArray = mediaType === JSON_ARRAY
  const rows = isArray ? jsonEntries(bytes) : jsonLines(bytes)
  return { format: isArray ? 'json' : 'jsonl', encoding, delimiter: null, columns: undefined, rows }
}
