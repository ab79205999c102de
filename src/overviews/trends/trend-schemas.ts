import { Type } from 'typebox'
import { Count, closed, NullableInterval, NullableNumber, nullable, queryId, Timestamp } from '../../http/schemas.ts'
import {
  evaluatedFields,
  metricFields,
  OverviewRun,
  periodFields,
  periodQuery,
  TraceNumbers,
} from '../overview-schemas.ts'

export const TrendsQuery = closed({
  ...periodQuery,
  dataset_id: queryId('The id of a dataset: only its evaluations. Traces are all traces.'),
})

const TrendMetric = closed(
  {
    ...metricFields,
    settingsKey: Type.String({
      description:
        'Equal for measurements with the same settings: the options of the evaluator, the model connection and the split.',
    }),
  },
  { title: 'TrendMetric' },
)

const TrendEvaluation = closed(
  {
    ...evaluatedFields,
    metrics: Type.Array(TrendMetric),
    items: Type.Integer({
      minimum: 0,
      description: "The number of the dataset's present items that existed when the evaluation was created.",
    }),
  },
  { title: 'TrendEvaluation' },
)

const Quantile = closed({ ms: NullableNumber, ci: NullableInterval, n: Count })

const TrendBucket = closed(
  {
    start: Timestamp,
    count: Count,
    errors: Count,
    errorRate: TraceNumbers.errorRate,
    p50: Quantile,
    p95: Quantile,
    cost: TraceNumbers.cost,
    costPerTrace: closed({ mean: NullableNumber, ci: NullableInterval, n: Count }),
  },
  { title: 'TrendBucket' },
)

const VersionChange = closed(
  {
    kind: Type.Enum(['run', 'service'], {
      type: 'string',
      description:
        'run: the metadata of a run differ from those of the runs before; service: the first trace of a service.version.',
    }),
    at: Timestamp,
    field: Type.String(),
    value: Type.String(),
    previous: Type.String(),
    run: nullable(OverviewRun),
  },
  { title: 'VersionChange' },
)

export const ComponentTrends = closed(
  {
    ...periodFields,
    evaluations: Type.Array(TrendEvaluation, { description: 'The completed ones of the period, oldest first.' }),
    hasMoreEvaluations: Type.Boolean({ description: 'True if the period has older evaluations, too.' }),
    traces: closed({
      counted: TraceNumbers.counted,
      others: TraceNumbers.others,
      isSampled: TraceNumbers.isSampled,
      buckets: Type.Array(TrendBucket),
    }),
    versions: Type.Array(VersionChange, { description: 'The changes of the version in the period, oldest first.' }),
  },
  { title: 'ComponentTrends' },
)
