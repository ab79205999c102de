import { Type } from 'typebox'
import { VERDICTS } from '../comparisons/verdicts/verdict.ts'
import { NullableSplit } from '../datasets/splits/split-schemas.ts'
import {
  Count,
  closed,
  described,
  Id,
  NullableInteger,
  NullableInterval,
  NullableNumber,
  NullableString,
  NullableTimestamp,
  nullable,
  queryTime,
  Timestamp,
} from '../http/schemas.ts'
import { keysetQuery } from './keyset-page.ts'

export const periodQuery = {
  from: queryTime(
    'absolute or relative',
    'A date, a date-time or a relative time such as -7d. Default: seven days before `to`.',
  ),
  to: queryTime('absolute or relative', 'The same; exclusive. Default: now.'),
}

export const OverviewQuery = closed(periodQuery)
export const SummariesQuery = closed({ ...periodQuery, ...keysetQuery })

/** The period in whole hours, which the numbers of traces are about. */
export const periodFields = { from: Timestamp, to: Timestamp, bucketSeconds: Count }

const counted = Type.Enum(['production', 'all'], {
  type: 'string',
  description:
    'production: only traces of production count; all: all do, because the component has never had a trace of production.',
})

export const TraceNumbers = {
  counted,
  others: described(Count, 'The traces of runs, trials, experiments and the playground that do not count.'),
  count: Count,
  errors: Count,
  errorRate: closed({ rate: NullableNumber, ci: NullableInterval, n: Count }),
  /** In whole milliseconds. The interval is null if there are too few traces for one. */
  p95: closed({ ms: NullableNumber, ci: NullableInterval, n: Count }),
  cost: closed({
    usd: described(NullableNumber, 'The sum of the known costs; null if none is known.'),
    known: Type.Enum(['all', 'some', 'none'], {
      type: 'string',
      description: 'Of how many traces the cost is known, in the sample if `isSampled`.',
    }),
    unknown: described(NullableInteger, 'The number of traces without a known cost; null if `isSampled`.'),
  }),
  isSampled: Type.Boolean({
    description: 'True if durations and known costs are from a sample of the traces. Counts and sums are always exact.',
  }),
  series: Type.Array(closed({ start: Timestamp, count: Count, errors: Count })),
}

const SummaryTraces = closed(TraceNumbers, { title: 'TraceNumbers' })
const WorkingTraces = closed(
  { ...TraceNumbers, costPerTrace: closed({ mean: NullableNumber, ci: NullableInterval, n: Count }) },
  { title: 'TraceNumbersWithCost' },
)

const runFields = {
  id: Id,
  name: NullableString,
  datasetId: Id,
  datasetName: Type.String(),
  traceCount: Count,
  createdAt: Timestamp,
}
export const OverviewRun = closed(runFields, { title: 'OverviewRun' })

/** `rated` by anyone. `isToBeRated` if the run has an annotation policy or ratings. */
export const ratedRunFields = {
  ...runFields,
  rated: Count,
  unrated: Count,
  /** As far as the caller may see them. */
  openDisagreements: Count,
  isToBeRated: Type.Boolean(),
}
const RatedRun = closed(ratedRunFields, { title: 'RatedRun' })
const NewestRun = closed({ ...ratedRunFields, isEvaluated: Type.Boolean() }, { title: 'NewestRun' })

/** By the caller. `remaining` is what the queue of the run has for the caller. */
const RunToRate = closed(
  { ...runFields, rated: Count, remaining: Count, openDisagreements: Count },
  { title: 'RunToRate' },
)

const evaluationFields = {
  id: Id,
  name: NullableString,
  status: Type.Enum(['pending', 'running', 'completed', 'failed'], { type: 'string' }),
  error: NullableString,
  dataset: closed({ id: Id, name: Type.String() }),
  /** Null if the evaluation has none, or if it has been deleted. */
  run: nullable(OverviewRun),
  scores: closed({ total: Count, done: Count, failed: Count }),
  createdAt: Timestamp,
  completedAt: NullableTimestamp,
}
export const OverviewEvaluation = closed(evaluationFields, { title: 'OverviewEvaluation' })

export const metricFields = {
  name: Type.String(),
  evaluationId: Id,
  mean: NullableNumber,
  ci: NullableInterval,
  n: Count,
  cases: Count,
  failed: Count,
  kind: NullableString,
  scale: NullableInterval,
  higherIsBetter: Type.Boolean(),
  summary: described(
    NullableString,
    'To be shown instead of the mean, such as for too few cases; null if the mean can be shown.',
  ),
}
const OverviewMetric = closed(metricFields, { title: 'OverviewMetric' })
const Headline = closed(metricFields, { title: 'HeadlineMetric' })

