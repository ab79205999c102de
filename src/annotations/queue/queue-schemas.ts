import { Type } from 'typebox'
import { Count, closed, Id, NullableId, NullableString, NullableTimestamp } from '../../http/schemas.ts'
import { TraceSummary } from '../../traces/trace-schemas.ts'

const { id: _ourId, ...summary } = TraceSummary.properties

/**
 * A trace to be rated. It contains neither the ratings of others nor the results of judges. `comment` is the caller's
 * own comment.
 */
const QueueItem = closed(
  {
    traceDbId: Id,
    ...summary,
    itemId: NullableId,
    input: NullableString,
    output: NullableString,
    expected: NullableString,
    comment: NullableString,
  },
  { title: 'QueueItem' },
)

const Choice = closed({ value: Type.String(), label: NullableString })

const QUEUE_ORDERS = ['coverage', 'information'] as const

/**
 * `total` is the number of traces of the run, `rated` the number that the caller has rated, and `remaining` the number
 * that the caller can still rate. `ratings` are the allowed ratings.
 */
export const Queue = closed(
  {
    item: Type.Unsafe<unknown>({ anyOf: [QueueItem, { type: 'null' }] }),
    remaining: Count,
    rated: Count,
    total: Count,
    order: Type.Enum(QUEUE_ORDERS, { type: 'string' }),
    leaseUntil: NullableTimestamp,
    blind: Type.Boolean(),
    ratings: Type.Array(Choice),
    summary: Type.String(),
  },
  { title: 'Queue' },
)

const SKIPS_LENGTH_MAX = 4_000

export const QueueQuery = closed({
  skip: Type.Optional(
    Type.String({
      maxLength: SKIPS_LENGTH_MAX,
      description: 'Traces to skip: comma-separated values of traceDbId',
    }),
  ),
})
