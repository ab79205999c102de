/** A trial of two versions of a prompt and a program of the team. */
import type { Trial, TrialDetail, TrialFailure } from '../../web/src/api/generated/api.ts'
import { GOLDEN } from './agreement-examples.ts'
import { onRequest } from './mock-api.ts'
import { ASSISTANT, idOf, inSupport, signIn } from './open-page.ts'

export const TRIALS = '/components/{componentId}/trials'
export const ONE = `${TRIALS}/{trialId}`
export const LIST_PAGE = inSupport(`c/${ASSISTANT.id}/trials`)
export const TRIAL_ID = idOf(400)
export const TRIAL_PAGE = `${LIST_PAGE}/${TRIAL_ID}`
export const PROMPT_ID = idOf(410)

type Variant = TrialDetail['variants'][number]

export const V11: Variant = {
  name: 'v11',
  target: { type: 'prompt', promptId: PROMPT_ID, version: 11, model: 'gpt-5-mini' },
  runId: idOf(421),
  evaluationId: null,
  endedBy: null,
  total: 40,
  done: 30,
  failed: 0,
  skipped: 0,
  costUsd: 0.3,
  judgesUsd: 0,
  durationMs: null,
  reason: null,
  quality: null,
  comparison: null,
}

export const V12: Variant = {
  ...V11,
  name: 'v12',
  target: { type: 'prompt', promptId: PROMPT_ID, version: 12, model: 'gpt-5-mini', parameters: { temperature: 0.2 } },
  runId: idOf(422),
  done: 27,
  failed: 3,
}

export const CODE: Variant = {
  ...V11,
  name: 'my code',
  target: { type: 'worker', queue: 'support-agent' },
  runId: idOf(423),
  done: 0,
  costUsd: 0,
}

export const RUNNING: TrialDetail = {
  id: TRIAL_ID,
  name: 'Two versions',
  aiComponentId: ASSISTANT.id,
  datasetId: GOLDEN.id,
  status: 'running',
  endedBy: null,
  error: null,
  progress: { total: 80, done: 57, failed: 3, skipped: 0 },
  variants: [V12, V11],
  cost: { spentUsd: 1.5, maxUsd: 8, judgesUsd: 0, expectedAtEndUsd: 2 },
  ranking: null,
  cheapest: null,
  front: [],
  plan: {
    split: null,
    sample: { n: 20, seed: 7 },
    variables: {},
    baseline: 'v11',
    repetitions: 2,
    concurrency: 8,
    maxMinutes: 60,
    evaluation: { evaluators: [{ type: 'contains', name: 'grounded' }] },
    stopEarly: false,
    plannedLooks: null,
  },
  looks: null,
  canceledBy: null,
  waitsBehind: 0,
  waiting: [],
  endsAt: '2026-11-19T14:52:00.000Z',
  startedAt: '2026-11-19T13:52:00.000Z',
  completedAt: null,
  createdAt: '2026-11-19T13:52:00.000Z',
  updatedAt: '2026-11-19T13:52:00.000Z',
}

export const BETTER = {
  verdict: 'improved',
  summary: 'v12 is better than v11 on grounded by 0.07 (0.01 to 0.13), n 20.',
  difference: 0.07,
  ci: [0.01, 0.13],
}

export const DONE: TrialDetail = {
  ...RUNNING,
  status: 'completed',
  endedBy: 'done',
  progress: { total: 80, done: 77, failed: 3, skipped: 0 },
  variants: [
    {
      ...V12,
      done: 37,
      evaluationId: idOf(432),
      durationMs: { median: 4_000, ci: [3_800, 4_200] },
      comparison: BETTER,
    },
    { ...V11, done: 40, evaluationId: idOf(431), durationMs: { median: 3_900, ci: null } },
  ],
  ranking: {
    best: 'v12',
    metric: 'grounded',
    higherIsBetter: true,
    summary: 'v12 is the best of 2 variants on grounded.',
    expectedOnNew: { difference: 0.06, ci: [0.01, 0.12] },
  },
  cheapest: {
    variant: 'v12',
    summary: 'v12 is the cheapest that is not worse than v11 by more than 0.03 on grounded.',
  },
  completedAt: '2026-11-19T14:00:00.000Z',
}

export const FAILURES: TrialFailure[] = [
  { variant: 'v12', reason: 'the answer is no JSON, five attempts', retryable: true, calls: 2 },
  { variant: 'v12', reason: 'models returned 400: it rejected the request', retryable: false, calls: 1 },
]

export const LISTED: Trial = {
  id: TRIAL_ID,
  name: 'Two versions',
  status: 'running',
  endedBy: null,
  datasetId: GOLDEN.id,
  calls: 80,
  createdAt: RUNNING.createdAt,
}

/** All that the pages of trials read. */
export function serveTrials({
  trial = RUNNING,
  failures = FAILURES,
  role = 'editor',
}: {
  trial?: TrialDetail
  failures?: TrialFailure[]
  role?: Parameters<typeof signIn>[0]
} = {}): void {
  signIn(role)
  onRequest('GET /components/{componentId}', ASSISTANT)
  onRequest('GET /components/{componentId}/datasets', { data: [GOLDEN] })
  onRequest('GET /components/{componentId}/datasets/{datasetId}', GOLDEN)
  onRequest(`GET ${TRIALS}`, { data: [LISTED] })
  onRequest(`GET ${ONE}`, trial)
  onRequest(`GET ${ONE}/failures`, { data: failures })
  onRequest(`GET ${ONE}/calls`, { data: [], nextCursor: null })
  // Open, and silent.
  onRequest(`GET ${ONE}/events`, () => streamOf())
}

/** The events that a trial sends; the stream stays open, unless it sends its end. */
export function streamOf(...events: [name: 'progress' | 'end', data: object][]): Response {
  const text = events.map(([name, data]) => `event: ${name}\ndata: ${JSON.stringify(data)}\n\n`).join('')
  const body = new ReadableStream({
    start(controller) {
      controller.enqueue(new TextEncoder().encode(text))
      if (events.some(([name]) => name === 'end')) controller.close()
    },
  })
  return new Response(body, { headers: { 'Content-Type': 'text/event-stream' } })
}

const LEADER = { name: 'v12', difference: 0.07, expectedOnNew: { difference: 0.06, ci: [-0.03, 0.12] } }

/** After two of ten looks; 20 is needed. */
export const LOOKING: TrialDetail = {
  ...RUNNING,
  looks: {
    rule: 'sequential',
    metric: 'grounded',
    plannedItems: [20, 40, 60, 80, 100, 120, 140, 160, 180, 200],
    taken: [
      { items: 20, takenAt: RUNNING.createdAt, variants: [look(4, 0.06)], leader: null },
      { items: 40, takenAt: RUNNING.createdAt, variants: [look(13, 0.07)], leader: LEADER },
    ],
  },
}

function look(evidence: number, difference: number) {
  return { name: 'v12', evidence, threshold: 20, difference, ci: [difference - 0.1, difference + 0.1] }
}
