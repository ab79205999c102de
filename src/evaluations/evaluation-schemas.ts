import { Type } from 'typebox'
import { GATE_BASES } from '../comparisons/verdicts/estimate-gate.ts'
import {
  anyObject,
  Count,
  closed,
  described,
  Id,
  NAME_LENGTH_MAX,
  NullableBoolean,
  NullableId,
  NullableInteger,
  NullableNumber,
  NullableString,
  NullableTimestamp,
  orNull,
  queryText,
  Timestamp,
  TraceRef,
} from '../http/schemas.ts'
import { SCORE_STATES } from '../scores/list-scores.ts'

const EVALUATION_STATUSES = ['pending', 'running', 'completed', 'failed'] as const

const Status = Type.Enum(EVALUATION_STATUSES, { type: 'string' })

/** The list has these five fields only; `EvaluationDetail` has all of them. */
export const Evaluation = closed(
  { id: Id, name: NullableString, status: Status, datasetId: Id, createdAt: Timestamp },
  { title: 'Evaluation' },
)

export const AcceptedEvaluation = closed({ id: Id, name: NullableString, status: Status })

const AnyObject = anyObject({ additionalProperties: true })
const NullableObject = orNull(anyObject({ additionalProperties: true }))

/** In the API the component is `aiComponentId`. Progress counts scores: one per case, evaluator and repetition. */
export const EvaluationDetail = closed(
  {
    id: Id,
    name: NullableString,
    aiComponentId: Id,
    datasetId: Id,
    runId: NullableId,
    status: Status,
    error: NullableString,
    config: AnyObject,
    progress: closed({ total: Count, done: Count, failed: Count, skipped: Count }),
    results: NullableObject,
    startedAt: NullableTimestamp,
    completedAt: NullableTimestamp,
    createdAt: Timestamp,
    updatedAt: Timestamp,
  },
  { title: 'EvaluationDetail' },
)

export const EvaluationParams = closed({ componentId: Id, evaluationId: Id })
export const StartEvaluationBody = closed({
  datasetId: Id,
  name: Type.Optional(Type.String({ maxLength: NAME_LENGTH_MAX })),
  runId: Type.Optional(Id),
  config: Type.Optional(AnyObject),
})

/** Query parameters are strings. */
export const StartEvaluationQuery = closed({
  dry_run: queryText({ type: 'boolean' }),
  include: queryText({
    type: 'string',
    enum: ['gate'],
    description: 'With dry_run=true: `gate` adds how many items the gate needs.',
  }),
})
export const ScoreQuery = closed({
  state: queryText({ type: 'string', enum: [...SCORE_STATES] }),
  evaluator: Type.Optional(Type.String({ minLength: 1 })),
})

const EstimatedGate = described(
  orNull(
    closed({
      metric: Type.String(),
      margin: NullableNumber,
      items: Count,
      itemsNeeded: NullableInteger,
      basis: orNull(Type.Enum(GATE_BASES, { type: 'string' })),
      summary: Type.String(),
    }),
  ),
  'With include=gate: how many items the gate needs to pass in 80 of 100 attempts if nothing has changed. Null without a gate.',
)

export const EvaluationEstimate = closed(
  {
    cases: Count,
    scores: Count,
    calls: Count,
    expectedCostUsd: NullableNumber,
    unpricedModels: Type.Array(Type.String()),
    detectableDifference: NullableNumber,
    summary: Type.String(),
    gate: Type.Optional(EstimatedGate),
  },
  { title: 'EvaluationEstimate' },
)

const PREVIEW_CASES_MAX = 10

export const PreviewEvaluationBody = closed({
  datasetId: Id,
  runId: Type.Optional(Id),
  config: Type.Optional(AnyObject),
  caseIds: Type.Optional(
    Type.Array(TraceRef, {
      minItems: 1,
      maxItems: PREVIEW_CASES_MAX,
      uniqueItems: true,
      description: 'Ids of items or, with runId, of traces. Omitted: the first cases.',
    }),
  ),
  sample: Type.Optional(
    Type.Integer({ minimum: 1, maximum: PREVIEW_CASES_MAX, description: 'How many of the first cases. Default: 3.' }),
  ),
})

const PreviewScore = closed(
  {
    evaluator: Type.String(),
    state: Type.Enum(['scored', 'failed', 'skipped'] as const, { type: 'string' }),
    score: NullableNumber,
    label: NullableString,
    passed: NullableBoolean,
    reason: NullableString,
    error: NullableString,
    durationMs: Count,
    costUsd: NullableNumber,
  },
  { title: 'PreviewScore' },
)

const PreviewCase = closed(
  {
    itemId: NullableId,
    traceDbId: NullableString,
    input: NullableString,
    output: NullableString,
    expected: NullableString,
    scores: Type.Array(PreviewScore),
  },
  { title: 'PreviewCase' },
)

export const EvaluationPreview = closed(
  { cases: Type.Array(PreviewCase), calls: Count, costUsd: NullableNumber },
  { title: 'EvaluationPreview' },
)

const DELIVERED_SCORES_MAX = 500
const REASON_LENGTH_MAX = 4_000

const DeliveredScore = closed({
  evaluator: Type.String({
    minLength: 1,
    maxLength: NAME_LENGTH_MAX,
    description: 'The name of an external evaluator.',
  }),
  itemId: Type.Optional(Id),
  traceDbId: Type.Optional(
    Type.String({ ...TraceRef, description: 'The trace of the case, if the evaluation has a run. Excludes itemId.' }),
  ),
  score: Type.Optional(Type.Number({ minimum: 0, maximum: 1 })),
  label: Type.Optional(Type.String({ minLength: 1, maxLength: 200 })),
  passed: Type.Optional(
    Type.Boolean({ description: 'Omitted: as passAt of the evaluator says. Alone, it is also the score: 1 or 0.' }),
  ),
  reason: Type.Optional(Type.String({ maxLength: REASON_LENGTH_MAX })),
  error: Type.Optional(
    Type.String({
      minLength: 1,
      maxLength: REASON_LENGTH_MAX,
      description: 'Why there is no score: the score is failed. Excludes all results.',
    }),
  ),
  details: Type.Optional(AnyObject),
})

export const DeliverScoresBody = closed({
  scores: Type.Array(DeliveredScore, { minItems: 1, maxItems: DELIVERED_SCORES_MAX }),
})

export const DeliveredScores = closed(
  {
    stored: Count,
    unchanged: Count,
    unknown: Type.Array(closed({ index: Count, reason: Type.String() })),
  },
  { title: 'DeliveredScores' },
)

/** Of a score, without its case. */
export const SCORE_FIELDS = {
  evaluator: Type.String(),
  repetition: Count,
  state: Type.Enum(SCORE_STATES, { type: 'string' }),
  score: NullableNumber,
  label: NullableString,
  passed: NullableBoolean,
  reason: NullableString,
  error: NullableString,
  attempts: Count,
  details: NullableObject,
  costUsd: NullableNumber,
}

export const Score = closed(
  {
    itemId: NullableId,
    traceDbId: NullableString,
    ...SCORE_FIELDS,
  },
  { title: 'Score' },
)
