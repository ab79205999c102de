import { type TSchema, Type } from 'typebox'
import {
  anyObject,
  Count,
  closed,
  described,
  Id,
  NullableId,
  NullableInteger,
  NullableNumber,
  NullableString,
  NullableTimestamp,
  nullable,
  orNull,
  queryId,
  queryText,
  queryTime,
  Timestamp,
  TraceRef,
} from '../http/schemas.ts'
import { PROMPT_SOURCES, SPAN_KINDS, TRACE_SOURCES } from './storing/mapped-span.ts'

const Status = Type.Enum(['ok', 'error'], { type: 'string' })
const Kind = Type.Enum(SPAN_KINDS, { type: 'string' })
/** What a trace was recorded for. */
export const TraceSource = Type.Enum(TRACE_SOURCES, {
  type: 'string',
  description:
    'From the attribute `touchstone.source`; otherwise `run` for traces that name a run or are linked to one, and `production` for all others.',
})
export const tracePromptFields = {
  name: Type.String({ description: '`answer@12`; `answer` for a fallback, `@12` for a version without a name.' }),
  label: described(NullableString, 'That the client asked for.'),
  source: orNull(Type.Enum(PROMPT_SOURCES, { type: 'string' })),
}
/** Values under names that the sender chooses. */
const Anything = anyObject()

/** In the API, the component of a trace is called `aiComponentId`. */
export const traceSummaryFields = {
  id: Id,
  traceId: Type.String(),
  name: NullableString,
  status: Status,
  aiComponentId: NullableId,
  componentName: NullableString,
  durationMs: NullableInteger,
  totalTokens: NullableInteger,
  totalCostUsd: NullableNumber,
  startTime: Timestamp,
  endTime: NullableTimestamp,
}

export const TraceSummary = closed(traceSummaryFields, { title: 'TraceSummary' })

const SpanEvent = closed(
  { id: Id, spanDbId: Id, name: Type.String(), timestamp: Timestamp, body: Anything },
  { title: 'SpanEvent' },
)

/** `extra` has additional fields, such as a finish reason. */
const Message = closed(
  {
    role: Type.String(),
    parts: Type.Array(anyObject()),
    extra: Type.Optional(Anything),
  },
  { title: 'Message' },
)

const Messages = nullable(Type.Array(Message))

export const Span = closed(
  {
    id: Id,
    spanId: Type.String(),
    traceId: Type.String(),
    traceDbId: Id,
    parentSpanId: NullableString,
    name: Type.String(),
    kind: Kind,
    startTime: Timestamp,
    endTime: NullableTimestamp,
    durationMs: NullableNumber,
    status: Status,
    statusMessage: NullableString,
    input: NullableString,
    output: NullableString,
    messages: Messages,
    metadata: Anything,
    model: NullableString,
    provider: NullableString,
    inputTokens: NullableInteger,
    outputTokens: NullableInteger,
    totalTokens: NullableInteger,
    costUsd: NullableNumber,
    costBasis: NullableString,
    modelParameters: Anything,
    createdAt: Timestamp,
    events: Type.Array(SpanEvent),
  },
  { title: 'Span' },
)

export const Trace = closed(
  {
    ...traceSummaryFields,
    workspaceId: Id,
    sessionId: NullableString,
    userId: NullableString,
    input: NullableString,
    output: NullableString,
    metadata: Anything,
    tags: Type.Array(Type.String()),
    createdAt: Timestamp,
    spans: Type.Array(Span),
    nextSpansOffset: Type.Optional(
      Type.Integer({
        description:
          'Present if not all spans are included: read on with `GET /traces/{traceId}/spans?offset=` and this number.',
      }),
    ),
  },
  { title: 'Trace' },
)

const NextOffset = described(
  NullableInteger,
  'Where the next page begins; null behind the last span. A page may end before its limit where spans are large.',
)

export const SpanList = closed({ data: Type.Array(Span), total: Count, nextOffset: NextOffset })

/** `traces` duplicates `data`: existing clients of this API read that name. */
export const TraceList = closed({ data: Type.Array(TraceSummary), total: Count, traces: Type.Array(TraceSummary) })

export const TraceStats = closed(
  { totalTraces: Count, totalTokens: Count, totalCostUsd: Type.Number(), errorRate: Type.Number() },
  { title: 'TraceStats' },
)

/** An array with one entry per span, in chronological order. */
function column(entry: TSchema, description: string) {
  return Type.Array(entry, { description })
}

const count = (description: string) => orNull(Type.Integer({ minimum: 0, description }))

/** Null if no span of the trace reports it. */
export const TraceTokens = closed(
  {
    input: count('Tokens of the input, with cached ones.'),
    cacheRead: count('The part of the input that was read from a cache.'),
    cacheWrite: count('The part of the input that was written to a cache.'),
    output: count('Tokens of the output, with reasoning.'),
    reasoning: count('The part of the output that was reasoning.'),
  },
  { title: 'TraceTokens' },
)

