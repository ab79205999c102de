import { type Static, Type } from 'typebox'
import { SplitName } from '../datasets/splits/split-schemas.ts'
import {
  Count,
  closed,
  described,
  Id,
  NAME_LENGTH_MAX,
  NullableNumber,
  NullableString,
  orNull,
  queryText,
} from '../http/schemas.ts'
import { VersionNumber } from '../prompts/evidence-schemas.ts'
import { AnyObject } from '../trials/start-trial-schemas.ts'
import { OBJECTIVE_ROLES, OPTIMIZED_PARTS } from './experiment-plan.ts'

const USD_MAX = 1_000_000
const CALLS_MAX = 100_000
const MINUTES_MAX = 10_080
const TEXTS_MAX = 50
const TEXT_LENGTH_MAX = 20_000

const ModelName = Type.String({ minLength: 1, maxLength: NAME_LENGTH_MAX })
const Share = Type.Number({ minimum: 0, maximum: 1 })

const Model = closed(
  {
    provider: Type.Optional(described(ModelName, 'The name of a connection.')),
    model: Type.Optional(ModelName),
  },
  { title: 'ExperimentModel' },
)

const budget = {
  maxCostUsd: Type.Optional(
    Type.Number({
      exclusiveMinimum: 0,
      maximum: USD_MAX,
      description:
        'Of all calls: answers, evaluators, reflections and the test. Reserved before each call. Default: none',
    }),
  ),
  maxCalls: Type.Optional(
    Type.Integer({
      minimum: 1,
      maximum: CALLS_MAX,
      description: 'Of models, without repeats after an error of the provider. Default: 5000',
    }),
  ),
  maxMinutes: Type.Optional(
    Type.Integer({
      minimum: 1,
      maximum: MINUTES_MAX,
      description: 'Of the search; the test comes after it. Default: 120',
    }),
  ),
  patience: Type.Optional(
    Type.Integer({
      minimum: 1,
      maximum: 1_000,
      description: 'The search ends after so many proposals in a row that are not better. Default: 10',
    }),
  ),
}

export const ExperimentBudget = closed(budget, { title: 'ExperimentBudget' })

export const NewExperimentBody = closed({
  name: Type.Optional(Type.String({ minLength: 1, maxLength: 200 })),
  datasetId: Id,
  prompt: described(closed({ promptId: Id, version: VersionNumber }), 'The version to start from.'),
  optimizer: Type.Optional(
    Type.String({
      maxLength: 100,
      description: '`gepa` (default), `bootstrapFewShot`, `miproV2` or `gepaThenFewShot`',
    }),
  ),
  target: Type.Optional(
    closed({
      provider: Type.Optional(described(ModelName, 'The name of a connection. Default: that of the version.')),
      model: Type.Optional(ModelName),
      parameters: Type.Optional(AnyObject),
      tools: Type.Optional(
        Type.Enum(['record', 'replay'] as const, {
          type: 'string',
          description:
            'As in trials: calls of tools are the output (`record`, default), or get the recorded answers of the trace of the item',
        }),
      ),
    }),
  ),
  reflection: Type.Optional(described(Model, 'The model that proposes prompts. Default: that of the target.')),
  variables: Type.Optional(
    described(AnyObject, 'As in trials: a path such as `input.question`, or {"value": …}, for each variable'),
  ),
  evaluators: Type.Array(AnyObject, {
    minItems: 1,
    maxItems: TEXTS_MAX,
    description: 'As in the config of evaluations, each with an optional "weight" (default: 1)',
  }),
  provider: Type.Optional(
    described(ModelName, 'The connection of evaluators that ask a model. Default: that of the target.'),
  ),
  objectives: Type.Optional(
    Type.Array(
      closed(
        {
          metric: described(ModelName, 'The name of an evaluator; for tieBreak also `costUsd`.'),
          role: Type.Enum(OBJECTIVE_ROLES, { type: 'string' }),
          margin: Type.Optional(
            described(Share, 'Of notWorse: by how much the metric may fall, as a share of its scale. Default: 0.03'),
          ),
        },
        { title: 'ExperimentObjective' },
      ),
      { minItems: 1, maxItems: TEXTS_MAX, description: 'Default: improve all evaluators' },
    ),
  ),
  splits: Type.Optional(
    closed({
      train: Share,
      validation: Share,
      test: Share,
      seed: Type.Optional(Type.Integer({ minimum: 0, maximum: 2_147_483_647, description: 'Default: 0' })),
    }),
  ),
  optimize: Type.Optional(
    Type.Array(Type.Enum(OPTIMIZED_PARTS, { type: 'string' }), {
      minItems: 1,
      maxItems: OPTIMIZED_PARTS.length,
      description:
        'What proposals may change. Default: the messages, and the descriptions of tools if the version has tools',
    }),
  ),
  frozen: Type.Optional(
    Type.Array(Type.String({ pattern: '^/messages/\\d+(/content)?$', maxLength: 100 }), {
      maxItems: TEXTS_MAX,
      description: 'Parts that must not change, such as /messages/1',
    }),
  ),
  frozenTexts: Type.Optional(
    Type.Array(Type.String({ minLength: 1, maxLength: TEXT_LENGTH_MAX }), {
      maxItems: TEXTS_MAX,
      description: 'Texts that must stay word for word',
    }),
  ),
  maxPromptTokens: Type.Optional(
    Type.Integer({
      minimum: 1,
      maximum: 100_000,
      description:
        'Default: twice the length of the start, or 500 tokens more, whichever is larger; with demonstrations eight training items more',
    }),
  ),
  budget: Type.Optional(ExperimentBudget),
  finalists: Type.Optional(
    Type.Integer({
      minimum: 1,
      maximum: 5,
      description: 'How many candidates the test split decides about. Default: 1',
    }),
  ),
  repetitions: Type.Optional(
    Type.Integer({ minimum: 1, maximum: 20, description: 'How often each test item is answered. Default: 1' }),
  ),
  concurrency: Type.Optional(Type.Integer({ minimum: 1, maximum: 64, description: 'Default: 8' })),
  search: Type.Optional(
    closed(
      {
        parents: Type.Optional(
          Type.Integer({ minimum: 1, maximum: 10, description: 'Candidates that a round improves on' }),
        ),
        proposals: Type.Optional(
          Type.Integer({ minimum: 1, maximum: 20, description: 'Proposals of a round for each of them' }),
        ),
        sample: Type.Optional(
          Type.Integer({ minimum: 1, maximum: 50, description: 'Training items that a proposal is about. Default: 8' }),
        ),
      },
      { title: 'ExperimentSearch' },
    ),
  ),
  allowTooFew: Type.Optional(
    Type.Boolean({ description: 'Whether fewer than 30 test items are accepted. The verdict is then `tooFewCases`.' }),
  ),
})

