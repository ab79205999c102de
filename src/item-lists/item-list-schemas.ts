import { Type } from 'typebox'
import { Item } from '../datasets/items/item-schemas.ts'
import { SPLITS } from '../datasets/splits/split.ts'
import { NullableSplit, TestSet } from '../datasets/splits/split-schemas.ts'
import {
  Count,
  closed,
  described,
  Id,
  NullableBoolean,
  NullableId,
  NullableNumber,
  NullableString,
  NullableTimestamp,
  nullable,
  orNull,
  queryText,
  Timestamp,
} from '../http/schemas.ts'
import { EvaluatedMetrics } from '../overviews/overview-schemas.ts'
import { HEALTH_CHECKS, ITEM_FILTERS, ITEM_SORTS, ITEM_SOURCES } from './item-filters.ts'

export const ROWS_PER_PAGE = { default: 50, max: 100 } as const
/** Of one change of many items. */
export const ITEMS_CHANGED_MAX = 10_000

const NeedleQuery = Type.Optional(
  Type.String({ minLength: 1, maxLength: 500, description: 'Text in the input or the expected output, in any case.' }),
)
const SplitFilter = Type.Optional(
  Type.Enum([...SPLITS, 'none'] as const, { type: 'string', description: 'A split; `none` for items without one.' }),
)
const SourceFilter = Type.Optional(Type.Enum(ITEM_SOURCES, { type: 'string' }))
const FilterName = Type.Optional(
  Type.Enum(ITEM_FILTERS, {
    type: 'string',
    description:
      'What the health of the dataset counts, or what the newest evaluated run says: items that turned since the run before, and items that do not pass.',
  }),
)

export const ItemRowsQuery = closed({
  q: NeedleQuery,
  split: SplitFilter,
  source: SourceFilter,
  filter: FilterName,
  sort: Type.Optional(
    Type.Enum(ITEM_SORTS, {
      type: 'string',
      description: 'By default newest first; `turned` has first what turned to fail in the newest run.',
    }),
  ),
  limit: queryText({ type: 'integer', minimum: 1, maximum: ROWS_PER_PAGE.max, default: ROWS_PER_PAGE.default }),
  cursor: Type.Optional(Type.String({ maxLength: 500, description: 'The `nextCursor` of the page before.' })),
})

const Preview = nullable(
  closed({ text: Type.String({ description: 'The first 200 characters.' }), length: Count }, { title: 'TextPreview' }),
)

const ItemMetric = closed(
  {
    name: Type.String(),
    state: Type.Enum(['scored', 'failed', 'skipped', 'pending'] as const, { type: 'string' }),
    /** The mean of the repetitions. */
    score: NullableNumber,
    label: NullableString,
    passed: described(
      NullableBoolean,
      'Whether more than half of the repetitions passed; null if the metric does not decide.',
    ),
    repetitions: Count,
  },
  { title: 'ItemMetric' },
)

const ItemResult = closed(
  {
    runId: Id,
    /** The trace of the item in this run, by the id of the sender. */
    traceId: NullableString,
    turned: orNull(
      Type.Enum(['to_fail', 'to_pass'], {
        type: 'string',
        description:
          'Whether the first metric of the run passed and did not in the run before, or the other way round.',
      }),
    ),
    metrics: Type.Array(ItemMetric, { description: 'Empty if the evaluation of the run has not measured the item.' }),
  },
  { title: 'ItemResult' },
)

const ItemRow = closed(
  {
    id: Id,
    number: Type.Integer({ minimum: 1, description: 'The place of the item in the dataset, oldest first.' }),
    input: Preview,
    expected: Preview,
    metadata: Preview,
    split: NullableSplit,
    group: described(NullableString, 'The value of the field that groups the items, as JSON.'),
    source: closed({
      kind: Type.Enum(ITEM_SOURCES, { type: 'string' }),
      traceId: NullableString,
      traceDbId: NullableString,
    }),
    createdAt: Timestamp,
    changedAt: NullableTimestamp,
    results: Type.Array(ItemResult, { description: 'In the order of `runs`.' }),
  },
  { title: 'ItemRow' },
)

