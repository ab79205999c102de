import { Type } from 'typebox'
import {
  Count,
  closed,
  Id,
  Metadata,
  NullableId,
  NullableNumber,
  NullableString,
  NullableTimestamp,
  nullable,
  optionalBody,
  orNull,
  queryText,
  TraceRef,
} from '../../http/schemas.ts'
import { TraceSummary } from '../../traces/trace-schemas.ts'
import { RatingColor, RatingKey } from '../rating-scheme-schemas.ts'

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

const QUEUE_ORDERS = ['random', 'information', 'calibration'] as const

/**
 * How many further ratings bring the corrected rate of `evaluator` to the requested precision, the half width of its 95 %
 * interval. `ratingsNeeded` is null if the run has too few traces; it and `labels` are null in a blind run.
 */
const Calibration = closed(
  {
    evaluator: Type.String(),
    labels: orNull(Type.Integer({ minimum: 0 })),
    precision: Type.Number(),
    ratingsNeeded: orNull(Type.Integer({ minimum: 0 })),
    summary: Type.String(),
  },
  { title: 'QueueCalibration' },
)
const OptionalCalibration = Type.Optional(nullable(Calibration, { description: 'Present with order=calibration' }))

/**
 * `total` is the number of traces of the run, `rated` the number that the caller has rated, and `remaining` the number
 * that the caller can still rate. `ratings` are the allowed ratings.
 */
export const Queue = closed(
  {
    item: nullable(QueueItem),
    remaining: Count,
    rated: Count,
    total: Count,
    order: Type.Enum(QUEUE_ORDERS, { type: 'string' }),
    leaseUntil: NullableTimestamp,
    blind: Type.Boolean(),
    ratings: Type.Array(Choice),
    summary: Type.String(),
    calibration: OptionalCalibration,
  },
  { title: 'Queue' },
)

/** How far ahead traces are reserved. More would keep slots from other raters, and a trace may have megabytes of texts. */
const ITEMS_MAX = 10

const { input, output, expected, ...facts } = QueueItem.properties
const INCLUSIONS = ['texts', 'metadata'] as const
const NullableMetadata = orNull(Metadata)

/** The texts and the metadata are present if the request includes them. */
const QueueBatchItem = closed(
  {
    ...facts,
    leaseUntil: NullableTimestamp,
    input: Type.Optional(input),
    output: Type.Optional(output),
    expected: Type.Optional(expected),
    metadata: Type.Optional(Metadata),
    itemMetadata: Type.Optional(NullableMetadata),
  },
  { title: 'QueueBatchItem' },
)

const RatingChoice = closed(
  { value: Type.String(), label: NullableString, score: NullableNumber, color: RatingColor, key: RatingKey },
  { title: 'RatingChoice' },
)

/** `skipped` is the number of traces that the caller has skipped and not rated since. */
const QueueBatch = closed(
  {
    items: Type.Array(QueueBatchItem),
    remaining: Count,
    rated: Count,
    total: Count,
    skipped: Count,
    order: Type.Enum(QUEUE_ORDERS, { type: 'string' }),
    blind: Type.Boolean(),
    ratings: Type.Array(RatingChoice),
    summary: Type.String(),
    calibration: OptionalCalibration,
  },
  { title: 'QueueBatch' },
)

/** A batch if the request has a body. */
export const QueueOrBatch = Type.Union([Queue, QueueBatch])

export const QueueNextBody = optionalBody(
  closed({
    limit: Type.Optional(
      Type.Integer({
        minimum: 1,
        maximum: ITEMS_MAX,
        default: 1,
        description: 'How many traces to return and reserve',
      }),
    ),
    include: Type.Optional(
      Type.Array(Type.Enum(INCLUSIONS, { type: 'string' }), {
        maxItems: INCLUSIONS.length,
        uniqueItems: true,
        description: 'texts: input, output and expected output; metadata: that of the trace and of its item',
      }),
    ),
    first: Type.Optional(
      Type.String({ minLength: 1, maxLength: 128, description: 'A trace to return first, if the caller can rate it' }),
    ),
  }),
)

export const QueueTracesBody = closed({ traceIds: Type.Array(TraceRef, { minItems: 1, maxItems: 100 }) })

const SKIPS_LENGTH_MAX = 4_000
const EVALUATOR_LENGTH_MAX = 200

export const QueueQuery = closed({
  skip: Type.Optional(
    Type.String({
      maxLength: SKIPS_LENGTH_MAX,
      description: 'Traces to skip: comma-separated values of traceDbId',
    }),
  ),
  order: Type.Optional(
    Type.Enum(QUEUE_ORDERS, {
      type: 'string',
      default: 'random',
      description:
        'random: a random sample. calibration: drawn at random by the verdict of an evaluator, so that its corrected rate becomes certain soon. information: first where ratings and evaluators differ, or evaluators are unsure; not a sample, so not used in corrected rates',
    }),
  ),
  evaluator: Type.Optional(
    Type.String({
      minLength: 1,
      maxLength: EVALUATOR_LENGTH_MAX,
      description: 'With order=calibration: an evaluator with a pass threshold. Default: the first by name',
    }),
  ),
  precision: queryText({
    type: 'number',
    minimum: 0.005,
    maximum: 0.5,
    default: 0.05,
    description: 'With order=calibration: the half width of the interval to aim at',
  }),
})
