/** Overviews with realistic numbers, for the pages that show them. */
import type {
  ComparisonSummary,
  ComponentOverview,
  ComponentSummary,
  EvaluatedMetrics,
  OverviewMetric,
  OverviewRun,
  TraceNumbers,
} from '../../web/src/api/generated/api.ts'
import { ASSISTANT, idOf } from './open-page.ts'

const START = '2026-11-14T09:30:00.000Z'

export const TRACES: TraceNumbers = {
  counted: 'production',
  others: 0,
  count: 6_214,
  errors: 118,
  errorRate: { rate: 0.019, ci: [0.016, 0.023], n: 6_214 },
  p95: { ms: 6_800, ci: [6_400, 7_300], n: 6_214 },
  cost: { usd: 74.92, known: 'some', unknown: 112 },
  isSampled: false,
  series: [
    { start: START, count: 3, errors: 0 },
    { start: START, count: 5, errors: 2 },
  ],
}

const NO_TRACES: TraceNumbers = {
  counted: 'production',
  others: 0,
  count: 0,
  errors: 0,
  errorRate: { rate: null, ci: null, n: 0 },
  p95: { ms: null, ci: null, n: 0 },
  cost: { usd: 0, known: 'all', unknown: 0 },
  isSampled: false,
  series: [],
}

function runOf(number: number, name: string | null): OverviewRun {
  return { id: idOf(number), name, datasetId: idOf(60), datasetName: 'Hard returns', traceCount: 184, createdAt: START }
}

export const COMPARISON: ComparisonSummary = {
  evaluationId: idOf(70),
  baseline: runOf(61, 'v13'),
  candidate: runOf(62, 'v14'),
  verdict: 'improved',
  summary: 'v14 is better than v13 on correct by 0.11 (95 % CI 0.05 to 0.17, 184 items).',
  split: null,
  pairs: 184,
  metric: {
    name: 'correct',
    verdict: 'improved',
    summary: 'v14 is better than v13 on correct by 0.11 (95 % CI 0.05 to 0.17, 184 items).',
    difference: 0.11,
    ci: [0.05, 0.17],
    ratio: null,
    ratioCi: null,
    items: 184,
    scale: [0, 1],
    higherIsBetter: true,
  },
  gate: null,
}

export const NEW_COMPONENT: ComponentSummary = {
  id: ASSISTANT.id,
  name: 'assistant',
  description: null,
  traces: NO_TRACES,
  work: { remaining: 0, openDisagreements: 0, hasMore: false },
  counts: { prompts: 0, datasets: 0, runs: 0, evaluations: 0, experiments: 0 },
  newestRun: null,
  newestEvaluation: null,
  headline: null,
  comparison: null,
}

export const SUMMARY: ComponentSummary = {
  ...NEW_COMPONENT,
  description: 'Answers customer questions',
  traces: TRACES,
  work: { remaining: 12, openDisagreements: 5, hasMore: false },
  counts: { prompts: 0, datasets: 1, runs: 2, evaluations: 2, experiments: 0 },
  newestRun: { ...runOf(62, 'v14'), rated: 172, unrated: 12, openDisagreements: 5, isToBeRated: true },
  newestEvaluation: evaluationOf(70, 'Nightly', runOf(62, 'v14')),
  comparison: COMPARISON,
}

function evaluationOf(number: number, name: string | null, run: OverviewRun) {
  return {
    id: idOf(number),
    name,
    status: 'completed' as const,
    error: null,
    dataset: { id: idOf(60), name: 'Hard returns' },
    run,
    scores: { total: 368, done: 368, failed: 0 },
    createdAt: START,
    completedAt: START,
  }
}

function metricOf(name: string, mean: number | null, summary: string | null = null): OverviewMetric {
  const ci: [number, number] | null = mean === null ? null : [mean - 0.05, mean + 0.05]
  const scale: [number, number] = [0, 1]
  const numbers = { mean, ci, n: 184, cases: 184, failed: 0, kind: 'binary', scale, higherIsBetter: true }
  return { name, evaluationId: idOf(70), ...numbers, summary }
}

const NEWEST: EvaluatedMetrics = {
  ...evaluationOf(70, 'Nightly', runOf(62, 'v14')),
  metrics: [metricOf('correct', 0.86), metricOf('tone', 0.7, '4 of 10 cases; too few for a mean.')],
  headline: 'correct',
}
const BEFORE: EvaluatedMetrics = {
  ...evaluationOf(71, null, runOf(61, 'v13')),
  metrics: [metricOf('correct', 0.76)],
  headline: 'correct',
}

const NO_COST = { mean: null, ci: null, n: 0 }

export const NEW_OVERVIEW: ComponentOverview = {
  component: { id: ASSISTANT.id, name: 'assistant', description: null },
  from: START,
  to: START,
  bucketSeconds: 21_600,
  counts: { prompts: 0, datasets: 0, runs: 0, evaluations: 0, experiments: 0 },
  working: { current: { ...NO_TRACES, costPerTrace: NO_COST }, previous: { ...NO_TRACES, costPerTrace: NO_COST } },
  good: { evaluation: null, previous: null, history: [], insights: [], comparison: null },
  needs: { remaining: 0, openDisagreements: 0, runs: [], failedEvaluations: [], failingTraces: 0 },
  newestRun: null,
  datasets: [],
  activity: [],
}

export const OVERVIEW: ComponentOverview = {
  ...NEW_OVERVIEW,
  counts: { prompts: 0, datasets: 1, runs: 3, evaluations: 2, experiments: 0 },
  working: {
    current: { ...TRACES, costPerTrace: { mean: 0.0123, ci: [0.012, 0.0126], n: 6_102 } },
    previous: {
      ...TRACES,
      count: 5_870,
      p95: { ms: 5_900, ci: [5_600, 6_300], n: 5_870 },
      costPerTrace: { mean: 0.0121, ci: [0.0119, 0.0124], n: 5_800 },
    },
  },
  good: {
    evaluation: NEWEST,
    previous: BEFORE,
    history: [BEFORE, NEWEST],
    insights: [
      {
        type: 'tool_error',
        severity: 'high',
        title: 'create_return failed in 14 of 80 calls',
        description: 'Needs shipment_id',
        frequency: 0.18,
        affectedTraces: 14,
      },
    ],
    comparison: COMPARISON,
  },
  needs: {
    remaining: 12,
    openDisagreements: 5,
    runs: [{ ...runOf(62, 'v14'), rated: 172, remaining: 12, openDisagreements: 5 }],
    failedEvaluations: [
      {
        ...evaluationOf(72, 'Judge', runOf(61, 'v13')),
        status: 'failed',
        error: 'The judge has no key.',
      },
    ],
    failingTraces: 118,
  },
  newestRun: {
    ...runOf(63, null),
    rated: 0,
    unrated: 184,
    openDisagreements: 0,
    isToBeRated: false,
    isEvaluated: false,
  },
  datasets: [{ id: idOf(60), name: 'Hard returns', itemCount: 184 }],
  activity: [
    {
      kind: 'ratings',
      at: START,
      run: runOf(62, 'v14'),
      evaluation: null,
      user: { id: idOf(80), name: 'Ben Okafor' },
      count: 60,
    },
  ],
}
