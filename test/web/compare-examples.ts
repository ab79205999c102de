/** A comparison of two runs as the server describes it, for the tests of its page. */
import type { ComparedMetric, Comparison, RunSummary } from '../../web/src/api/generated/api.ts'
import { exampleOf } from './api-description.ts'
import { idOf } from './open-page.ts'

type Row = Comparison['data'][number]
type Texts = NonNullable<Row['texts']>

export const BASELINE: RunSummary = {
  ...exampleOf<RunSummary>('RunSummary'),
  id: idOf(61),
  name: 'Prompt v6',
  datasetId: idOf(4),
  datasetName: 'Questions',
  metadata: { prompt: 'v6', model: 'gpt-5-mini' },
  newestEvaluation: null,
}
export const CANDIDATE: RunSummary = {
  ...BASELINE,
  id: idOf(62),
  name: 'Prompt v7',
  metadata: { prompt: 'v7', model: 'gpt-5-mini' },
}
export const OTHER: RunSummary = { ...BASELINE, id: idOf(63), name: 'Prompt v8' }

const METRIC = exampleOf<ComparedMetric>('ComparedMetric')

export const GROUNDED: ComparedMetric = {
  ...METRIC,
  name: 'grounded',
  kind: 'binary',
  role: 'quality',
  higherIsBetter: true,
  scale: [0, 1],
  n: 187,
  items: 187,
  baseline: { mean: 0.88, ci: [0.82, 0.92], method: 'Wilson' },
  candidate: { mean: 0.78, ci: [0.72, 0.83], method: 'Wilson' },
  difference: -0.1,
  ci: [-0.16, -0.04],
  confidence: 0.9875,
  method: 'inverted mid-p McNemar test',
  ratio: null,
  ratioCi: null,
  totalRatio: null,
  test: { method: 'mid-p McNemar test', statistic: 8, p: 0.003, pAdjusted: 0.012 },
  correction: 'corrected for 2 metrics',
  alone: { ci: [-0.15, -0.05], p: 0.003 },
  marginCi: [-0.15, -0.05],
  wins: 8,
  ties: 153,
  losses: 26,
  flips: { toFail: [], toFailCount: 26, toPass: [], toPassCount: 8 },
  orderFlips: null,
  verdict: 'regressed',
  summary:
    'Prompt v7 is worse than Prompt v6 on grounded by 0.10 (95 % CI 0.04 to 0.16, corrected for 2 metrics, 187 items).',
  warning: null,
  measuredAs: null,
  power: { detectableDifference: 0.09, casesFor: { difference: 0.05, cases: 640 } },
  missingItems: {
    items: 198,
    incomplete: 11,
    baseline: 0,
    candidate: 11,
    failed: 2,
    neither: 0,
    summary: '11 of 198 items have no answer in Prompt v7',
  },
  corrected: null,
}

const QUIET = { missingItems: { ...METRIC.missingItems, summary: null, incomplete: 0 }, corrected: null, flips: null }

export const HELPFUL: ComparedMetric = {
  ...GROUNDED,
  ...QUIET,
  name: 'helpful',
  kind: 'numeric',
  scale: [1, 5],
  n: 193,
  items: 193,
  baseline: { mean: 3.75, ci: [3.6, 3.9], method: 'bootstrap' },
  candidate: { mean: 3.94, ci: [3.8, 4.08], method: 'bootstrap' },
  difference: 0.19,
  ci: [0.08, 0.31],
  confidence: 0.95,
  correction: null,
  alone: null,
  marginCi: [0.01, 0.31],
  wins: 57,
  ties: 109,
  losses: 27,
  verdict: 'improved',
  summary: 'Prompt v7 is better than Prompt v6 on helpful by 0.19 (95 % CI 0.08 to 0.31, 193 items).',
}

export const DURATION: ComparedMetric = {
  ...HELPFUL,
  name: 'durationMs',
  role: 'reported',
  higherIsBetter: false,
  scale: null,
  n: 196,
  baseline: { mean: 4820, ci: [4700, 4950], method: 'bootstrap' },
  candidate: { mean: 4110, ci: [4000, 4220], method: 'bootstrap' },
  difference: -710,
  ci: null,
  ratio: 0.85,
  ratioCi: [0.81, 0.9],
  totalRatio: 0.853,
  correction: 'corrected for 3 metrics',
  alone: { ci: [0.82, 0.89], p: 0.0001 },
  marginCi: [0.82, 0.89],
  wins: 150,
  ties: 1,
  losses: 45,
  power: { detectableDifference: 0.12, casesFor: { difference: 0.08, cases: 400 } },
  summary:
    'Prompt v7 takes 0.85 × the time of Prompt v6 (95 % CI 0.81 to 0.90, corrected for 3 metrics, 150 of 196 items).',
}

