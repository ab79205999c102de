import { badRequest, notFound } from '../base/errors.ts'
import type { Context, PrepareContext, Uploaded } from '../http/route.ts'
import { placeItems } from './add-items.ts'
import { csvRows } from './csv-rows.ts'
import { findDataset } from './dataset-queries.ts'
import type { ItemContent } from './item-content.ts'
import type { DatasetScope } from './item-queries.ts'
import { jsonlRows } from './jsonl-rows.ts'

export const CSV = 'text/csv'
export const JSONL = 'application/jsonl'
export const IMPORT_MEDIA_TYPES = [CSV, JSONL, 'application/x-ndjson'] as const
export const IMPORT_BYTES_MAX = 20 << 20
const ROWS_MAX = 100_000
const ERRORS_REPORTED_MAX = 100

export type RowError = { row: number; error: string }

export type ReadImport = { contents: ItemContent[]; errors: RowError[]; wrongCount: number }

/**
 * Parses a file of items before the transaction, because a large file needs as much time as many writes of other requests. A file with
 * invalid rows is rejected, unless `wrongRows` asks to skip them.
 */
export async function readImport(
  { db }: Pick<PrepareContext, 'db'>,
  scope: DatasetScope,
  { file, wrongRows }: { file: Uploaded; wrongRows: 'reject' | 'skip' },
): Promise<ReadImport> {
  // Checked before the file is parsed, so that no large file is parsed in vain.
  const [dataset] = await findDataset(db.read, scope)
  if (!dataset) throw notFound('Dataset')
  const read = await readFile(file)
  const [first] = read.errors
  if (first && wrongRows === 'reject') throw badRequest(rejectionMessage(first, read.wrongCount - 1))
  return read
}

/** Adds the items of a file in one transaction. Rows whose trace is already an item are skipped. */
export async function importItems(
  { db, newId }: Pick<Context, 'db' | 'newId'>,
  scope: DatasetScope,
  { contents, errors, wrongCount }: ReadImport,
): Promise<{ imported: number; skipped: number; errors: RowError[] }> {
  const { addedIds } = await db.transaction((tx) => placeItems(tx, newId, scope, contents))
  return { imported: addedIds.length, skipped: contents.length - addedIds.length + wrongCount, errors }
}

async function readFile({ mediaType, bytes }: Uploaded): Promise<ReadImport> {
  const contents: ItemContent[] = []
  const errors: RowError[] = []
  let wrongCount = 0
  for await (const { row, content, error } of mediaType === CSV ? csvRows(bytes) : jsonlRows(bytes)) {
    if (content) contents.push(content)
    else {
      wrongCount += 1
      if (errors.length < ERRORS_REPORTED_MAX) errors.push({ row, error })
    }
    if (contents.length + wrongCount > ROWS_MAX) throw badRequest(`The file has more than ${ROWS_MAX} rows`)
  }
  return { contents, errors, wrongCount }
}

function rejectionMessage({ row, error }: RowError, more: number): string {
  const others = more === 0 ? '' : more === 1 ? '. 1 more row is wrong' : `. ${more} more rows are wrong`
  return `Row ${row}: ${error}; nothing was imported${others}`
}