export const TraceOutline = closed(
  {
    startTime: Timestamp,
    total: Type.Integer({
      minimum: 0,
      description: 'The number of spans of the trace. The outline has at most the first 50,000.',
    }),
    labels: Type.Array(closed({ kind: Kind, name: Type.String({ description: 'At most 200 characters.' }) }), {
      description: 'The distinct kinds and names of the spans.',
    }),
    spanIds: column(Type.String(), 'One entry per span, in chronological order, as in the other columns.'),
    parents: column(NullableInteger, 'The position of the parent in the columns; null if the outline has no parent.'),
    labelOf: column(Count, 'The position in `labels`.'),
    startGapsMs: column(
      Type.Number(),
      'The start, in milliseconds after the start of the span before; for the first span, after `startTime`. Exact to 0.1 ms.',
    ),
    durationsMs: column(NullableNumber, 'In milliseconds, with four significant digits; null if the span has no end.'),
    errors: Type.Array(Count, { description: 'The positions of the spans that failed.' }),
    totalTokens: column(NullableInteger, 'Null if unknown.'),
    costsUsd: column(NullableNumber, 'With four significant digits; null if unknown.'),
  },
  { title: 'TraceOutline' },
)

const SEARCHED_FIELDS = ['name', 'statusMessage', 'input', 'output']

const SpanMatch = closed(
  {
    spanId: Type.String(),
    matches: Type.Array(
      closed({
        field: Type.Enum(SEARCHED_FIELDS, { type: 'string' }),
        excerpt: Type.String({
          description: 'Some characters before and after the text. Content is searched as it was sent, such as JSON.',
        }),
      }),
    ),
  },
  { title: 'SpanMatch' },
)

export const SpanMatches = closed({
  data: Type.Array(SpanMatch),
  isComplete: Type.Boolean({ description: 'False if more spans contain the text: the first 500 are returned.' }),
})

export const SpanSearchQuery = closed({
  q: Type.String({
    minLength: 1,
    maxLength: 200,
    description: 'A text, not a query; the case of ASCII letters is ignored.',
  }),
})

export const TraceQuery = closed({
  spans: Type.Optional(
    Type.Enum(['all', 'none'], {
      type: 'string',
      default: 'all',
      description: 'With `none`, the response has no spans, and `nextSpansOffset` is 0 if the trace has some.',
    }),
  ),
})

/** Our id, or that of the sender. */
export const TraceParams = closed({ traceId: Type.String({ minLength: 1, maxLength: 128 }) })

/** The span by the id of its sender. */
export const SpanParams = closed({
  traceId: Type.String({ minLength: 1, maxLength: 128 }),
  spanId: Type.String({ minLength: 1, maxLength: 128 }),
})

export const BulkDeleteBody = closed(
  {
    ids: Type.Optional(
      Type.Array(TraceRef, {
        minItems: 1,
        maxItems: 1_000,
        description: 'Ids of traces, ours or those of their senders. Unknown ones are ignored.',
      }),
    ),
    q: Type.Optional(
      Type.String({ minLength: 1, maxLength: 2_000, description: 'Instead of `ids`: a query of the query language.' }),
    ),
    expectedCount: Type.Optional(
      Type.Integer({
        minimum: 1,
        maximum: 10_000,
        description: 'Required with `q`: how many traces it matches. If this is not so, nothing is deleted.',
      }),
    ),
  },
  { title: 'BulkDelete' },
)

export const BulkDeleted = closed({ deleted: Count }, { title: 'BulkDeleted' })

const Filter = queryText({ type: 'string', minLength: 1, maxLength: 500 })

export const TraceListQuery = closed({
  status: queryText({ type: 'string', enum: ['ok', 'error'] }),
  start_after: queryTime('absolute', 'Traces that started at or after this time; a date is its start in UTC'),
  start_before: queryTime('absolute', 'Traces that started before this time'),
  component_id: queryId(),
  service: Filter,
  environment: Filter,
  session_id: Filter,
  user_id: Filter,
  q: Type.Optional(Type.String({ maxLength: 2_000 })),
})

export const STATS_DAYS_MAX = 3_650

export const StatsQuery = closed({ days_back: queryText({ type: 'integer', minimum: 1, maximum: STATS_DAYS_MAX }) })

export const MappingEntry = closed(
  {
    spanId: Type.String(),
    source: Type.String(),
    key: Type.String(),
    value: Type.Unknown({ description: 'The attribute as it was sent.' }),
    convention: NullableString,
    field: NullableString,
    outcome: Type.Enum(['used', 'outranked', 'kept', 'linked'], { type: 'string' }),
    note: NullableString,
  },
  { title: 'MappingEntry' },
)
