import { type Static, Type } from 'typebox'
import { SPLITS } from '../datasets/splits/split.ts'
import { POINTER_LENGTH_MAX } from '../endpoints/endpoint-schemas.ts'
import {
  anyObject,
  Count,
  closed,
  described,
  Id,
  NAME_LENGTH_MAX,
  NullableInteger,
  NullableNumber,
  nullable,
  queryText,
} from '../http/schemas.ts'
import { VersionNumber } from '../prompts/evidence-schemas.ts'
import { PLANNED_LOOKS } from '../scores/stored-config.ts'
import { TARGET_TYPES } from './targets/given-target.ts'

const VARIANTS_MAX = 50
const REPETITIONS_MAX = 20
const CONCURRENCY_MAX = 64
const MINUTES_MAX = 10_080
const USD_MAX = 1_000_000
const ITEMS_MAX = 100_000
const GRID_MAX = 50

const ModelName = Type.String({ minLength: 1, maxLength: NAME_LENGTH_MAX })
const VariantName = Type.String({ minLength: 1, maxLength: 200 })
export const QueueName = Type.String({ pattern: '^[A-Za-z0-9][A-Za-z0-9._/-]{0,127}$' })
export const AnyObject = anyObject({ additionalProperties: true })

const target = {
  type: Type.Enum(TARGET_TYPES, {
    type: 'string',
    description:
      '`prompt`: the server calls a model; `http`: the server calls an endpoint; `worker`: your programs fetch the calls of a queue; `recorded`: nothing is called, the trace that each item was created from is the answer',
  }),
  promptId: Type.Optional(Id),
  version: Type.Optional(VersionNumber),
  provider: Type.Optional(described(ModelName, 'The name of a connection. Default: that of the version.')),
  model: Type.Optional(described(ModelName, 'Default: that of the version, or the first of the connection.')),
  parameters: Type.Optional(anyObject({ description: 'Added to those of the version; null removes one' })),
  tools: Type.Optional(
    Type.Enum(['record', 'replay'] as const, {
      type: 'string',
      description:
        '`record`: the calls of tools are the output. `replay`: they get the answers that are recorded in the trace of the item.',
    }),
  ),
  endpoint: Type.Optional(described(ModelName, 'The name of an endpoint.')),
  body: Type.Optional(
    Type.Unknown({
      description: 'What is sent: any JSON. {{input}} and {{input.question}} in its strings are replaced.',
    }),
  ),
  output: Type.Optional(
    Type.String({
      maxLength: POINTER_LENGTH_MAX,
      description: 'A JSON Pointer to the output in the answer, such as /answer. Default: the whole answer.',
    }),
  ),
  queue: Type.Optional(QueueName),
}

export const TrialTarget = closed(target, { title: 'TrialTarget' })

const NewVariant = closed({ name: Type.Optional(VariantName), target: TrialTarget }, { title: 'NewTrialVariant' })

const Grid = closed(
  {
    promptId: Id,
    versions: Type.Array(VersionNumber, { minItems: 1, maxItems: GRID_MAX, uniqueItems: true }),
    models: Type.Optional(
      Type.Array(closed({ provider: Type.Optional(ModelName), model: Type.Optional(ModelName) }), {
        minItems: 1,
        maxItems: GRID_MAX,
      }),
    ),
    parameters: Type.Optional(
      Type.Unsafe<Record<string, unknown[]>>({
        type: 'object',
        additionalProperties: { type: 'array', minItems: 1, maxItems: GRID_MAX },
        description: 'A list of values for each parameter, such as {"temperature": [0, 0.7]}',
      }),
    ),
  },
  { title: 'TrialGrid' },
)

