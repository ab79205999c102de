/** What promptic-sdk sends and reads: its field names, on its paths. */
import { type Static, Type } from 'typebox'
import {
  anyObject,
  closed,
  described,
  Id,
  NAME_LENGTH_MAX,
  NullableInteger,
  NullableNumber,
  NullableString,
  NullableText,
  NullableTimestamp,
  nullable,
  ofTypes,
  optionalBody,
  orNull,
  queryId,
  queryText,
  Timestamp,
} from '../../http/schemas.ts'
import { PROMPTIC_OPTIMIZERS, TASK_TYPES } from './settings.ts'

const PROMPT_LENGTH_MAX = 200_000
const LIST_MAX = 10_000
export const EVALUATORS_MAX = 50
const STATUSES = ['pending', 'scheduled', 'running', 'completed', 'failed'] as const

const ModelName = Type.String({ minLength: 1, maxLength: NAME_LENGTH_MAX })
const TaskType = Type.Enum(TASK_TYPES, { type: 'string' })
const Optimizer = Type.Enum(PROMPTIC_OPTIMIZERS, {
  type: 'string',
  description: '`promptic` and `prompticV2` run as `gepa`.',
})
const Provider = described(
  ModelName,
  'The name of a connection, or a kind: openai, google, anthropic, openrouter, custom.',
)
const Name = Type.String({ minLength: 1, maxLength: 200 })
const Prompt = Type.String({ minLength: 1, maxLength: PROMPT_LENGTH_MAX })
const Schema = ofTypes(['object', 'null'], { description: 'The JSON Schema of the output.' })
const SchemaBody = Type.Optional(Schema)

const Hyperparameters = closed(
  {
    epochs: Type.Optional(Type.Integer({ minimum: 1, maximum: 100 })),
    trainSplitRatio: Type.Optional(Type.Number({ exclusiveMinimum: 0, exclusiveMaximum: 1 })),
    numFewShots: Type.Optional(Type.Integer({ minimum: 0, maximum: 100 })),
    enableCot: Type.Optional(Type.Boolean()),
  },
  { title: 'PrompticHyperparameters' },
)

const Messages = Type.Array(closed({ role: Type.String(), content: Type.String() }), {
  description: '`{{name}}` is a variable.',
})

const InputVariables = Type.Array(closed({ name: ModelName, column: ModelName }), { maxItems: 100 })

const experiment = {
  id: Id,
  datasetId: Id,
  name: NullableString,
  description: NullableString,
  targetModel: Type.String(),
  provider: Type.String(),
  aiComponentId: Id,
  customProviderId: NullableString,
  createdByUser: NullableString,
  experimentStatus: Type.Enum(STATUSES, { type: 'string', description: 'A canceled one has failed.' }),
  taskType: TaskType,
  optimizer: Type.String(),
  tokensUsed: Type.Number({
    description: 'What all of its calls of models have used: answers, evaluators, reflections and the test.',
  }),
  promptFormat: Type.Enum(['single', 'multi_message'], { type: 'string' }),
  initialPromptMessages: Messages,
  initialPromptTokens: NullableInteger,
  initialPredictionModelSchema: Schema,
  runNumber: NullableInteger,
  hyperparameters: Hyperparameters,
  startedAt: NullableTimestamp,
  endedAt: NullableTimestamp,
  retries: Type.Integer(),
  errorCode: NullableString,
  errorMessage: NullableString,
  createdAt: Timestamp,
  updatedAt: Timestamp,
  inputVariables: Type.Optional(InputVariables),
  systemPrompt: Type.Optional(NullableString),
  optimizeSystemPrompt: Type.Optional(Type.Boolean()),
  optimizedSystemPrompt: Type.Optional(
    described(NullableString, 'Of the prompt that was tested; null without one, or if it was not to be improved.'),
  ),
}

export const PrompticExperiment = closed(experiment, { title: 'PrompticExperiment' })
export type PrompticExperiment = Static<typeof PrompticExperiment>

export const DuplicatedExperiment = closed(
  {
    ...experiment,
    modelUnavailable: Type.Boolean({ description: 'Whether no connection has its model, so that it cannot start.' }),
  },
  { title: 'DuplicatedExperiment' },
)

export const ExperimentsQuery = closed({
  limit: queryText({ type: 'integer', minimum: 1, maximum: LIST_MAX, default: 50 }),
  offset: queryText({ type: 'integer', minimum: 0, default: 0 }),
  component_id: queryId(),
  status: queryText({ type: 'string', enum: [...STATUSES] }),
})
export const EXPERIMENTS_PAGE = { default: 50, max: LIST_MAX }
export const EXPERIMENT_STATUSES = STATUSES

export const PrompticParams = closed({ experimentId: Id })

const common = {
  name: Type.Optional(orNull(Name)),
  description: Type.Optional(NullableText),
  hyperparameters: Type.Optional(Hyperparameters),
  initialPrompt: Type.Optional(Prompt),
  initialPredictionModelSchema: SchemaBody,
}

