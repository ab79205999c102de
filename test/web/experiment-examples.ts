/** An experiment with its list, its course and its results. */
import type {
  ExperimentCourse,
  ExperimentDetail,
  ExperimentIterationDetail,
  ExperimentResults,
  ExperimentSummaries,
  Spending,
} from '../../web/src/api/generated/api.ts'
import { GOLDEN } from './agreement-examples.ts'
import { exampleOf } from './api-description.ts'
import { onRequest } from './mock-api.ts'
import { ASSISTANT, idOf, inSupport, signIn } from './open-page.ts'
import { streamOf } from './trial-examples.ts'

const COMPONENT = '/components/{componentId}'
const SUMMARIES = `${COMPONENT}/experiment-summaries`
export const ONE = `${COMPONENT}/experiments/{experimentId}`
export const LIST_PAGE = inSupport(`c/${ASSISTANT.id}/experiments`)
const EXPERIMENT_ID = idOf(500)
export const EXPERIMENT_PAGE = `${LIST_PAGE}/${EXPERIMENT_ID}`
const PROMPT_ID = idOf(510)

type Row = ExperimentSummaries['data'][number]
type Point = ExperimentCourse['data'][number]

const VALIDATION = {
  items: 123,
  candidates: 6,
  start: 0.82,
  startCi: [0.74, 0.88],
  best: { number: 2, mean: 0.89, ci: [0.82, 0.93] },
  expectedOnNew: { difference: 0.04, ci: [-0.02, 0.1] },
}

const REJECTED = {
  copied: 1,
  frozen: 0,
  tooLong: 0,
  unusable: 0,
  repeated: 0,
  nothingToImprove: 0,
  noGain: 1,
  outdone: 0,
  worse: 0,
  unfinished: 0,
}

export const RUNNING: ExperimentDetail = {
  ...exampleOf<ExperimentDetail>('ExperimentDetail'),
  id: EXPERIMENT_ID,
  name: 'Two shipments',
  aiComponentId: ASSISTANT.id,
  datasetId: GOLDEN.id,
  promptId: PROMPT_ID,
  version: 14,
  status: 'running',
  phase: 'searching',
  endedBy: null,
  reason: null,
  error: null,
  items: { train: 165, validation: 123, test: 124 },
  progress: {
    proposals: 3,
    validated: 1,
    rejected: REJECTED,
    answers: { done: 760, failed: 0, open: 2 },
    reflections: { done: 3, failed: 0, open: 0 },
  },
  validation: VALIDATION,
  cost: { spentUsd: 3.2, maxUsd: 7.5 },
  trialId: null,
  warnings: [],
  plan: {
    optimizer: 'gepa',
    objectives: [{ metric: 'correct', role: 'improve' }],
    budget: { patience: 10 },
    finalists: 1,
    repetitions: 1,
  },
  startedAt: '2026-11-16T09:10:00.000Z',
  endsAt: '2026-11-16T11:10:00.000Z',
  completedAt: null,
}

const POINT: Point = {
  number: 0,
  parent: null,
  kind: 'reflection',
  state: 'validated',
  step: 'ended',
  fate: null,
  reason: null,
  title: null,
  version: null,
  mean: 0.82,
  ci: [0.74, 0.88],
  answered: 123,
  sample: null,
  front: 80,
  costUsd: 0.0123,
  tokens: 1052,
  createdAt: '2026-11-16T09:10:00.000Z',
}

export const COURSE: ExperimentCourse = {
  metric: 'correct',
  items: 123,
  data: [
    POINT,
    {
      ...POINT,
      number: 1,
      parent: 0,
      state: 'rejected',
      fate: 'noGain',
      reason: 'It is not better',
      title: 'Lists every shipment',
      mean: null,
      ci: null,
      answered: 0,
      sample: { items: 8, own: 3, parent: 4 },
      front: null,
    },
    { ...POINT, number: 2, parent: 0, title: 'Asks which shipment', mean: 0.89, ci: [0.82, 0.93], front: 100 },
    {
      ...POINT,
      number: 3,
      parent: 2,
      state: 'rejected',
      fate: 'copied',
      reason: 'It copies a phrase of a training item',
      mean: null,
      ci: null,
      answered: 0,
      front: null,
      tokens: null,
    },
  ],
  expected: [{ number: 2, difference: 0.04, ci: [-0.02, 0.1] }],
}