export const StartTrialBody = closed({
  datasetId: Id,
  name: Type.Optional(Type.String({ minLength: 1, maxLength: 200 })),
  resume: Type.Optional(
    Type.Boolean({
      description:
        'Whether the newest trial of the component with this name is returned, if there is one, and none is started.',
    }),
  ),
  split: Type.Optional(Type.Enum(SPLITS, { type: 'string' })),
  sample: Type.Optional(
    closed({
      n: Type.Integer({ minimum: 1, maximum: ITEMS_MAX }),
      seed: Type.Optional(Type.Integer({ minimum: 0, maximum: 2_147_483_647, description: 'Default: 0' })),
    }),
  ),
  variants: Type.Optional(Type.Array(NewVariant, { maxItems: VARIANTS_MAX })),
  grid: Type.Optional(Grid),
  variables: Type.Optional(
    Type.Unsafe<Record<string, string | { value: unknown }>>({
      type: 'object',
      additionalProperties: {
        anyOf: [
          { type: 'string', maxLength: 500 },
          { type: 'object', properties: { value: {} }, required: ['value'], additionalProperties: false },
        ],
      },
      description:
        'For each variable of the prompts a path such as `input.question`, or {"value": …}. Default: the field of the input with its name.',
    }),
  ),
  baseline: Type.Optional(described(VariantName, 'The variant that the others are compared with. Default: the first.')),
  repetitions: Type.Optional(Type.Integer({ minimum: 1, maximum: REPETITIONS_MAX, description: 'Default: 1' })),
  concurrency: Type.Optional(
    Type.Integer({ minimum: 1, maximum: CONCURRENCY_MAX, description: 'Of calls of the server. Default: 8' }),
  ),
  maxCostUsd: Type.Optional(
    Type.Number({
      exclusiveMinimum: 0,
      maximum: USD_MAX,
      description: 'Reserved before each call of the server. No call of a worker begins once it is spent.',
    }),
  ),
  maxMinutes: Type.Optional(Type.Integer({ minimum: 1, maximum: MINUTES_MAX, description: 'Default: 1440' })),
  evaluation: Type.Optional(
    described(AnyObject, 'The config of the evaluations of all runs; without it, there are none'),
  ),
  stopEarly: Type.Optional(
    Type.Boolean({
      description:
        'Looks at the metric of the gate, else at the first evaluator, after each tenth of the items. A variant that is decided, or nearly certain to stay undecided, gets no more calls.',
    }),
  ),
  plannedLooks: Type.Optional(
    Type.Integer({
      minimum: PLANNED_LOOKS[0],
      maximum: PLANNED_LOOKS[1],
      description: 'Instead of stopEarly: so many looks, which share the 5 %, most of it for the last. Decides sooner.',
    }),
  ),
})

export type StartTrial = Static<typeof StartTrialBody>

export const StartTrialQuery = closed({ dry_run: queryText({ type: 'boolean' }) })

export const TrialEstimate = closed(
  {
    calls: Count,
    cost: described(
      closed({ minUsd: NullableNumber, expectedUsd: NullableNumber, maxUsd: NullableNumber }),
      'Of the calls of prompts: with the shortest answers, with answers as long as those of the items, and up to the limit of tokens. Null if a model has no price.',
    ),
    unpricedModels: Type.Array(Type.String()),
    judges: described(
      nullable(closed({ calls: Count, expectedUsd: NullableNumber, unpricedModels: Type.Array(Type.String()) })),
      'The calls of evaluators that ask a model, for all answers; not part of cost and maxCostUsd. Null if no model can be asked.',
    ),
    minutes: described(
      NullableNumber,
      'As the calls of the last trials, and within the requests a minute of the connections; null without one, and without prompts.',
    ),
    callsPerMinute: described(NullableNumber, 'Of the calls of the server; null if minutes is.'),
    byItems: Type.Array(closed({ items: Count, detectableDifference: NullableNumber }, { title: 'ItemsEstimate' }), {
      description: 'What more or fewer items would show, with the chosen number among them.',
    }),
    byRepetitions: Type.Array(
      closed(
        { repetitions: Count, calls: Count, expectedUsd: NullableNumber, detectableDifference: NullableNumber },
        { title: 'RepetitionEstimate' },
      ),
      {
        description:
          'What more repetitions would show: differences of a rate that 80 of 100 such trials find, if 18 of 100 pairs of answers differ; null if there are too few items. With stopEarly, and with more candidates, they must be larger.',
      },
    ),
    variants: Type.Array(
      closed({ name: Type.String(), calls: Count, expectedUsd: NullableNumber }, { title: 'VariantEstimate' }),
      { description: 'The cost is null for services, programs and models without a price.' },
    ),
    variables: Type.Array(closed({ name: Type.String(), example: Type.String() }, { title: 'VariableExample' }), {
      description: 'The value of each variable in the first item that has it; shortened.',
    }),
    gate: nullable(
      closed({ metric: Type.String(), margin: NullableNumber, items: Count, itemsNeeded: NullableInteger }),
    ),
    missing: Type.Array(closed({ variable: Type.String(), items: Count, of: Count }, { title: 'MissingVariable' }), {
      description: 'Variables without a value in some items, whose calls would fail.',
    }),
    summary: Type.String(),
  },
  { title: 'TrialEstimate' },
)

export type TrialEstimate = Static<typeof TrialEstimate>
