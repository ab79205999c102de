import { Type } from 'typebox'
import { nameListQuery } from '../http/query-parameters.ts'
import {
  Count,
  closed,
  described,
  Id,
  NullableBoolean,
  NullableNumber,
  NullableString,
  NullableTimestamp,
  nullable,
  queryText,
} from '../http/schemas.ts'
import {
  TraceList,
  TraceListQuery,
  TraceSource,
  tracePromptFields,
  traceSummaryFields,
} from '../traces/trace-schemas.ts'
import { SORTS } from './trace-cursor.ts'

/** The parts of a row that cost more than the row itself. */
export const ROW_PARTS = ['previews', 'ratings', 'scores'] as const

export const TraceRowsQuery = closed({
  ...TraceListQuery.properties,
  include: nameListQuery(ROW_PARTS, {
    isEmptyAllowed: true,
    description: `Returns rows (TraceRowList) with these parts: any of ${ROW_PARTS.join(', ')}, separated by commas, or none.`,
  }),
  sort: queryText({
    type: 'string',
    enum: SORTS,
    default: '-time',
    description:
      'Returns rows in this order; a minus means descending. `time` is the start time, `arrival` the order in which traces were received. Traces without a value come last.',
  }),
  cursor: queryText({
    type: 'string',
    description: 'Returns the rows that follow: the `nextCursor` of a response with the same sort and filters.',
  }),
})

export const TraceExportQuery = closed({
  ...TraceListQuery.properties,
  format: Type.Optional(Type.Enum(['csv', 'jsonl'], { type: 'string', description: 'Default: jsonl.' })),
})

const Preview = nullable(closed({ input: NullableString, output: NullableString }, { title: 'TracePreview' }), {
  description:
    'With `include=previews`: the beginning of the input and of the output, at most 200 characters each. Null if the traces of the page are too large to read.',
})

const VisibleRating = closed({ userId: Type.String(), rating: Type.String() }, { title: 'VisibleRating' })

const TraceScore = closed(
  {
    evaluationId: Id,
    evaluator: Type.String(),
    score: NullableNumber,
    label: NullableString,
    passed: NullableBoolean,
    repetitions: Count,
  },
  { title: 'TraceScore' },
)

const TraceRow = closed(
  {
    ...traceSummaryFields,
    createdAt: Type.String({ format: 'date-time', description: 'When the first span of the trace arrived.' }),
    sessionId: NullableString,
    userId: NullableString,
    service: NullableString,
    environment: NullableString,
    source: TraceSource,
    prompts: Type.Array(closed(tracePromptFields, { title: 'TracePrompt' }), {
      description: 'The prompts that its spans name, at most 20.',
    }),
    tags: Type.Array(Type.String()),
    spanCount: Count,
    errorCount: Count,
    models: Type.Array(Type.String()),
    costBasis: described(NullableString, 'The basis of the costs of the spans; `mixed` if they have several.'),
    hasAllModels: Type.Boolean({
      description:
        'False if the traces of the page have too many spans to read: `models` and `costBasis` are then those of the first and the last model call.',
    }),
    preview: Type.Optional(Preview),
    ratings: Type.Optional(
      Type.Array(VisibleRating, { description: 'With `include=ratings`: the ratings that the caller may see.' }),
    ),
    scores: Type.Optional(
      Type.Array(TraceScore, {
        description:
          'With `include=scores`: for each evaluator the score in its newest evaluation, the mean of its repetitions.',
      }),
    ),
  },
  { title: 'TraceRow' },
)

const TraceRowList = closed(
  {
    data: Type.Array(TraceRow),
    nextCursor: described(NullableString, 'Null after the last row.'),
    total: Count,
    totalIsExact: Type.Boolean({
      description: 'False if more traces match than were counted: `total` is then a minimum.',
    }),
    sortIsComplete: Type.Boolean({
      description:
        'False if more traces match than can be sorted by a value: the rows are then the newest 10,000 matches (1,000 for a text that very many spans contain).',
    }),
    searchedSince: described(
      NullableTimestamp,
      'Null if all traces were searched. Texts of fewer than three letters, attributes, and all texts until the index is built, are searched in the latest traces only: those that started at this time or later. A query such as `start:<` with this time searches earlier ones.',
    ),
  },
  { title: 'TraceRowList' },
)

export const TraceListOrRows = Type.Union([TraceList, TraceRowList])