export const INTERIM: ExperimentResults = {
  optimizer: 'gepa',
  verdict: null,
  summary: 'The experiment is running: it has no verdict yet.',
  test: null,
  validation: VALIDATION,
  proposals: 3,
  rejected: REJECTED,
  openings: 0,
  warnings: [],
  cost: { answersUsd: 1.98, reflectionsUsd: 1.22, searchUsd: 3.2, testUsd: 0, totalUsd: 3.2 },
}

export const DONE: ExperimentDetail = {
  ...RUNNING,
  status: 'completed',
  phase: 'ended',
  endedBy: 'patience',
  reason: 'The last 10 proposals were not better',
  completedAt: '2026-11-16T11:02:00.000Z',
  trialId: idOf(520),
}

export const RESULTS: ExperimentResults = {
  ...INTERIM,
  verdict: 'improved',
  summary: 'Proposal 2 is better than the start on correct by 0.09.',
  openings: 1,
  test: {
    trialId: idOf(520),
    items: 124,
    metric: 'correct',
    baselineRunId: idOf(61),
    finalists: [
      {
        iteration: 2,
        version: 15,
        runId: idOf(62),
        comparison: { verdict: 'improved', summary: 'better', difference: 0.09, ci: [0.02, 0.16] },
      },
    ],
  },
  cost: { ...INTERIM.cost, testUsd: 1.2, totalUsd: 4.4 },
}

export const DETAIL: ExperimentIterationDetail = {
  number: 2,
  parent: 0,
  against: 0,
  state: 'validated',
  fate: null,
  reason: null,
  diagnosis: 'Asks which shipment. The order has two.',
  reflectionTraceId: null,
  messages: [{ role: 'system', content: 'Ask which shipment.' }],
  tokens: { before: 1052, after: 1184 },
  version: null,
  scores: [{ metric: 'correct', items: 123, before: 0.82, after: 0.89 }],
  changes: {
    better: 16,
    worse: 1,
    same: 106,
    data: [
      {
        itemId: idOf(530),
        question: 'Exchange one of the two lamps',
        before: 1,
        after: 0,
        beforeTraceId: null,
        afterTraceId: null,
      },
    ],
  },
}

export const LISTED: Row = {
  id: EXPERIMENT_ID,
  name: 'Two shipments',
  status: 'running',
  phase: 'searching',
  endedBy: null,
  error: null,
  optimizer: 'gepa',
  metric: 'correct',
  dataset: { id: GOLDEN.id, name: 'golden answers' },
  prompt: { id: PROMPT_ID, name: 'answer', version: 14 },
  createdBy: idOf(1),
  proposals: 3,
  validated: 1,
  validation: VALIDATION,
  result: null,
  cost: { spentUsd: 3.2, maxUsd: 7.5 },
  createdAt: '2026-11-16T09:10:00.000Z',
  startedAt: '2026-11-16T09:10:00.000Z',
  completedAt: null,
}

const SPLIT = { datasetId: GOLDEN.id, name: 'golden answers', testItems: 124, openings: 1, earlierOpenings: 2 }

const PERIOD = { since: '2026-10-18T00:00:00.000Z', usd: 24.24, calls: 9, unpricedCalls: 0, reservedUsd: 0, kinds: [] }
const SPENDING: Spending = {
  maxUsdPerDay: null,
  maxUsdPer30Days: 60,
  today: PERIOD,
  last30Days: PERIOD,
  days: [],
  reached: null,
}

interface Served {
  role?: Parameters<typeof signIn>[0]
  rows?: Row[]
  experiment?: ExperimentDetail
  results?: ExperimentResults
}

export function serveExperiments({
  role = 'editor',
  rows = [LISTED],
  experiment = RUNNING,
  results = INTERIM,
}: Served = {}): void {
  signIn(role)
  onRequest(`GET ${COMPONENT}`, ASSISTANT)
  onRequest(`GET ${COMPONENT}/datasets/{datasetId}`, GOLDEN)
  onRequest(`GET ${SUMMARIES}`, { data: rows, nextCursor: null, splits: rows.length === 0 ? [] : [SPLIT] })
  onRequest('GET /spending', SPENDING)
  onRequest(`GET ${ONE}`, experiment)
  onRequest(`GET ${ONE}/course`, COURSE)
  onRequest(`GET ${ONE}/results`, results)
  onRequest(`GET ${ONE}/iterations/{iteration}`, DETAIL)
  // Open, and silent.
  onRequest(`GET ${ONE}/events`, () => streamOf())
}
