import { Type } from 'typebox'
import {
  Count,
  closed,
  Id,
  Metadata,
  NullableNumber,
  NullableString,
  nullable,
  queryId,
  Timestamp,
} from '../http/schemas.ts'
import { keysetQuery } from './keyset-page.ts'
import {
  ComparisonSummary,
  EvaluatedMetrics,
  evaluatedFields,
  OverviewEvaluation,
  OverviewRun,
  ratedRunFields,
} from './overview-schemas.ts'

const OfDataset = queryId('Only what belongs to this dataset.')
const OfRun = queryId('Only evaluations of this run.')
const OneRun = queryId('Only this run.')

export const DatasetSummariesQuery = closed(keysetQuery)
export const RunSummariesQuery = closed({ ...keysetQuery, dataset_id: OfDataset, run_id: OneRun })
export const EvaluationSummariesQuery = closed({
  ...keysetQuery,
  dataset_id: OfDataset,
  run_id: OfRun,
  evaluation_id: queryId('Only this evaluation.'),
})

const RunSummary = closed(
  {
    ...ratedRunFields,
    metadata: Metadata,
    /** Null for the older runs of a page with very many traces. */
    traces: nullable(
      closed({
        arrived: Count,
        errors: Count,
        /** The sum of the known costs; null if none is known. `unknown` counts the traces without one. */
        cost: closed({ usd: NullableNumber, unknown: Count }),
      }),
    ),
    /** In any state. */
    newestEvaluation: nullable(OverviewEvaluation),
    /** Each metric of the newest completed evaluation that has it. */
    results: nullable(EvaluatedMetrics),
    comparison: nullable(ComparisonSummary),
  },
  { title: 'RunSummary' },
)

const EvaluationSummary = closed(
  { ...evaluatedFields, comparison: nullable(ComparisonSummary), spentUsd: NullableNumber },
  { title: 'EvaluationSummary' },
)

const DatasetSummary = closed(
  {
    id: Id,
    name: Type.String(),
    description: NullableString,
    itemCount: Count,
    createdAt: Timestamp,
    runs: Count,
    newestRun: nullable(OverviewRun),
    /** Of the run that was evaluated last. */
    results: nullable(EvaluatedMetrics),
  },
  { title: 'DatasetSummary' },
)

function pageOf<Schema extends typeof RunSummary | typeof EvaluationSummary | typeof DatasetSummary>(
  schema: Schema,
  title: string,
) {
  return closed({ data: Type.Array(schema), nextCursor: NullableString }, { title })
}

export const RunSummaries = pageOf(RunSummary, 'RunSummaries')
export const EvaluationSummaries = pageOf(EvaluationSummary, 'EvaluationSummaries')
export const DatasetSummaries = pageOf(DatasetSummary, 'DatasetSummaries')
