// Written by tools/generate-types.ts from openapi.json; do not edit.

export type Agreement = {
  raters: Rater[]
  categories: string[]
  items: number
  excluded: number
  pairs: RaterPair[]
  alpha: Alpha
  disagreements: Disagreement[]
  disagreementsTotal: number
  judges: JudgeAgreement[]
  summary: string
}

export type Alpha = {
  value: number | null
  ci: number[] | null
  level: 'nominal' | 'ordinal'
  units: number
  method: string
}

export type Annotation = {
  id: Id
  traceDbId: string
  userId: string
  rating: string | null
  comment: string | null
  createdAt: Timestamp
}

export type AnnotationPolicy = {
  ratersPerItem: number | null
  blind: boolean
  ratings: string[] | null
}

export type ApiKey = {
  id: Id
  name: string
  role: KeyRole
  prefix: string
  lastFour: string
  createdBy: Id
  createdAt: Timestamp
  lastUsedAt: string | null
  expiresAt: string | null
}

export type AuditEvent = {
  id: Id
  actorId: Id
  actorKind: string
  action: string
  resourceId: string | null
  detail: string | null
  requestId: string
  address: string | null
  count: number
  createdAt: Timestamp
}

export type ComparedLabels = {
  name: string
  n: number
  missing: number
  failed: number
  same: {
    mean: number | null
    ci: number[] | null
    method: string
  }
  changes: {
    from: string
    to: string
    count: number
    items: Id[]
  }[]
}

export type ComparedMetric = {
  name: string
  kind: 'binary' | 'numeric'
  role: 'quality' | 'reported'
  higherIsBetter: boolean
  scale: number[] | null
  n: number
  items: number
  missing: number
  failed: number
  baseline: {
    mean: number | null
    ci: number[] | null
    method: string
  }
  candidate: {
    mean: number | null
    ci: number[] | null
    method: string
  }
  difference: number | null
  ci: number[] | null
  method: string
  test: {
    method: string
    statistic: number
    p: number
    pAdjusted: number
  } | null
  wins: number
  ties: number
  losses: number
  flips: {
    toFail: Id[]
    toFailCount: number
    toPass: Id[]
    toPassCount: number
  } | null
  verdict: 'improved' | 'regressed' | 'noClearDifference' | 'tooFewCases'
  notWorseThanMargin: boolean | null
  summary: string
  warning: string | null
  power: {
    detectableDifference: number | null
    casesFor: {
      difference: number
      cases: number
    } | null
  }
}

export type Comparison = {
  baseline: {
    runId: Id
    name: string | null
    traceCount: number
    evaluationId: string | null
  }
  candidate: {
    runId: Id
    name: string | null
    traceCount: number
    evaluationId: string | null
  }
  pairs: number
  onlyBaseline: number
  onlyCandidate: number
  failed: number
  verdict: 'improved' | 'regressed' | 'noClearDifference' | 'tooFewCases'
  summary: string
  metrics: ComparedMetric[]
  labels: ComparedLabels[]
  notCompared: {
    name: string
    reason: string
  }[]
  total: number
  data: ComparisonRow[]
}

export type ComparisonRow = {
  itemId: string | null
  baselineTraceId: string | null
  candidateTraceId: string | null
  failed: string[]
  scores: {
    name: string
    repetition: number
    baseline: number | string | null
    candidate: number | string | null
    delta: number | null
  }[]
}

export type Component = {
  id: Id
  name: string
  description: string | null
  workspaceId: Id
  createdAt: Timestamp
  updatedAt: Timestamp
}

export type Connection = {
  id: Id
  name: string
  baseUrl: string
  hasKey: boolean
  models: string[]
  concurrency: number
  requestsPerMinute: number | null
  createdAt: Timestamp
  updatedAt: Timestamp
}

export type ConnectionTest = {
  ok: boolean
  summary: string
  models: string[]
}

export type CreatedApiKey = {
  id: Id
  name: string
  role: KeyRole
  prefix: string
  lastFour: string
  createdBy: Id
  createdAt: Timestamp
  lastUsedAt: string | null
  expiresAt: string | null
  key: string
}

export type CreatedMember = {
  id: Id
  userId: string | null
  name: string | null
  email: string
  role: Role
  state: 'member' | 'invited'
  createdAt: Timestamp
  expiresAt: string | null
  invitationUrl: string
}

export type Dataset = {
  id: Id
  name: string
  description: string | null
  aiComponentId: Id
  itemCount: number
  createdAt: Timestamp
}

export type DatasetItem = {
  id: Id
  datasetId: Id
  traceDbId: string | null
  traceId: string | null
  input: string | null
  output: string | null
  expected: string | null
  metadata: Record<string, unknown>
  createdAt: Timestamp
}

