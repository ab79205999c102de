/** Runs, cases and trends with realistic numbers, for the pages that show them. */
import type {
  ComponentTrends,
  EvaluatedMetrics,
  OverviewMetric,
  RunCase,
  RunCaseRow,
  RunCases,
  RunSummary,
  TrendBucket,
  TrendEvaluation,
} from '../../web/src/api/generated/api.ts'
import { ADA, idOf } from './open-page.ts'

const DATASET_ID = idOf(60)
const START = '2026-11-14T09:30:00.000Z'

const CORRECT: OverviewMetric = {
  name: 'correct',
  evaluationId: idOf(70),
  mean: 0.81,
  ci: [0.74, 0.87],
  n: 120,
  cases: 120,
  failed: 0,
  kind: 'boolean',
  scale: [0, 1],
  higherIsBetter: true,
  summary: null,
}

export function evaluated(number: number, metrics: OverviewMetric[]): EvaluatedMetrics {
  return {
    id: idOf(number),
    name: `Nightly ${number}`,
    status: 'completed',
    error: null,
    dataset: { id: DATASET_ID, name: 'Hard returns' },
    run: null,
    scores: { total: 240, done: 240, failed: 0 },
    createdAt: START,
    completedAt: START,
    metrics,
    headline: metrics[0]?.name ?? null,
  }
}

export function summaryOf(number: number, changes: Partial<RunSummary> = {}): RunSummary {
  return {
    id: idOf(number),
    name: `Prompt v${number}`,
    datasetId: DATASET_ID,
    datasetName: 'Hard returns',
    traceCount: 120,
    createdAt: START,
    rated: 37,
    unrated: 83,
    openDisagreements: 0,
    isToBeRated: true,
    metadata: { commit: 'c09d1f4', model: 'gpt-5-mini' },
    traces: { arrived: 120, errors: 3, cost: { usd: 1.25, unknown: 4 } },
    newestEvaluation: null,
    results: evaluated(70, [CORRECT]),
    comparison: null,
    ...changes,
  }
}

export function caseOf(number: number, changes: Partial<RunCase> = {}): RunCase {
  return {
    traceId: `trace-${number}`,
    traceDbId: idOf(number),
    status: 'ok',
    durationMs: 1_200,
    costUsd: 0.0123,
    totalTokens: 900,
    output: `answer ${number}`,
    ratings: [],
    scores: [
      {
        evaluator: 'correct',
        state: 'scored',
        score: 1,
        label: null,
        passed: true,
        repetitions: 1,
        reason: `reason ${number}`,
      },
    ],
    ...changes,
  }
}

export function caseRow(number: number, changes: Partial<RunCaseRow> = {}): RunCaseRow {
  return {
    id: idOf(500 + number),
    itemId: idOf(500 + number),
    input: `question ${number}`,
    expected: `expected ${number}`,
    repetitions: 1,
    cases: [caseOf(number)],
    spread: [{ evaluator: 'correct', n: 1, mean: 1, min: 1, max: 1, passed: 1 }],
    ...changes,
  }
}

/** Three answers to one item, of which two passed. */
export const REPEATED = caseRow(1, {
  repetitions: 3,
  cases: [
    caseOf(1, { ratings: [{ userId: ADA.id, rating: 'right' }] }),
    caseOf(11, { durationMs: 2_500 }),
    caseOf(12, {
      output: 'another answer',
      scores: [
        {
          evaluator: 'correct',
          state: 'scored',
          score: 0,
          label: null,
          passed: false,
          repetitions: 1,
          reason: 'the day is wrong',
        },
      ],
    }),
  ],
  spread: [{ evaluator: 'correct', n: 3, mean: 2 / 3, min: 0, max: 1, passed: 2 }],
})

export function casesOf(rows: RunCaseRow[], changes: Partial<RunCases> = {}): RunCases {
  return {
    data: rows,
    nextCursor: null,
    total: rows.length,
    traces: rows.reduce((sum, { repetitions }) => sum + repetitions, 0),
    counts: {
      all: rows.length,
      failed: 0,
      rated: 1,
      unrated: rows.length - 1,
      passed: 1,
      not_passed: 1,
      not_measured: 0,
      not_arrived: 0,
      without_item: 0,
    },
    evaluation: evaluated(70, [CORRECT, { ...CORRECT, name: 'latency' }]),
    metric: 'correct',
    itemsAreComplete: true,
    ...changes,
  }
}

function trendEvaluation(number: number, changes: Partial<TrendEvaluation> & { settings?: string }) {
  const { settings = 'a', ...others } = changes
  const metrics = [{ ...CORRECT, mean: 0.7 + number / 100, settingsKey: settings }]
  const run = { id: idOf(number), name: `v${number}`, datasetId: DATASET_ID, datasetName: 'Hard returns' }
  return {
    ...evaluated(number, []),
    run: { ...run, traceCount: 120, createdAt: START },
    headline: 'correct',
    metrics,
    items: 120,
    ...others,
  } satisfies TrendEvaluation
}

function bucketOf(hour: number, count: number): TrendBucket {
  const errors = Math.round(count / 10)
  return {
    start: `2026-11-14T${String(hour).padStart(2, '0')}:00:00.000Z`,
    count,
    errors,
    errorRate: { rate: count === 0 ? null : errors / count, ci: count === 0 ? null : [0.04, 0.21], n: count },
    p50: { ms: count === 0 ? null : 812, ci: count === 0 ? null : [790, 845], n: count },
    p95: { ms: count === 0 ? null : 4_320, ci: count === 0 ? null : [3_900, 5_010], n: count },
    cost: { usd: count * 0.02, known: 'all', unknown: 0 },
    costPerTrace: { mean: count === 0 ? null : 0.02, ci: count === 0 ? null : [0.018, 0.023], n: count },
  }
}

export const TRENDS: ComponentTrends = {
  from: '2026-11-14T08:00:00.000Z',
  to: '2026-11-14T12:00:00.000Z',
  bucketSeconds: 3_600,
  evaluations: [
    trendEvaluation(1, {}),
    trendEvaluation(2, {}),
    trendEvaluation(3, { items: 132 }),
    trendEvaluation(4, { items: 132, settings: 'b' }),
    trendEvaluation(5, { items: 132, settings: 'b', dataset: { id: idOf(61), name: 'Small talk' } }),
  ],
  hasMoreEvaluations: false,
  traces: {
    counted: 'production',
    others: 0,
    isSampled: false,
    buckets: [bucketOf(8, 40), bucketOf(9, 0), bucketOf(10, 60), bucketOf(11, 20)],
  },
  versions: [
    {
      kind: 'service',
      at: '2026-11-14T10:05:00.000Z',
      field: 'service.version',
      value: '2.1.0',
      previous: '2.0.3',
      run: null,
    },
    {
      kind: 'run',
      at: '2026-11-14T11:00:00.000Z',
      field: 'prompt',
      value: 'v7',
      previous: 'v6',
      run: {
        id: idOf(5),
        name: 'v5',
        datasetId: DATASET_ID,
        datasetName: 'Hard returns',
        traceCount: 120,
        createdAt: START,
      },
    },
  ],
}
