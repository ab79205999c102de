/** An evaluation with realistic numbers, for the pages that show it. */
import type {
  EvaluationCase,
  EvaluationCases,
  EvaluationDetail,
  EvaluationSummary,
  ScoreGroup,
} from '../../web/src/api/generated/api.ts'
import type { ResultMetric } from '../../web/src/pages/evaluations/evaluation-results.ts'
import { exampleOf } from './api-description.ts'
import { ASSISTANT, idOf } from './open-page.ts'
import { COMPARISON } from './overview-examples.ts'

const METRIC: ResultMetric = {
  name: 'grounded',
  kind: 'binary',
  scale: [0, 1],
  higherIsBetter: true,
  n: 189,
  cases: 189,
  mean: 0.783,
  ci: [0.719, 0.836],
  groups: null,
  missing: 2,
  failed: 9,
  distribution: null,
  labels: null,
  passed: { n: 189, mean: 0.783, ci: [0.719, 0.836] },
  attempts: null,
  corrected: {
    rate: 0.842,
    ci: [0.711, 0.976],
    method: 'double sampling',
    labels: 108,
    sensitivity: { value: 0.89, ci: [0.8, 0.94], n: 81 },
    specificity: { value: 0.78, ci: [0.59, 0.89], n: 27 },
    nextLabels: { passed: 12, failed: 8 },
  },
  injection: null,
  drift: null,
}

const NUMERIC: ResultMetric = {
  ...METRIC,
  name: 'helpful',
  kind: 'numeric',
  scale: [1, 5],
  n: 195,
  mean: 3.95,
  ci: [3.81, 4.08],
  failed: 3,
  passed: { n: 195, mean: 0.749, ci: [0.681, 0.804] },
  corrected: null,
  attempts: [{ k: 3, n: 61, passAtK: { mean: 0.91, ci: [0.83, 0.96] }, passHatK: { mean: 0.52, ci: [0.41, 0.63] } }],
  injection: { n: 20, rate: 0.05, ci: [0.01, 0.24], summary: '1 of 20 injections changed the verdict.' },
  drift: { hasDrifted: true, summary: 'The judge passes fewer anchors than before.' },
}

const FEW: ResultMetric = { ...METRIC, name: 'cites', n: 4, cases: 4, failed: 0, missing: 196, corrected: null }

const COMPARED = {
  name: 'grounded',
  kind: 'binary',
  role: 'quality',
  verdict: 'regressed',
  higherIsBetter: true,
  scale: [0, 1],
  items: 187,
  baseline: { mean: 0.879, ci: [0.826, 0.918], method: 'Wilson' },
  candidate: { mean: 0.783, ci: [0.719, 0.836], method: 'Wilson' },
  difference: -0.1,
  ci: [-0.16, -0.04],
  corrected: null,
}

export const EVALUATION: EvaluationDetail = {
  ...exampleOf<EvaluationDetail>('EvaluationDetail'),
  id: idOf(70),
  name: 'Nightly',
  aiComponentId: ASSISTANT.id,
  datasetId: idOf(60),
  runId: idOf(62),
  status: 'completed',
  error: null,
  config: {
    evaluators: [{ type: 'llmJudge', name: 'grounded', instructions: 'Is every statement in the passages?' }],
    gate: { metric: 'grounded', margin: 0.03 },
  },
  progress: { total: 600, done: 388, failed: 12, skipped: 200 },
  startedAt: '2026-11-15T09:31:00.000Z',
  completedAt: '2026-11-15T09:34:12.000Z',
  createdAt: '2026-11-15T09:31:00.000Z',
  results: {
    insights: [
      {
        type: 'tool_error',
        severity: 'high',
        title: 'order_lookup failed in 17 of 96 calls',
        description: 'Most often “order number not found”.',
        frequency: 0.18,
        affectedRunIds: [idOf(81), idOf(82)],
        details: { affectedTraces: 15 },
        suggestedFix: 'Look at its arguments.',
      },
    ],
    meta: { totalRuns: 200 },
    metrics: [METRIC, NUMERIC, FEW],
    groupBy: null,
    split: 'test',
    testSet: null,
    cost: { calls: 444, spentUsd: 0.4123, unpricedScores: 0, maxUsd: 1 },
    comparison: {
      baseline: { runId: idOf(61), name: 'v13' },
      candidate: { runId: idOf(62), name: 'v14' },
      verdict: 'regressed',
      summary: 'v14 is worse than v13 on grounded by 0.10 (95 % CI 0.04 to 0.16, 187 items).',
      metrics: [COMPARED],
      notCompared: [],
    },
    gate: {
      passed: false,
      summary: 'Not passed: grounded may be worse by more than the margin of 0.03 (0.16 at most, 187 items).',
    },
  },
}