export type Disagreement = {
  traceDbId: string
  ratings: {
    userId: string
    rating: string
    comment: string | null
  }[]
}

export type Error = {
  error: string
}

export type Evaluation = {
  id: Id
  name: string | null
  status: 'pending' | 'running' | 'completed' | 'failed'
  datasetId: Id
  createdAt: Timestamp
}

export type EvaluationDetail = {
  id: Id
  name: string | null
  aiComponentId: Id
  datasetId: Id
  runId: string | null
  status: 'pending' | 'running' | 'completed' | 'failed'
  error: string | null
  config: Record<string, unknown>
  progress: {
    total: number
    done: number
    failed: number
    skipped: number
  }
  results: Record<string, unknown> | null
  startedAt: string | null
  completedAt: string | null
  createdAt: Timestamp
  updatedAt: Timestamp
}

export type EvaluationEstimate = {
  cases: number
  scores: number
  calls: number
  expectedCostUsd: number | null
  unpricedModels: string[]
  detectableDifference: number | null
  summary: string
}

export type EvaluatorType = {
  type: string
  summary: string
  kind: 'binary' | 'numeric' | 'categorical' | null
  needs: ('output' | 'expected' | 'baseline' | 'trace' | 'steps' | 'ratings' | 'model')[]
  options: Record<string, unknown>
}

export type Id = string

export type ImportResult = {
  imported: number
  skipped: number
  errors: {
    row: number
    error: string
  }[]
}

export type Instance = {
  version: string
  setupNeeded: boolean
  signupOpen: boolean
}

export type Invitation = {
  email: string
  workspaceName: string
  role: Role
  expiresAt: Timestamp
}

export type JudgeAgreement = {
  evaluator: string
  shared: number
  kappa: number | null
  kappaCi: number[] | null
  agreement: number | null
  agreementCi: number[] | null
  sensitivity: number | null
  sensitivityCi: number[] | null
  sensitivityN: number
  specificity: number | null
  specificityCi: number[] | null
  specificityN: number
  method: string
  summary: string
}

export type KeyRole = 'viewer' | 'annotator' | 'editor'

export type MappingEntry = {
  spanId: string
  source: string
  key: string
  value: unknown
  convention: string | null
  field: string | null
  outcome: 'used' | 'outranked' | 'kept' | 'linked'
  note: string | null
}

export type Me = {
  kind: 'api-key' | 'session'
  userId: Id
  name: string | null
  email: string | null
  role: Role
  workspaceId: Id
}

export type Member = {
  id: Id
  userId: string | null
  name: string | null
  email: string
  role: Role
  state: 'member' | 'invited'
  createdAt: Timestamp
  expiresAt: string | null
}

export type Message = {
  role: string
  parts: Record<string, unknown>[]
  extra?: Record<string, unknown>
}

export type NewDatasetItem = {
  traceId?: string
  input?: unknown
  output?: unknown
  expected?: unknown
  metadata?: Record<string, unknown>
}

export type NewSpan = {
  spanId?: string
  parentSpanId?: string
  name?: string
  kind?: 'llm' | 'embedding' | 'retriever' | 'reranker' | 'tool' | 'agent' | 'chain' | 'guardrail' | 'evaluator' | 'prompt' | 'span'
  startTime?: string
  endTime?: string
  status?: 'ok' | 'error'
  statusMessage?: string
  input?: unknown
  output?: unknown
  model?: string
  provider?: string
  inputTokens?: number
  outputTokens?: number
  totalTokens?: number
  costUsd?: number
  modelParameters?: Record<string, unknown>
  metadata?: Record<string, unknown>
  events?: {
    name: string
    timestamp?: string
    body?: Record<string, unknown>
  }[]
}

export type NewTrace = {
  traceId?: string
  name?: string
  kind?: 'llm' | 'embedding' | 'retriever' | 'reranker' | 'tool' | 'agent' | 'chain' | 'guardrail' | 'evaluator' | 'prompt' | 'span'
  startTime?: string
  endTime?: string
  status?: 'ok' | 'error'
  statusMessage?: string
  input?: unknown
  output?: unknown
  model?: string
  provider?: string
  inputTokens?: number
  outputTokens?: number
  totalTokens?: number
  costUsd?: number
  modelParameters?: Record<string, unknown>
  metadata?: Record<string, unknown>
  sessionId?: string
  userId?: string
  tags?: string[]
  dataset?: string
  run?: string
  itemId?: string
  spans?: NewSpan[]
}

export type Price = {
  id: Id
  modelPattern: string
  provider: string | null
  inputPerMillion: number
  outputPerMillion: number
  cacheReadPerMillion: number | null
  cacheWritePerMillion: number | null
  validFrom: string | null
  validUntil: string | null
  createdAt: Timestamp
}