/** Of a run, the newest evaluation, and each metric as the newest evaluation that has it measured it (`evaluationId`). */
export const evaluatedFields = {
  ...evaluationFields,
  metrics: Type.Array(OverviewMetric),
  /** The name of the metric to show first. */
  headline: NullableString,
}
export const EvaluatedMetrics = closed(evaluatedFields, { title: 'EvaluatedMetrics' })

const Verdict = Type.Enum([...VERDICTS], { type: 'string' })

/** The newest comparison that an evaluation has computed with its baseline run. */
export const ComparisonSummary = closed(
  {
    evaluationId: Id,
    baseline: OverviewRun,
    candidate: OverviewRun,
    verdict: Verdict,
    summary: Type.String(),
    pairs: Count,
    split: NullableSplit,
    metric: nullable(
      closed({
        name: Type.String(),
        verdict: Verdict,
        summary: Type.String(),
        difference: NullableNumber,
        ci: NullableInterval,
        ratio: NullableNumber,
        ratioCi: NullableInterval,
        items: Count,
        scale: NullableInterval,
        higherIsBetter: Type.Boolean(),
      }),
    ),
    gate: nullable(closed({ passed: Type.Boolean(), summary: Type.String() })),
  },
  { title: 'ComparisonSummary' },
)

const counts = closed({ prompts: Count, datasets: Count, runs: Count, evaluations: Count, experiments: Count })

const ComponentSummary = closed(
  {
    id: Id,
    name: Type.String(),
    description: NullableString,
    traces: SummaryTraces,
    /** What the caller can rate, and the disagreements that the caller may see, in the runs of `GET /me/work`. */
    work: closed({ remaining: Count, openDisagreements: Count, hasMore: Type.Boolean() }),
    counts,
    newestRun: nullable(RatedRun),
    newestEvaluation: nullable(OverviewEvaluation),
    /** Of the run of the newest completed evaluation. */
    headline: nullable(Headline),
    comparison: nullable(ComparisonSummary),
  },
  { title: 'ComponentSummary' },
)

export const ComponentSummaries = closed(
  { ...periodFields, data: Type.Array(ComponentSummary), nextCursor: NullableString },
  { title: 'ComponentSummaries' },
)

const Insight = closed(
  {
    type: Type.String(),
    severity: Type.String(),
    title: Type.String(),
    description: Type.String(),
    frequency: Type.Number(),
    affectedTraces: NullableInteger,
  },
  { title: 'OverviewInsight' },
)

const Activity = closed(
  {
    kind: Type.Enum(['run', 'evaluation', 'ratings'], {
      type: 'string',
      description:
        'run: it was created; evaluation: it was started or has finished; ratings: a user has rated `count` traces of the run, last at this time',
    }),
    at: Timestamp,
    run: nullable(OverviewRun),
    evaluation: nullable(OverviewEvaluation),
    user: nullable(closed({ id: Type.String(), name: Type.String() })),
    count: NullableInteger,
  },
  { title: 'Activity' },
)

export const ComponentOverview = closed(
  {
    component: closed({ id: Id, name: Type.String(), description: NullableString }),
    ...periodFields,
    counts,
    /** `previous` is the period of the same length before. */
    working: closed({ current: WorkingTraces, previous: WorkingTraces }),
    good: closed({
      /** The run of the newest completed evaluation, and the one evaluated before it, of the same dataset. */
      evaluation: nullable(EvaluatedMetrics),
      previous: nullable(EvaluatedMetrics),
      /** The runs of the same dataset that were evaluated last, oldest first. */
      history: Type.Array(EvaluatedMetrics),
      insights: Type.Array(Insight),
      comparison: nullable(ComparisonSummary),
    }),
    needs: closed({
      remaining: Count,
      openDisagreements: Count,
      runs: Type.Array(RunToRate),
      /** Of the period: failed, or completed with failed scores. */
      failedEvaluations: Type.Array(OverviewEvaluation),
      failingTraces: Count,
    }),
    newestRun: nullable(NewestRun),
    datasets: Type.Array(closed({ id: Id, name: Type.String(), itemCount: Count })),
    activity: Type.Array(Activity),
  },
  { title: 'ComponentOverview' },
)