export type NewExperiment = Static<typeof NewExperimentBody>

export const NewExperimentQuery = closed({ dry_run: queryText({ type: 'boolean' }) })

const ItemCounts = closed({ train: Count, validation: Count, test: Count }, { title: 'ExperimentItems' })

const SimilarItem = closed(
  { id: Id, question: NullableString, split: orNull(SplitName) },
  { title: 'ExperimentSimilarItem' },
)

const SimilarItems = closed(
  {
    similarity: described(Type.Number(), '1: the same text.'),
    items: Type.Array(SimilarItem, { minItems: 2, maxItems: 2 }),
  },
  { title: 'ExperimentSimilarItems' },
)

const examples = Type.Array(SimilarItems, { description: 'Up to ten of the pairs.' })

const ExperimentLeak = closed(
  { splits: Type.Array(SplitName, { minItems: 2, maxItems: 2 }), pairs: Count, summary: Type.String(), examples },
  { title: 'ExperimentLeak' },
)

export const ExperimentEstimate = closed(
  {
    items: described(ItemCounts, 'With the items that would be drawn.'),
    drawn: described(Count, 'Items without a split, which get one when the experiment is created.'),
    proposals: described(Count, 'What the budget buys, if half of the proposals are validated.'),
    calls: Count,
    expectedCostUsd: described(NullableNumber, 'Null if a model has no price.'),
    testCostUsd: described(NullableNumber, 'Of it, set aside for the test.'),
    unpricedModels: Type.Array(Type.String()),
    detectableDifference: described(
      NullableNumber,
      'A rate must change by so much on the test items to be found in 80 of 100 experiments; null if not even the largest change is.',
    ),
    openings: described(Count, 'How often the test split has decided before.'),
    leaks: Type.Array(ExperimentLeak, { description: 'Items that are nearly the same and in different splits.' }),
    together: described(
      closed({ pairs: Count, examples }),
      'Items that are nearly the same and had no split: they get the same one.',
    ),
    warnings: Type.Array(Type.String()),
    summary: Type.String(),
  },
  { title: 'ExperimentEstimate' },
)

export type ExperimentEstimate = Static<typeof ExperimentEstimate>