export const DescribeExperimentBody = closed({
  aiComponentId: Id,
  targetModel: ModelName,
  taskType: Type.Optional(TaskType),
  provider: Type.Optional(Provider),
  optimizer: Type.Optional(Optimizer),
  inputVariables: Type.Optional(InputVariables),
  ...common,
})
export type DescribeExperiment = Static<typeof DescribeExperimentBody>

export const ChangeDescriptionBody = closed(
  {
    targetModel: Type.Optional(ModelName),
    taskType: Type.Optional(TaskType),
    provider: Type.Optional(Provider),
    optimizer: Type.Optional(Optimizer),
    ...common,
  },
  { minProperties: 1 },
)
export type ChangeDescription = Static<typeof ChangeDescriptionBody>

export const StartedExperiment = closed({
  messageId: Type.String(),
  status: Type.Enum(['scheduled'], { type: 'string' }),
})

export const DuplicateBody = optionalBody(
  closed({
    continueFromOptimized: Type.Optional(Type.Boolean()),
    initialPromptOverride: Type.Optional(Prompt),
  }),
)

const EVALUATOR_TYPES = [
  'f1',
  'similarity',
  'referenceJudge',
  'comparisonJudge',
  'generalJudge',
  'structuredOutput',
  'toolSelection',
] as const

const EvaluatorType = Type.Enum(EVALUATOR_TYPES, { type: 'string' })
const Weight = Type.Number({ exclusiveMinimum: 0, maximum: 1_000 })
const ScaleEnd = Type.Number({ minimum: -1_000_000, maximum: 1_000_000 })

export const PrompticEvaluator = closed(
  {
    id: Id,
    experimentId: Id,
    name: Type.String(),
    description: NullableString,
    type: Type.String(),
    scaleMin: Type.Number(),
    scaleMax: Type.Number(),
    weight: Type.Number(),
    config: nullable(anyObject()),
    createdAt: Timestamp,
    updatedAt: Timestamp,
  },
  { title: 'PrompticEvaluator' },
)
export type PrompticEvaluator = Static<typeof PrompticEvaluator>

const NewEvaluator = closed(
  {
    name: Name,
    type: EvaluatorType,
    weight: Type.Optional(Weight),
    description: Type.Optional(NullableText),
    config: Type.Optional(ofTypes(['object', 'null'])),
    scaleMin: Type.Optional(ScaleEnd),
    scaleMax: Type.Optional(ScaleEnd),
  },
  { title: 'NewPrompticEvaluator' },
)
export type NewEvaluator = Static<typeof NewEvaluator>

export const AddEvaluatorsBody = Type.Array(NewEvaluator, { minItems: 1, maxItems: EVALUATORS_MAX })
export const ChangeEvaluatorBody = closed(
  {
    name: Type.Optional(Name),
    type: Type.Optional(EvaluatorType),
    weight: Type.Optional(Weight),
    description: Type.Optional(NullableText),
    config: Type.Optional(ofTypes(['object', 'null'])),
    scaleMin: Type.Optional(ScaleEnd),
    scaleMax: Type.Optional(ScaleEnd),
  },
  { minProperties: 1 },
)
export const EvaluatorParams = closed({ experimentId: Id, evaluatorId: Id })

const PrompticScore = closed(
  {
    iterationId: Type.Integer(),
    score: Type.Number({ description: 'The mean as a share of the scale, where 1 is the best.' }),
    rawScore: Type.Number({ description: 'The mean on the scale.' }),
    evaluatorId: Id,
    evaluatorName: Type.String(),
    evaluatorDescription: NullableString,
    evaluatorType: Type.String(),
  },
  { title: 'PrompticScore' },
)

const iteration = {
  id: Type.Integer({ description: 'As iterationNumber; 0 is the start.' }),
  experimentId: Id,
  iterationNumber: Type.Integer(),
  prompt: Type.String(),
  promptTokens: NullableInteger,
  overallNormalizedScore: Type.Number({ description: 'The mean of all answers that were scored, from 0 to 1.' }),
  evalNormalizedScore: described(NullableNumber, 'On the validation items; null unless all were answered.'),
  schemaSnapshot: Schema,
  createdAt: Timestamp,
  updatedAt: Timestamp,
  avgPredictionLatencyMs: Type.Optional(described(NullableInteger, 'Of the answers of the model.')),
  toolDescriptions: Type.Optional(anyObject({ description: 'By the name of the tool.' })),
  selectionSystemPrompt: Type.Optional(NullableString),
}

export const PrompticIteration = closed(iteration, { title: 'PrompticIteration' })
export type PrompticIteration = Static<typeof PrompticIteration>
export const ScoredIteration = closed(
  { ...iteration, scores: Type.Array(PrompticScore) },
  { title: 'ScoredPrompticIteration' },
)
export type ScoredIteration = Static<typeof ScoredIteration>

export const PrompticIterationParams = closed({
  experimentId: Id,
  iteration: Type.String({ pattern: '^(0|[1-9][0-9]{0,8})$' }),
})
