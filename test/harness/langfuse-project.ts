/** A project of Langfuse. Fields that both versions of its API have are as in its descriptions. */
const TRACE = '5b8efff798038103d269b633813fc60c'
const FIRST_CASE = '11111111111111111111111111111111'
const SECOND_CASE = '22222222222222222222222222222222'
const THIRD_CASE = '33333333333333333333333333333333'
/** Of an SDK before version 3. */
const OLD_TRACE = '3c3f1f1e-6f4b-4e0e-9f8a-0f7c4f7c2b11'
const LONG_NOTE = 'note '.repeat(60)

export const datasets = [
  { id: 'dataset-1', name: 'Capitals', description: 'Capitals of countries', metadata: null },
  { id: 'dataset-2', name: 'Empty', description: null, metadata: null },
]

const item = { datasetId: 'dataset-1', datasetName: 'Capitals', sourceTraceId: null, sourceObservationId: null }

export const items = [
  {
    ...item,
    id: 'item-1',
    status: 'ACTIVE',
    input: { country: 'France' },
    expectedOutput: 'Paris',
    metadata: { level: 1 },
  },
  {
    ...item,
    id: 'item-2',
    status: 'ACTIVE',
    input: { country: 'Peru' },
    expectedOutput: { city: 'Lima' },
    metadata: null,
  },
  {
    ...item,
    id: 'item-3',
    status: 'ARCHIVED',
    input: { country: 'Prussia' },
    expectedOutput: 'Berlin',
    metadata: null,
  },
]

export const traces = [
  {
    id: TRACE,
    timestamp: '2026-03-01T10:00:00.000Z',
    name: 'answer question',
    input: { question: 'How long is the refund period?' },
    output: '14 days.',
    sessionId: 'session-1',
    userId: 'ada',
    tags: ['support', 'beta'],
    release: '1.4',
    environment: 'production',
    metadata: { plan: 'pro' },
  },
  { id: OLD_TRACE, timestamp: '2026-03-01T11:00:00.000Z', name: 'old chat', input: 'Hello', output: 'Hi!', tags: [] },
  { id: FIRST_CASE, timestamp: '2026-03-02T10:00:00.000Z', name: 'capital', input: null, output: null, tags: [] },
  { id: SECOND_CASE, timestamp: '2026-03-02T10:00:05.000Z', name: 'capital', input: null, output: null, tags: [] },
  { id: THIRD_CASE, timestamp: '2026-03-02T10:00:09.000Z', name: 'capital', input: null, output: null, tags: [] },
]

export type Observation = {
  id: string
  traceId: string
  parentObservationId: string | null
  type: string
  name: string
  startTime: string
  endTime: string | null
  input: unknown
  output: unknown
  level: string
  statusMessage?: string
  model?: string
  modelParameters?: Record<string, unknown>
  usageDetails?: Record<string, number>
  totalCost?: number
  metadata?: Record<string, string>
}

export const observations: Observation[] = [
  {
    id: 'aaaaaaaaaaaaaaa1',
    traceId: TRACE,
    parentObservationId: null,
    type: 'AGENT',
    name: 'answer question',
    startTime: '2026-03-01T10:00:00.000Z',
    endTime: '2026-03-01T10:00:03.000Z',
    input: { question: 'How long is the refund period?' },
    output: '14 days.',
    level: 'DEFAULT',
    metadata: { note: LONG_NOTE },
  },
  {
    id: 'aaaaaaaaaaaaaaa2',
    traceId: TRACE,
    parentObservationId: 'aaaaaaaaaaaaaaa1',
    type: 'GENERATION',
    name: 'chat',
    startTime: '2026-03-01T10:00:01.000Z',
    endTime: '2026-03-01T10:00:02.500Z',
    input: [{ role: 'user', content: 'How long is the refund period?' }],
    output: { role: 'assistant', content: '14 days.' },
    level: 'DEFAULT',
    model: 'gpt-4o-mini',
    modelParameters: { temperature: 0.2 },
    usageDetails: { input: 40, output: 5, total: 45 },
    totalCost: 0.000009,
  },
  {
    id: 'aaaaaaaaaaaaaaa3',
    traceId: TRACE,
    parentObservationId: 'aaaaaaaaaaaaaaa1',
    type: 'TOOL',
    name: 'send_mail',
    startTime: '2026-03-01T10:00:02.600Z',
    endTime: '2026-03-01T10:00:02.900Z',
    input: { to: 'ada' },
    output: null,
    level: 'ERROR',
    statusMessage: 'mail server did not respond',
  },
  ...['first', 'second'].map((name, index) => ({
    id: `${name}-observation`,
    traceId: OLD_TRACE,
    parentObservationId: null,
    type: 'SPAN',
    name,
    startTime: `2026-03-01T11:00:0${index}.000Z`,
    endTime: `2026-03-01T11:00:0${index + 1}.000Z`,
    input: name,
    output: null,
    level: 'DEFAULT',
  })),
  ...[
    { traceId: FIRST_CASE, input: 'France', output: 'Paris' },
    { traceId: SECOND_CASE, input: 'Peru', output: 'Quito' },
    { traceId: THIRD_CASE, input: 'Chad', output: 'N’Djamena' },
  ].map(({ traceId, input, output }, index) => ({
    id: `bbbbbbbbbbbbbbb${index}`,
    traceId,
    parentObservationId: null,
    type: 'CHAIN',
    name: 'capital',
    startTime: '2026-03-02T10:00:00.000Z',
    endTime: '2026-03-02T10:00:01.000Z',
    input: { country: input },
    output,
    level: 'DEFAULT',
  })),
]

