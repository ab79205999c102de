import type { FileEncoding } from './decode-file.ts'
import type { Delimiter } from './detect-delimiter.ts'

export type FileFormat = 'csv' | 'jsonl' | 'json'

/** A cell that cannot be used, with the reason and with its text as far as it can be read. */
export class BrokenText {
  readonly text: string
  readonly reason: string

  constructor(text: string, reason: string) {
    this.text = text
    this.reason = reason
  }
}

/**
 * A row of a file before its columns are mapped: its values in the order of the file, or why it has none. A value is a text, null, any
 * other JSON value, or `BrokenText`. `source` is the row as it is in the file: its cells, or its JSON text.
 */
export type TableRow = { row: number; source: (string | null)[] | string } & (
  | { values: readonly (readonly [column: string, value: unknown])[]; problem?: undefined }
  | { problem: string; values?: undefined }
)

export type FileTable = {
  format: FileFormat
  encoding: FileEncoding
  /** Null for JSON. */
  delimiter: Delimiter | null
  /** In the order of the file. Of JSON, the columns are known only after all rows. */
  columns: readonly string[] | undefined
  rows: AsyncIterable<TableRow>
}

/** More columns are no table of items, and each row would be compared with all of them. */
export const COLUMNS_MAX = 1_000