export type Queue = {
  item: QueueItem | null
  remaining: number
  rated: number
  total: number
  order: 'coverage' | 'information'
  leaseUntil: string | null
  blind: boolean
  ratings: {
    value: string
    label: string | null
  }[]
  summary: string
}

export type QueueItem = {
  traceDbId: Id
  traceId: string
  name: string | null
  status: 'ok' | 'error'
  aiComponentId: string | null
  componentName: string | null
  durationMs: number | null
  totalTokens: number | null
  totalCostUsd: number | null
  startTime: Timestamp
  endTime: string | null
  itemId: string | null
  input: string | null
  output: string | null
  expected: string | null
  comment: string | null
}

export type QuotaUse = {
  used: number
  limit: number | null
}

export type Rater = {
  userId: string
  name: string | null
  count: number
}

export type RaterPair = {
  a: string
  b: string
  shared: number
  kappa: number | null
  ci: number[] | null
  method: string
}

export type Rating = {
  value: string
  score: number
  label: string | null
}

export type RatingScheme = {
  ratings: Rating[]
  ordered: boolean
}

export type Retention = {
  days: number | null
  state: 'idle' | 'clearing'
  tracesDeleted: number
  tracesLeft: number
  startedAt: string | null
  finishedAt: string | null
}

export type Role = 'viewer' | 'annotator' | 'editor' | 'admin' | 'owner'

export type Run = {
  id: Id
  name: string | null
  datasetId: Id
  aiComponentId: Id
  traceCount: number
  createdAt: Timestamp
}

export type RunTrace = {
  id: Id
  traceId: string
  name: string | null
  status: 'ok' | 'error'
  aiComponentId: string | null
  componentName: string | null
  durationMs: number | null
  totalTokens: number | null
  totalCostUsd: number | null
  startTime: Timestamp
  endTime: string | null
  itemId: string | null
}

export type Score = {
  itemId: string | null
  traceDbId: string | null
  evaluator: string
  repetition: number
  state: 'queued' | 'running' | 'retrying' | 'scored' | 'failed' | 'skipped'
  score: number | null
  label: string | null
  passed: boolean | null
  reason: string | null
  error: string | null
  attempts: number
  details: Record<string, unknown> | null
  costUsd: number | null
}

export type Span = {
  id: Id
  spanId: string
  traceId: string
  traceDbId: Id
  parentSpanId: string | null
  name: string
  kind: 'llm' | 'embedding' | 'retriever' | 'reranker' | 'tool' | 'agent' | 'chain' | 'guardrail' | 'evaluator' | 'prompt' | 'span'
  startTime: Timestamp
  endTime: string | null
  durationMs: number | null
  status: 'ok' | 'error'
  statusMessage: string | null
  input: string | null
  output: string | null
  messages: Message[] | null
  metadata: Record<string, unknown>
  model: string | null
  provider: string | null
  inputTokens: number | null
  outputTokens: number | null
  totalTokens: number | null
  costUsd: number | null
  costBasis: string | null
  modelParameters: Record<string, unknown>
  createdAt: Timestamp
  events: SpanEvent[]
}

export type SpanEvent = {
  id: Id
  spanDbId: Id
  name: string
  timestamp: Timestamp
  body: Record<string, unknown>
}

export type Timestamp = string

export type Trace = {
  id: Id
  traceId: string
  name: string | null
  status: 'ok' | 'error'
  aiComponentId: string | null
  componentName: string | null
  durationMs: number | null
  totalTokens: number | null
  totalCostUsd: number | null
  startTime: Timestamp
  endTime: string | null
  workspaceId: Id
  sessionId: string | null
  userId: string | null
  input: string | null
  output: string | null
  metadata: Record<string, unknown>
  tags: string[]
  createdAt: Timestamp
  spans: Span[]
  nextSpansOffset?: number
}

export type TraceStats = {
  totalTraces: number
  totalTokens: number
  totalCostUsd: number
  errorRate: number
}

export type TraceSummary = {
  id: Id
  traceId: string
  name: string | null
  status: 'ok' | 'error'
  aiComponentId: string | null
  componentName: string | null
  durationMs: number | null
  totalTokens: number | null
  totalCostUsd: number | null
  startTime: Timestamp
  endTime: string | null
}

export type Workspace = {
  id: Id
  name: string
  description: string | null
  createdAt: Timestamp
  updatedAt: Timestamp
}

export type WorkspaceUsage = {
  resetsAt: Timestamp
  spansToday: QuotaUse
  evaluationsToday: QuotaUse
  storedBytes: QuotaUse
}
