import { badRequest } from '../../base/errors.ts'
import type { Context, Uploaded } from '../../http/route.ts'
import { rejectionMessage, storeImport } from '../files/import-items.ts'
import type { DatasetScope } from '../items/item-queries.ts'
import { type Duplicate, findDuplicates } from './find-duplicates.ts'
import { BAD_ROWS_MAX, type ImportRow, type ReadFile, readImportFile } from './read-import-file.ts'
import type { BadRow } from './read-table-row.ts'

const FOUND_LENGTH_MAX = 200

export type ImportOptions = {
  isDryRun: boolean
  onError: 'fail' | 'skip'
  duplicates: 'keep' | 'skip'
  mapping: string | undefined
  fileName: string | undefined
}

type Options = Pick<ImportOptions, 'isDryRun' | 'onError'>

/** Reads the file before the transaction. A dry run reports bad rows in any case. */
export async function readMappedImport(
  file: Uploaded,
  { mapping, isDryRun, onError }: Options & Pick<ImportOptions, 'mapping'>,
): Promise<ReadFile> {
  const read = await readImportFile(file, mapping)
  const [first] = read.badRows
  if (first && onError === 'fail' && !isDryRun) {
    throw badRequest(rejectionMessage({ row: first.row, error: messageOf(first) }, read.badCount - 1))
  }
  return read
}

/** Imports the rows of a file in one transaction, or only counts what an import would do. */
export async function runImport(
  context: Pick<Context, 'db' | 'newId'>,
  scope: DatasetScope & { userId: string },
  { file, options }: { file: ReadFile; options: ImportOptions },
) {
  const { rows, badRows, badCount, format } = file
  let found: Map<ImportRow, Duplicate> = new Map()
  const choose = async (q: Parameters<typeof findDuplicates>[0]) => {
    found = await findDuplicates(q, scope, rows)
    return rows.filter((row) => !isSkipped(found.get(row), options))
  }
  const fileFacts = { format, fileName: options.fileName ?? null, rowCount: rows.length + badCount, badCount }
  const stored = options.isDryRun
    ? { importId: null, imported: (await choose(context.db.read)).length }
    : await storeImport(context, scope, {
        ...fileFacts,
        choose: async (tx) => (await choose(tx)).map(({ content }) => content),
      })
  return {
    importId: stored.importId,
    dryRun: options.isDryRun,
    format,
    encoding: file.encoding,
    delimiter: file.delimiter,
    rows: fileFacts.rowCount,
    imported: stored.imported,
    bad: { count: badCount, rows: badRows },
    duplicates: {
      count: found.size,
      skipped: rows.length - stored.imported,
      rows: [...found].slice(0, BAD_ROWS_MAX).map(([row, duplicate]) => ({ ...duplicate, found: shown(row) })),
    },
    mapping: file.mapping,
  }
}

function isSkipped(duplicate: Duplicate | undefined, { duplicates }: Pick<ImportOptions, 'duplicates'>): boolean {
  return duplicate !== undefined && (duplicate.by === 'trace' || duplicates === 'skip')
}

function shown({ content }: ImportRow): string | null {
  const text = content.input ?? content.traceRef
  return text === null ? null : text.slice(0, FOUND_LENGTH_MAX).toWellFormed()
}

function messageOf({ column, reason }: BadRow): string {
  return column === null || !/^[a-z]/.test(reason) ? reason : `${column} ${reason}`
}
