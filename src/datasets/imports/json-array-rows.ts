import { type FileRow, readRow } from '../files/item-row.ts'
import { jsonEntries } from './json-table.ts'

/** The rows of a JSON array whose objects have the fields of items. */
export async function* jsonArrayRows(bytes: Buffer): AsyncGenerator<FileRow> {
  for await (const { row, values, problem } of jsonEntries(bytes)) {
    yield values === undefined ? { row, error: problem } : readRow(row, Object.fromEntries(values))
  }
}