const RunColumn = closed(
  {
    run: closed({ id: Id, name: NullableString, createdAt: Timestamp }),
    evaluationId: Id,
    metrics: EvaluatedMetrics.properties.metrics,
    /** The name of the metric that decides whether an item has turned. */
    headline: NullableString,
  },
  { title: 'RunColumn' },
)
const runs = Type.Array(RunColumn, { description: 'The newest five runs with a completed evaluation, oldest first.' })

export const ItemRows = closed(
  { runs, data: Type.Array(ItemRow), nextCursor: NullableString, total: Count },
  { title: 'ItemRows' },
)

export const ItemDetail = closed(
  {
    item: Item,
    row: ItemRow,
    runs,
    history: closed({ createdBy: NullableId, changedAt: NullableTimestamp, changedBy: NullableId }),
  },
  { title: 'ItemDetail' },
)

export const DatasetContents = closed(
  {
    items: Count,
    splits: closed({ train: Count, validation: Count, test: Count, none: Count }),
    sources: closed({ trace: Count, import: Count, hand: Count }),
    changedAt: NullableTimestamp,
    /** The id of the user; null if spans did it. */
    changedBy: NullableId,
    testSet: TestSet,
    turnedBy: described(
      NullableString,
      'The metric by which items turned; null if the two newest runs have none in common.',
    ),
    turnedToFail: Count,
    turnedToPass: Count,
    failing: Count,
  },
  { title: 'DatasetContents' },
)

export const DatasetHealth = closed(
  {
    checks: Type.Array(
      closed({
        check: Type.Enum(HEALTH_CHECKS, { type: 'string', description: 'Also the `filter` that lists the items.' }),
        count: Count,
        itemIds: Type.Array(Id, { description: 'Up to 100 of the items, oldest first.' }),
        method: Type.String(),
      }),
    ),
    nearDuplicates: closed({
      compared: Count,
      isComplete: Type.Boolean({ description: 'False if the dataset has more different questions than are compared.' }),
      pairs: Type.Array(closed({ id: Id, similarTo: Id, similarity: Type.Number() }, { title: 'SimilarItems' }), {
        description: 'Up to 100.',
      }),
    }),
  },
  { title: 'DatasetHealth' },
)

const selection = closed(
  { q: NeedleQuery, split: SplitFilter, source: SourceFilter, filter: FilterName },
  { title: 'ItemSelection' },
)

export const BulkItemsBody = closed(
  {
    ids: Type.Optional(Type.Array(Id, { minItems: 1, maxItems: ITEMS_CHANGED_MAX })),
    where: Type.Optional(selection),
    set: Type.Optional(closed({ split: NullableSplit })),
    delete: Type.Optional(Type.Literal(true)),
  },
  { title: 'ChangeItems' },
)

const before = Type.Array(
  closed({
    split: orNull(Type.Enum(SPLITS, { type: 'string' })),
    ids: Type.Array(Id),
  }),
  { description: 'The changed items by the split that they had, so that the change can be undone.' },
)

export const BulkItems = closed({ changed: Count, before }, { title: 'ChangedItems' })

const Share = Type.Optional(Type.Number({ minimum: 0, maximum: 1 }))

export const AssignSplitsBody = closed(
  {
    shares: closed({ train: Share, validation: Share, test: Share }),
    seed: Type.Optional(
      Type.String({ maxLength: 200, description: 'The same seed distributes the same items in the same way.' }),
    ),
    items: Type.Optional(
      Type.Enum(['all', 'without_split'] as const, { type: 'string', description: 'Default: items without a split.' }),
    ),
  },
  { title: 'AssignSplits' },
)

export const AssignedSplits = closed(
  { changed: Count, counts: closed({ train: Count, validation: Count, test: Count }), before },
  { title: 'AssignedSplits' },
)
