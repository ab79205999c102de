import { Type } from 'typebox'
import {
  Count,
  closed,
  described,
  NullableNumber,
  NullableString,
  queryText,
  queryTime,
  Timestamp,
} from '../http/schemas.ts'
import { TraceListQuery } from '../traces/trace-schemas.ts'
import { BUCKETS, BUCKETS_MAX, FIRST_TRACE } from './series-range.ts'

export const SERIES_GROUPS = ['component', 'model', 'status', 'service', 'environment', 'source'] as const

const { start_after: _after, start_before: _before, ...filters } = TraceListQuery.properties

export const SeriesQuery = closed({
  ...filters,
  from: queryTime(
    'absolute or relative',
    `A date, a date-time or a relative time such as -7d; \`${FIRST_TRACE}\` is the hour of the first trace. Default: 24 hours before \`to\`.`,
    [FIRST_TRACE],
  ),
  to: queryTime('absolute or relative', 'A date, a date-time or a relative time; exclusive. Default: now.'),
  bucket: queryText({
    type: 'string',
    enum: ['auto', ...BUCKETS.keys()],
    default: 'auto',
    description: `The length of a bucket; at most ${BUCKETS_MAX} buckets.`,
  }),
  group_by: queryText({
    type: 'string',
    enum: SERIES_GROUPS,
    description: 'One series for each of the five most frequent values, and one for the others.',
  }),
})

const SeriesBucket = closed(
  {
    start: Timestamp,
    count: Count,
    errors: Count,
    p50Ms: NullableNumber,
    p95Ms: NullableNumber,
    tokens: Count,
    costUsd: Type.Number({ description: 'The sum of the known costs.' }),
  },
  { title: 'SeriesBucket' },
)

export const TraceSeries = closed(
  {
    from: Timestamp,
    to: Timestamp,
    bucketSeconds: Count,
    completeFrom: Type.String({
      format: 'date-time',
      description:
        'The start of the first bucket that is returned. Later than `from` if too many traces would have to be read for the whole range.',
    }),
    durationsAreSampled: Type.Boolean({
      description:
        'True if p50 and p95 are from a sample of the traces of each bucket. Counts and sums are always exact.',
    }),
    series: Type.Array(
      closed({
        kind: Type.Enum(['all', 'value', 'others'], { type: 'string' }),
        value: described(
          NullableString,
          'The value of `group_by`, for a component its id; null for traces without a value, and for `all` and `others`.',
        ),
        label: NullableString,
        buckets: Type.Array(SeriesBucket),
      }),
    ),
  },
  { title: 'TraceSeries' },
)