export const run = {
  id: 'run-1',
  name: 'first prompt',
  datasetId: 'dataset-1',
  datasetName: 'Capitals',
  description: null,
  metadata: { model: 'gpt-4o-mini' },
  createdAt: '2026-03-02T10:00:00.000Z',
}

export const runItems = [
  {
    id: 'run-item-1',
    datasetRunId: 'run-1',
    datasetRunName: 'first prompt',
    datasetItemId: 'item-1',
    traceId: FIRST_CASE,
  },
  {
    id: 'run-item-2',
    datasetRunId: 'run-1',
    datasetRunName: 'first prompt',
    datasetItemId: 'item-2',
    traceId: SECOND_CASE,
  },
]

/** Version 4 has one for each run, and may have others on data that is no dataset. */
export const experiments = [
  {
    id: 'run-1',
    name: 'first prompt',
    datasetId: 'dataset-1',
    startTime: run.createdAt,
    metadata: run.metadata,
    itemCount: 2,
  },
  { id: 'run-2', name: 'local', datasetId: '', startTime: '2026-03-02T10:00:09.000Z', metadata: null, itemCount: 1 },
]

export const experimentItems = [
  ...runItems.map(({ datasetItemId, traceId }) => ({
    experimentId: 'run-1',
    experimentItemId: datasetItemId,
    traceId,
    input: null,
    expectedOutput: null,
  })),
  {
    experimentId: 'run-2',
    experimentItemId: 'local-item',
    traceId: THIRD_CASE,
    input: '{"country":"Chad"}',
    expectedOutput: 'N’Djamena',
  },
]

export type Score = {
  id: string
  name: string
  source: string
  timestamp: string
  comment?: string
  dataType: string
  value: number | boolean | string
  subject:
    | { kind: 'trace' | 'session' | 'experiment'; id: string }
    | { kind: 'observation'; id: string; traceId: string }
}

const given = { source: 'API', timestamp: '2026-03-03T09:00:00.000Z' }

export const scores: Score[] = [
  {
    ...given,
    id: 's-1',
    name: 'helpful',
    dataType: 'NUMERIC',
    value: 0.9,
    comment: 'short',
    subject: { kind: 'trace', id: TRACE },
  },
  {
    ...given,
    id: 's-2',
    name: 'tone',
    source: 'ANNOTATION',
    dataType: 'CATEGORICAL',
    value: 'friendly',
    subject: { kind: 'observation', id: 'aaaaaaaaaaaaaaa2', traceId: TRACE },
  },
  {
    ...given,
    id: 's-3',
    name: 'output',
    dataType: 'CORRECTION',
    value: '30 days.',
    subject: { kind: 'trace', id: TRACE },
  },
  {
    ...given,
    id: 's-4',
    name: 'correct',
    dataType: 'BOOLEAN',
    value: true,
    subject: { kind: 'trace', id: FIRST_CASE },
  },
  {
    ...given,
    id: 's-5',
    name: 'correct',
    dataType: 'BOOLEAN',
    value: false,
    subject: { kind: 'trace', id: SECOND_CASE },
  },
  {
    ...given,
    id: 's-6',
    name: 'satisfied',
    dataType: 'NUMERIC',
    value: 1,
    subject: { kind: 'session', id: 'session-1' },
  },
  {
    ...given,
    id: 's-7',
    name: 'accuracy',
    dataType: 'NUMERIC',
    value: 0.5,
    subject: { kind: 'experiment', id: 'run-1' },
  },
]

const comment = { authorUserId: 'grace', createdAt: '2026-03-03T10:00:00.000Z' }

export const comments = [
  { ...comment, id: 'c-1', objectType: 'TRACE', objectId: TRACE, content: 'Ask the legal team' },
  { ...comment, id: 'c-2', objectType: 'OBSERVATION', objectId: 'aaaaaaaaaaaaaaa3', content: 'Retry this' },
  { ...comment, id: 'c-3', objectType: 'PROMPT', objectId: 'prompt-1', content: 'Too long' },
]
