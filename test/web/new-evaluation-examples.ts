/** What the page of a new evaluation loads, with the evaluators of the real server. */
import { EVALUATOR_DEFINITIONS } from '../../src/evaluators/definitions.ts'
import type {
  Connection,
  Dataset,
  EvaluationDetail,
  EvaluationEstimate,
  EvaluationPreview,
  Run,
} from '../../web/src/api/generated/api.ts'
import { exampleOf } from './api-description.ts'
import { onRequest } from './mock-api.ts'
import { ASSISTANT, idOf, inSupport } from './open-page.ts'

export const NEW_PAGE = inSupport(`c/${ASSISTANT.id}/evaluations/new`)
export const AUTUMN: Dataset = { ...exampleOf<Dataset>('Dataset'), id: idOf(20), name: 'Support questions, autumn' }
export const V6: Run = { ...exampleOf<Run>('Run'), id: idOf(21), name: 'Prompt v6', datasetId: AUTUMN.id }
export const V7: Run = { ...V6, id: idOf(22), name: 'Prompt v7' }
const OPENAI: Connection = {
  ...exampleOf<Connection>('Connection'),
  id: idOf(23),
  name: 'OpenAI',
  models: ['gpt-5-mini', 'gpt-5'],
}

export const ESTIMATE: EvaluationEstimate = {
  cases: 200,
  scores: 800,
  calls: 400,
  expectedCostUsd: 0.38,
  unpricedModels: [],
  detectableDifference: 0.14,
  summary: '200 cases, about 400 calls of models for about $0.38; a rate must change by about 14 points.',
}

export const GATE: EvaluationEstimate['gate'] = {
  metric: 'grounded',
  margin: 0.03,
  items: 198,
  itemsNeeded: 1604,
  basis: 'pairs',
  summary: 'If nothing changed, about 1,604 items are needed to pass in 80 of 100 attempts; 198 are in both runs.',
}

/** Has keys that the page does not know, and values that it does not show. */
export const PREVIOUS: EvaluationDetail = {
  ...exampleOf<EvaluationDetail>('EvaluationDetail'),
  id: idOf(24),
  datasetId: AUTUMN.id,
  runId: V7.id,
  config: {
    owner: { team: 'support', ticket: 17 },
    evaluators: [
      { type: 'tokenF1', passAt: 0.5 },
      { type: 'llmJudge', name: 'grounded', instructions: 'Is it grounded?', model: 'gpt-5-mini' },
      { type: 'llmJudge', name: 'helpful', instructions: 'Is it helpful?', scale: [1, 5], passAt: 4 },
    ],
    provider: 'OpenAI',
    repetitions: 2,
    baselineRunId: V6.id,
    gate: { metric: 'grounded', margin: 0.03, corrected: true },
  },
}

const tried = (input: string, passed: boolean, reason: string, durationMs: number) => ({
  itemId: null,
  traceDbId: input,
  input,
  output: 'Within 5 working days.',
  expected: null,
  scores: [
    {
      evaluator: 'grounded',
      state: 'scored' as const,
      score: passed ? 1 : 0,
      label: null,
      passed,
      reason,
      error: null,
      durationMs,
      costUsd: 0.001,
    },
  ],
})

export const PREVIEW: EvaluationPreview = {
  cases: [
    tried('My battery shows 61 % health', false, 'In none of the 5 passages.', 1900),
    tried('Which child seat fits?', true, 'In passage 2.', 1400),
    tried('How long does a refund take?', true, 'In passage 1.', 1600),
  ],
  calls: 3,
  costUsd: 0.003,
}

export const EVALUATIONS = '/components/{componentId}/evaluations'

export function serveNewEvaluation(): void {
  const types = EVALUATOR_DEFINITIONS.map(({ type, summary, kind = null, needs, options }) => {
    return { type, summary, kind, needs, options }
  })
  onRequest('GET /components/{componentId}', ASSISTANT)
  onRequest('GET /evaluators', ({ query }) => ({ data: Number(query['offset'] ?? 0) === 0 ? types : [] }))
  onRequest('GET /components/{componentId}/runs', { data: [V7, V6] })
  onRequest('GET /components/{componentId}/runs/{runId}', ({ params }) => (params['runId'] === V6.id ? V6 : V7))
  onRequest('GET /components/{componentId}/datasets', { data: [AUTUMN] })
  onRequest('GET /connections', { data: [OPENAI] })
  onRequest(`GET ${EVALUATIONS}/{evaluationId}`, PREVIOUS)
  onRequest(`POST ${EVALUATIONS}`, ({ query }) => {
    if (!query['dry_run']) return Response.json({ id: idOf(90), name: null, status: 'pending' }, { status: 202 })
    return Response.json(query['include'] ? { ...ESTIMATE, gate: GATE } : ESTIMATE)
  })
  onRequest(`POST ${EVALUATIONS}/preview`, PREVIEW)
}
