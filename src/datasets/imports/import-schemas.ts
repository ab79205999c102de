import { Type } from 'typebox'
import {
  Count,
  closed,
  described,
  Id,
  NullableId,
  NullableInteger,
  NullableString,
  NullableTimestamp,
  queryText,
  Timestamp,
} from '../../http/schemas.ts'
import { ImportResult } from '../items/item-schemas.ts'
import { BAD_ROWS_MAX } from './read-import-file.ts'

const MAPPING_LENGTH_MAX = 6_000
const FILE_NAME_LENGTH_MAX = 255

const Mapping = Type.Optional(
  Type.String({
    maxLength: MAPPING_LENGTH_MAX,
    description:
      'A JSON object that maps columns to fields: {"question":"input","order":{"field":"metadata.order","as":"json"},"note":"ignore"}. Columns that are not named are mapped by their exact name, and all others to metadata.',
  }),
)

/** With any of these, the response is an ImportReport. `partial` is older and has the short response. */
export const ImportQuery = closed({
  partial: Type.Optional(Type.Enum(['true', 'false'], { type: 'string' })),
  dry_run: queryText({ type: 'boolean', description: 'true reads and checks the file and stores nothing.' }),
  on_error: Type.Optional(
    Type.Enum(['fail', 'skip'], {
      type: 'string',
      description: 'fail imports nothing if a row is bad, which is the default; skip imports the other rows.',
    }),
  ),
  duplicates: Type.Optional(
    Type.Enum(['keep', 'skip'], {
      type: 'string',
      description:
        'Rows with the input of an item or of an earlier row: keep imports them, which is the default. Rows of a trace that is an item are always skipped.',
    }),
  ),
  mapping: Mapping,
  file_name: Type.Optional(
    Type.String({ minLength: 1, maxLength: FILE_NAME_LENGTH_MAX, description: 'Shown in the list of imports.' }),
  ),
})

export const BadRowsQuery = closed({ mapping: Mapping })

const Format = Type.Enum(['csv', 'jsonl', 'json'], { type: 'string' })

const BadRow = closed(
  {
    row: Type.Integer({ minimum: 1, description: 'Counted from 1; of CSV, the header is row 1.' }),
    column: described(NullableString, 'The column of the file; null if the whole row is bad.'),
    reason: Type.String(),
    found: described(NullableString, 'The beginning of the value.'),
  },
  { title: 'BadImportRow' },
)

const DuplicateRow = closed(
  {
    row: Type.Integer({ minimum: 1 }),
    by: Type.Enum(['input', 'trace'], { type: 'string' }),
    itemId: described(NullableId, 'The item of the dataset that is the same.'),
    firstRow: described(NullableInteger, 'The earlier row of the file that is the same, if no item is.'),
    found: NullableString,
  },
  { title: 'DuplicateImportRow' },
)

const ImportReport = closed(
  {
    importId: described(NullableId, 'Null if nothing was stored.'),
    dryRun: Type.Boolean(),
    format: Format,
    encoding: Type.Enum(['utf-8', 'utf-16le', 'utf-16be'], { type: 'string' }),
    delimiter: described(NullableString, 'Null for JSON.'),
    rows: Type.Integer({ minimum: 0, description: 'Without the header and empty lines.' }),
    imported: Type.Integer({
      minimum: 0,
      description: 'The new items; of a dry run, those that the import would add.',
    }),
    bad: closed({
      count: Count,
      rows: Type.Array(BadRow, { description: `The first ${BAD_ROWS_MAX}.` }),
    }),
    duplicates: closed({
      count: Type.Integer({ minimum: 0, description: 'Rows that are good and were there before.' }),
      skipped: Count,
      rows: Type.Array(DuplicateRow, { description: `The first ${BAD_ROWS_MAX}.` }),
    }),
    mapping: Type.Array(
      closed(
        {
          column: Type.String(),
          field: Type.String({
            description: 'id, input, output, expected, metadata, metadata.<key>, traceId, split or ignore.',
          }),
          as: Type.Enum(['text', 'json'], { type: 'string' }),
        },
        { title: 'ImportColumn' },
      ),
      { description: 'The mapping that was used, in the order of the columns.' },
    ),
  },
  { title: 'ImportReport' },
)

export const ImportResultOrReport = Type.Union([ImportResult, ImportReport])

export const ImportParams = closed({ componentId: Id, datasetId: Id, importId: Id })

export const DatasetImport = closed(
  {
    id: Id,
    datasetId: Id,
    fileName: NullableString,
    format: Format,
    state: Type.Enum(['imported', 'undone'], { type: 'string' }),
    rows: Count,
    imported: Count,
    bad: Count,
    duplicates: Type.Integer({ minimum: 0, description: 'Duplicates that were skipped.' }),
    createdBy: Id,
    createdAt: Timestamp,
    undoneBy: NullableId,
    undoneAt: NullableTimestamp,
    removed: described(NullableInteger, 'The items that the undo has removed.'),
    kept: described(NullableInteger, 'The items that stayed.'),
  },
  { title: 'DatasetImport' },
)

export const UndoQuery = closed({
  dry_run: queryText({ type: 'boolean', description: 'true counts the items and removes nothing.' }),
})

export const UndoneImport = closed(
  {
    importId: Id,
    dryRun: Type.Boolean(),
    removed: Count,
    kept: closed({
      changed: Type.Integer({ minimum: 0, description: 'Items that were changed after the import.' }),
      used: Type.Integer({
        minimum: 0,
        description: 'Items that a run contains or an evaluation has scored. Delete it first to remove them.',
      }),
    }),
  },
  { title: 'UndoneImport' },
)
