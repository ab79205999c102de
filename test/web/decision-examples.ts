import type { ComparedMetric, Decision, DecisionDetail } from '../../web/src/api/generated/api.ts'
import { exampleOf } from './api-description.ts'
import { ADA, idOf } from './open-page.ts'

export const DECISION: Decision = {
  ...exampleOf<Decision>('Decision'),
  id: idOf(70),
  baseline: { runId: idOf(71), name: 'Prompt v6' },
  candidate: { runId: idOf(72), name: 'Prompt v7' },
  decision: 'hold',
  note: 'Bring top-k back to 8.',
  verdict: 'regressed',
  summary: 'Prompt v7 is worse than Prompt v6 on grounded by 0.10 (95 % CI 0.04 to 0.16, 187 items).',
  author: { userId: ADA.id, name: ADA.name },
  supersededBy: null,
  metric: 'grounded',
  margin: 0.03,
  split: null,
  createdAt: '2026-11-16T10:00:00.000Z',
}

const METRIC: ComparedMetric = {
  ...exampleOf<ComparedMetric>('ComparedMetric'),
  name: 'grounded',
  role: 'quality',
  scale: [0, 1],
  difference: -0.1,
  ci: [-0.16, -0.04],
  ratio: null,
  ratioCi: null,
  correction: 'corrected for 2 metrics',
  alone: { ci: [-0.15, -0.05], p: 0.003 },
  summary:
    'Prompt v7 is worse than Prompt v6 on grounded by 0.10 (95 % CI 0.04 to 0.16, corrected for 2 metrics, 187 items).',
  items: 187,
  verdict: 'regressed',
}

const { comparison } = exampleOf<DecisionDetail>('DecisionDetail')

export const DETAIL: DecisionDetail = {
  ...DECISION,
  comparison: {
    ...comparison,
    baseline: { ...comparison.baseline, metadata: { prompt: 'v6', model: 'gpt-5-mini' } },
    candidate: { ...comparison.candidate, metadata: { prompt: 'v7', model: 'gpt-5-mini' } },
    dataset: 'Support questions',
    pairs: 198,
    onlyBaseline: 0,
    onlyCandidate: 2,
    verdict: 'regressed',
    summary: DECISION.summary,
    looks: 3,
    worseItems: { count: 26, isCountCut: false, data: [] },
    metrics: [
      METRIC,
      {
        ...METRIC,
        name: 'durationMs',
        role: 'reported',
        scale: null,
        difference: -710,
        ci: null,
        ratio: 0.85,
        ratioCi: [0.81, 0.9],
        alone: null,
        items: 196,
        verdict: 'equivalent',
      },
      {
        ...METRIC,
        name: 'rating',
        difference: null,
        ci: null,
        alone: null,
        items: 4,
        summary:
          'Too few cases to compare Prompt v7 with Prompt v6 on rating: 4 items in both runs, and at least 10 are needed.',
      },
    ],
  },
}
