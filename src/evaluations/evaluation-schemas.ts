import { Type } from 'typebox'
import {
  Count,
  closed,
  Id,
  NAME_LENGTH_MAX,
  NullableBoolean,
  NullableId,
  NullableNumber,
  NullableString,
  NullableTimestamp,
  queryText,
  Timestamp,
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

const AnyObject = Type.Unsafe<Record<string, unknown>>({ type: 'object', additionalProperties: true })
const NullableObject = Type.Unsafe<Record<string, unknown> | null>({
  type: ['object', 'null'],
  additionalProperties: true,
})

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
export const StartEvaluationQuery = closed({ dry_run: queryText({ type: 'boolean' }) })
export const ScoreQuery = closed({
  state: queryText({ type: 'string', enum: [...SCORE_STATES] }),
  evaluator: Type.Optional(Type.String({ minLength: 1 })),
})

export const EvaluationEstimate = closed(
  {
    cases: Count,
    scores: Count,
    calls: Count,
    expectedCostUsd: NullableNumber,
    unpricedModels: Type.Array(Type.String()),
    detectableDifference: NullableNumber,
    summary: Type.String(),
  },
  { title: 'EvaluationEstimate' },
)

export const Score = closed(
  {
    itemId: NullableId,
    traceDbId: NullableString,
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
  },
  { title: 'Score' },
)