const shownOf = ({ name, mean, ci, n, cases, failed, kind, scale, higherIsBetter }: ResultMetric) => ({
  ...{ name, mean, n, cases, failed, kind, higherIsBetter },
  ci: ci && [...ci],
  scale: scale && [...scale],
  summary: name === 'cites' ? '4 of 10 cases; too few for a mean.' : null,
})

export const EVALUATION_SUMMARY: EvaluationSummary = {
  id: EVALUATION.id,
  name: 'Nightly',
  status: 'completed',
  error: null,
  dataset: { id: idOf(60), name: 'Hard returns' },
  run: COMPARISON.candidate,
  scores: { total: 600, done: 388, failed: 12 },
  createdAt: EVALUATION.createdAt,
  completedAt: EVALUATION.completedAt,
  metrics: [METRIC, NUMERIC, FEW].map((metric) => ({ ...shownOf(metric), evaluationId: EVALUATION.id })),
  headline: 'grounded',
  comparison: { ...COMPARISON, verdict: 'regressed', gate: { passed: false, summary: 'Not passed: it is worse.' } },
  spentUsd: 0.4123,
}

const NO_VALUE = { error: null, score: null, label: null, passed: null, example: null }

export const VALUE_GROUPS: ScoreGroup[] = [
  { ...NO_VALUE, evaluator: 'grounded', state: 'scored', passed: false, score: 0, count: 41 },
  { ...NO_VALUE, evaluator: 'grounded', state: 'scored', passed: true, score: 1, count: 148 },
  { ...NO_VALUE, evaluator: 'grounded', state: 'failed', count: 9 },
  ...[4, 9, 17, 96, 69].map((count, index) => ({
    ...NO_VALUE,
    evaluator: 'helpful',
    state: 'scored' as const,
    score: index + 1,
    passed: index > 2,
    count,
  })),
]

export const ERROR_GROUPS: ScoreGroup[] = [
  {
    ...NO_VALUE,
    evaluator: 'grounded',
    state: 'failed',
    error: 'judges returned 429 (rate limit); it asks to wait … s',
    count: 9,
    example: { caseId: 'case-1', error: 'judges returned 429 (rate limit); it asks to wait 12 s', attempts: 5 },
  },
  {
    ...NO_VALUE,
    evaluator: 'helpful',
    state: 'skipped',
    error: 'the trace has no output',
    count: 200,
    example: { caseId: 'case-2', error: 'the trace has no output', attempts: 1 },
  },
]

export function caseOf(number: number, changes: Partial<EvaluationCase> = {}): EvaluationCase {
  const score = { repetition: 1, label: null, error: null, attempts: 1, details: null, costUsd: 0.0011 }
  return {
    id: `case-${number}`,
    itemId: idOf(number),
    traceDbId: idOf(number),
    hasTrace: true,
    input: `question ${number}`,
    output: `answer ${number}`,
    expected: `expected ${number}`,
    scores: [
      {
        ...score,
        evaluator: 'grounded',
        state: 'scored',
        score: 0,
        passed: false,
        reason: `The date of ${number} is invented.`,
      },
    ],
    scoreCount: 1,
    ...changes,
  }
}

export function casesOf(rows: EvaluationCase[]): EvaluationCases {
  const counts = { total: 200, passed: 148, notPassed: 41, failed: 9, skipped: 2, pending: 0 }
  return { data: rows, nextCursor: null, counts }
}
