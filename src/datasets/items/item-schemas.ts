import { Type } from 'typebox'
import { Count, closed, Id, Metadata, NullableString, Timestamp, TraceRef } from '../../http/schemas.ts'
import type { Split } from '../splits/split.ts'
import { NullableSplit, SplitName } from '../splits/split-schemas.ts'

export const ITEMS_PER_REQUEST_MAX = 1_000

/** Text is stored as it is, any other value as JSON text; null means no content. */
const Content = Type.Unknown({ description: 'A text, or any JSON value, which is kept as JSON text' })

/** In the API, `traceId` is the sender's id of the trace and `traceDbId` is ours, once the trace has arrived. */
export const Item = closed(
  {
    id: Id,
    datasetId: Id,
    traceDbId: NullableString,
    traceId: NullableString,
    input: NullableString,
    output: NullableString,
    expected: NullableString,
    metadata: Metadata,
    split: NullableSplit,
    createdAt: Timestamp,
  },
  { title: 'DatasetItem' },
)

export const ItemParams = closed({ componentId: Id, datasetId: Id, itemId: Id })

export type NewItemFields = {
  traceId?: string
  input?: unknown
  output?: unknown
  expected?: unknown
  metadata?: Record<string, unknown>
  split?: Split | null
}

const NewItem = closed(
  {
    traceId: Type.Optional(TraceRef),
    input: Type.Optional(Content),
    output: Type.Optional(Content),
    expected: Type.Optional(Content),
    metadata: Type.Optional(Metadata),
    split: Type.Optional(NullableSplit),
  },
  { title: 'NewDatasetItem' },
)

/** One schema for both forms instead of a union, so that validation errors name the invalid field. */
export const AddItemsBody = Type.Unsafe<NewItemFields | NewItemFields[]>({
  description: `One item, or up to ${ITEMS_PER_REQUEST_MAX} in an array. An item has a traceId, an input, or both.`,
  type: ['object', 'array'],
  properties: NewItem.properties,
  additionalProperties: false,
  items: NewItem,
})

export const ItemsFromQueryBody = closed(
  {
    q: Type.String({ minLength: 1, maxLength: 2_000, description: 'A query of the query language.' }),
    limit: Type.Optional(
      Type.Integer({
        minimum: 1,
        maximum: ITEMS_PER_REQUEST_MAX,
        description: 'The newest traces that match become items, at most this many; 100 by default.',
      }),
    ),
    expected: Type.Optional(
      Type.Enum(['none', 'output'], {
        type: 'string',
        description: 'The expected output of the new items: none, which is the default, or the output of the trace.',
      }),
    ),
    split: Type.Optional(NullableSplit),
  },
  { title: 'ItemsFromQuery' },
)

export const ItemsFromQuery = closed(
  {
    added: Count,
    skipped: Type.Integer({ minimum: 0, description: 'Traces that are items of the dataset already.' }),
    addedIds: Type.Array(Id, { description: 'The ids of the new items, so that they can be deleted again.' }),
  },
  { title: 'ItemsFromQueryResult' },
)

export const ChangeItemBody = closed(
  {
    input: Type.Optional(Content),
    output: Type.Optional(Content),
    expected: Type.Optional(Content),
    metadata: Type.Optional(Metadata),
    split: Type.Optional(NullableSplit),
  },
  { minProperties: 1 },
)

export const ItemsQuery = closed({ split: Type.Optional(SplitName) })

export const ImportResult = closed(
  {
    imported: Count,
    /** Invalid rows, and rows whose trace is already an item. */
    skipped: Count,
    errors: Type.Array(closed({ row: Count, error: Type.String() })),
  },
  { title: 'ImportResult' },
)

export const ExportQuery = closed({
  format: Type.Optional(Type.Enum(['csv', 'jsonl', 'json'], { type: 'string' })),
})