/** Nothing failed in either run. */
export const IDLE_ERROR: ComparedMetric = {
  ...GROUNDED,
  ...QUIET,
  name: 'error',
  higherIsBetter: false,
  baseline: { mean: 0, ci: [0, 0.02], method: 'Wilson' },
  candidate: { mean: 0, ci: [0, 0.02], method: 'Wilson' },
  difference: 0,
  ci: [-0.016, 0.016],
  alone: null,
  marginCi: [-0.016, 0.016],
  wins: 0,
  ties: 187,
  losses: 0,
  verdict: 'noClearDifference',
  summary: 'No clear difference between Prompt v7 and Prompt v6 on error (−0.016 to 0.016, 187 items).',
}

/** Worse by less than the margin. */
export const EQUIVALENT: ComparedMetric = {
  ...GROUNDED,
  ...QUIET,
  difference: -0.02,
  ci: [-0.03, -0.01],
  alone: null,
  marginCi: [-0.04, -0.01],
  verdict: 'equivalent',
  summary:
    'Prompt v7 is worse than Prompt v6 on grounded by 0.02 (95 % CI 0.01 to 0.03, 187 items), which is less than the margin of 0.05.',
}

export const COMPARISON: Comparison = {
  ...exampleOf<Comparison>('Comparison'),
  baseline: { runId: BASELINE.id, name: 'Prompt v6', traceCount: 198, evaluationId: idOf(71) },
  candidate: { runId: CANDIDATE.id, name: 'Prompt v7', traceCount: 200, evaluationId: idOf(72) },
  pairs: 198,
  onlyCandidate: 2,
  margin: null,
  verdict: 'regressed',
  summary: `${GROUNDED.summary} On helpful (193 items): better. Not compared: polite (only the baseline was evaluated with it: evaluate the candidate the same way).`,
  metrics: [HELPFUL, DURATION, GROUNDED],
  notCompared: [
    {
      name: 'polite',
      reason: 'only the baseline was evaluated with it: evaluate the candidate the same way',
      evaluate: { runId: CANDIDATE.id, evaluationId: idOf(71) },
    },
  ],
  itemChanges: {
    changed: { count: 0, items: [] },
    removed: { count: 0, items: [] },
    added: { count: 0, items: [] },
    unverified: 0,
    duplicates: 0,
    summary: null,
  },
  looks: 3,
  looking: {
    rule: 'planned',
    level: 0.0074,
    items: 187,
    look: 3,
    plannedLooks: 5,
    plannedItems: 300,
    summary: 'Look 3 of 5 planned, at 187 of 300 items: a difference counts if p is below 0.0074.',
  },
  warnings: ['These runs were compared 3 times with different results.'],
  testSet: { openings: 4, summary: 'This test set has decided 4 times.' },
  total: 200,
  data: [],
}

export const COUNTS = {
  regressed: 26,
  improved: 8,
  tie: 153,
  only_baseline: 0,
  only_candidate: 2,
  failed: 0,
  not_measured: 11,
}

/** The row of an item, from 1. Its answers have its number. */
export function rowOf(number: number, changes: Partial<Texts> = {}): Row {
  const preview = (text: string) => ({ text, isCut: false })
  return {
    itemId: idOf(10_000 + number),
    baselineTraceId: idOf(30_000 + number),
    candidateTraceId: idOf(50_000 + number),
    failed: [],
    scores: [{ name: 'grounded', repetition: 1, baseline: 1, candidate: 0, delta: -1 }],
    texts: {
      repetition: 1,
      shownLeft: 'candidate',
      number,
      split: 'test',
      input: preview(`Question ${number}?`),
      expected: preview(`Expected ${number}`),
      baseline: preview(`Old answer ${number}`),
      candidate: preview(`New answer ${number}`),
      results: [
        {
          run: 'candidate',
          name: 'grounded',
          repetition: 1,
          passed: false,
          reason: preview(`Nothing supports answer ${number}`),
          error: null,
        },
      ],
      ratings: [],
      ...changes,
    },
  }
}
