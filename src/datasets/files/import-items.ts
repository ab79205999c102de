import { badRequest, notFound } from '../../base/errors.ts'
import { createdAtOf } from '../../base/ids.ts'
import type { Context, PrepareContext, Uploaded } from '../../http/route.ts'
import type { Queries } from '../../storage/db.ts'
import { findDataset } from '../dataset-queries.ts'
import type { FileFormat } from '../imports/file-table.ts'
import { insertImport } from '../imports/import-queries.ts'
import { jsonEntries } from '../imports/json-table.ts'
import { CSV, JSON_ARRAY, ROWS_MAX } from '../imports/read-import-file.ts'
import { lockDatasetForItems, placeItems } from '../items/add-items.ts'
import type { ItemContent } from '../items/item-content.ts'
import type { ChangingScope, DatasetScope } from '../items/item-queries.ts'
import { csvRows } from './csv-rows.ts'
import { type FileRow, readRow } from './item-row.ts'
import { jsonlRows } from './jsonl-rows.ts'

export const JSONL = 'application/jsonl'
export const IMPORT_MEDIA_TYPES = [CSV, JSONL, 'application/x-ndjson', JSON_ARRAY] as const
export const IMPORT_BYTES_MAX = 20 << 20
const ERRORS_REPORTED_MAX = 100

export type RowError = { row: number; error: string }

export type ReadImport = { format: FileFormat; contents: ItemContent[]; errors: RowError[]; wrongCount: number }

/**
 * Parses a file of items before the transaction, because a large file needs as much time as many writes of other requests. A file with
 * invalid rows is rejected, unless `wrongRows` asks to skip them.
 */
export async function readImport(
  { db }: Pick<PrepareContext, 'db'>,
  scope: DatasetScope,
  { file, wrongRows }: { file: Uploaded; wrongRows: 'reject' | 'skip' },
): Promise<ReadImport> {
  await requireDataset({ db }, scope)
  const read = await readFile(file)
  const [first] = read.errors
  if (first && wrongRows === 'reject') throw badRequest(rejectionMessage(first, read.wrongCount - 1))
  return read
}

/** Checked before a file is parsed, so that no large file is parsed in vain. */
export async function requireDataset({ db }: Pick<Context, 'db'>, scope: DatasetScope): Promise<void> {
  const [dataset] = await findDataset(db.read, scope)
  if (!dataset) throw notFound('Dataset')
}

/** Adds the items of a file in one transaction. Rows whose trace is already an item are skipped. */
export async function importItems(
  context: Pick<Context, 'db' | 'newId'>,
  scope: ChangingScope & { userId: string },
  { format, contents, errors, wrongCount }: ReadImport,
): Promise<{ imported: number; skipped: number; errors: RowError[] }> {
  const file = { format, fileName: null, rowCount: contents.length + wrongCount, badCount: wrongCount }
  const { imported } = await storeImport(context, scope, { ...file, choose: async () => contents })
  return { imported, skipped: contents.length - imported + wrongCount, errors }
}

type FileToStore = {
  format: FileFormat
  fileName: string | null
  rowCount: number
  badCount: number
  /** The contents to add. Called in the transaction, while no one else can add items. */
  choose(tx: Queries): Promise<ItemContent[]>
}

/** All or nothing. An import that adds no item is not recorded, because there is nothing to undo. */
export async function storeImport(
  { db, newId }: Pick<Context, 'db' | 'newId'>,
  scope: ChangingScope & { userId: string },
  { format, fileName, rowCount, badCount, choose }: FileToStore,
): Promise<{ importId: string | null; imported: number }> {
  return db.transaction(async (tx) => {
    const importId = newId()
    await lockDatasetForItems(tx, scope)
    const contents = await choose(tx)
    const { addedIds } = await placeItems(tx, newId, scope, contents, { importId })
    const imported = addedIds.length
    if (imported === 0) return { importId: null, imported }
    const counts = { rowCount, importedCount: imported, badCount, duplicateCount: rowCount - badCount - imported }
    const { workspaceId, datasetId, userId } = scope
    const origin = { workspaceId, datasetId, importId, userId, fileName, format }
    await insertImport(tx, { ...origin, ...counts, createdAt: createdAtOf(importId) })
    return { importId, imported }
  })
}

async function readFile({ mediaType, bytes }: Uploaded): Promise<ReadImport> {
  const contents: ItemContent[] = []
  const errors: RowError[] = []
  let wrongCount = 0
  const format = mediaType === CSV ? 'csv' : mediaType === JSON_ARRAY ? 'json' : 'jsonl'
  const readers = { csv: csvRows, json: jsonArrayRows, jsonl: jsonlRows }
  for await (const { row, content, error } of readers[format](bytes)) {
    if (content) contents.push(content)
    else {
      wrongCount += 1
      if (errors.length < ERRORS_REPORTED_MAX) errors.push({ row, error })
    }
    if (contents.length + wrongCount > ROWS_MAX) throw badRequest(`The file has more than ${ROWS_MAX} rows`)
  }
  return { format, contents, errors, wrongCount }
}

/** The rows of a JSON array whose objects have the fields of items. */
async function* jsonArrayRows(bytes: Buffer): AsyncGenerator<FileRow> {
  for await (const { row, values, problem } of jsonEntries(bytes)) {
    yield values === undefined ? { row, error: problem } : readRow(row, Object.fromEntries(values))
  }
}

export function rejectionMessage({ row, error }: RowError, more: number): string {
  const others = more === 0 ? '' : more === 1 ? '. 1 more row is wrong' : `. ${more} more rows are wrong`
  return `Row ${row}: ${error}; nothing was imported${others}`
}
