import { type Static, Type } from 'typebox'
import { VERDICTS } from '../comparisons/verdicts/verdict.ts'
import { nameListQuery } from '../http/query-parameters.ts'
import {
  Count,
  closed,
  described,
  Id,
  NullableId,
  NullableInteger,
  NullableInterval,
  NullableNumber,
  NullableString,
  NullableTimestamp,
  nullable,
  optionalBody,
  orNull,
  queryText,
  Timestamp,
} from '../http/schemas.ts'
import { VersionNumber } from '../prompts/evidence-schemas.ts'
import { AddedAndRemoved, MessageDiffs, PromptMessage } from '../prompts/prompt-schemas.ts'
import { AnyObject } from '../trials/start-trial-schemas.ts'
import { FATES, KINDS } from './search/search.ts'
import { ExperimentBudget } from './start-experiment-schemas.ts'

const STATUSES = ['pending', 'running', 'completed', 'failed'] as const
const ENDS = ['nothingToImprove', 'patience', 'calls', 'budget', 'time', 'stopped', 'canceled'] as const
export const STATES = ['proposed', 'rejected', 'screened', 'validated', 'finalist'] as const
const ITERATIONS_PAGE_MAX = 100
export const ITERATIONS_PAGE = { default: 50, max: ITERATIONS_PAGE_MAX }
/** `fate` is always there. */
export const INCLUDES = ['fate', 'parents', 'scores'] as const

export const Status = Type.Enum(STATUSES, { type: 'string' })
export const Phase = Type.Enum(['created', 'searching', 'choosing', 'testing', 'ended'] as const, { type: 'string' })
export const EndedBy = orNull(
  Type.Enum(ENDS, { type: 'string', description: 'Why the search ended; `reason` says the same in words.' }),
)
export const Fate = orNull(
  Type.Enum(FATES, { type: 'string', description: 'Why it was not validated; `reason` says the same in words.' }),
)

export const ExperimentParams = closed({ componentId: Id, experimentId: Id })

export const Experiment = closed(
  {
    id: Id,
    name: NullableString,
    status: Status,
    endedBy: EndedBy,
    datasetId: Id,
    promptId: Id,
    createdAt: Timestamp,
  },
  { title: 'Experiment' },
)

const ExpectedOnNew = described(
  nullable(closed({ difference: Type.Number(), ci: NullableInterval })),
  'What to expect of the best candidate on new items: its difference from the start, which is less than on the items that chose it. Null with fewer than ten items.',
)

export const ExperimentValidation = closed(
  {
    items: Count,
    candidates: described(Count, 'Those that were validated, without the start.'),
    start: described(NullableNumber, 'The mean of the start, from 0 to 1.'),
    startCi: NullableInterval,
    best: nullable(closed({ number: Count, mean: Type.Number(), ci: NullableInterval })),
    expectedOnNew: ExpectedOnNew,
  },
  { title: 'ExperimentValidation' },
)

const fates = Object.fromEntries(FATES.map((fate) => [fate, Count])) as Record<(typeof FATES)[number], typeof Count>
const Rejected = closed(fates, { title: 'ExperimentRejected' })

const progress = closed(
  {
    proposals: Count,
    validated: described(Count, 'Without the start.'),
    rejected: Rejected,
    answers: closed({ done: Count, failed: Count, open: Count }),
    reflections: closed({ done: Count, failed: Count, open: Count }),
  },
  { title: 'ExperimentProgress' },
)

export const ExperimentDetail = closed(
  {
    id: Id,
    name: NullableString,
    aiComponentId: Id,
    datasetId: Id,
    promptId: Id,
    version: described(VersionNumber, 'The version that it starts from.'),
    status: Status,
    phase: Phase,
    endedBy: EndedBy,
    reason: NullableString,
    error: NullableString,
    items: closed({ train: Count, validation: Count, test: Count }),
    progress,
    validation: described(nullable(ExperimentValidation), 'Null before the start is validated.'),
    cost: closed({
      spentUsd: described(Type.Number(), 'Of the search; results.cost has the test, too.'),
      maxUsd: NullableNumber,
    }),
    trialId: described(NullableId, 'The trial that answers the test items.'),
    warnings: Type.Array(Type.String()),
    plan: AnyObject,
    endsAt: NullableTimestamp,
    startedAt: NullableTimestamp,
    completedAt: NullableTimestamp,
    createdAt: Timestamp,
    updatedAt: Timestamp,
  },
  { title: 'ExperimentDetail' },
)

export type ExperimentDetail = Static<typeof ExperimentDetail>

export const ResultVerdict = orNull(
  Type.Enum([...VERDICTS, 'noFinalist', 'noVerdict'] as const, {
    type: 'string',
    description:
      'Null before the end. That of the comparison on the test items. `noFinalist`: no proposal was better on the validation items; `noVerdict`: the test did not end with a comparison.',
  }),
)

const FinalistComparison = closed(
  { verdict: Type.String(), summary: Type.String(), difference: NullableNumber, ci: NullableInterval },
  { title: 'ExperimentComparison' },
)

const Finalist = closed(
  {
    iteration: Count,
    version: VersionNumber,
    runId: Id,
    comparison: nullable(FinalistComparison),
  },
  { title: 'ExperimentFinalist' },
)

const ExperimentTest = closed(
  {
    trialId: Id,
    items: Count,
    metric: NullableString,
    baselineRunId: NullableId,
    finalists: Type.Array(Finalist),
  },
  { title: 'ExperimentTest' },
)

export const ExperimentResults = closed(
  {
    optimizer: Type.String(),
    verdict: ResultVerdict,
    summary: Type.String(),
    test: nullable(ExperimentTest),
    validation: nullable(ExperimentValidation),
    proposals: Count,
    rejected: Rejected,
    openings: described(Count, 'How often the test split has decided, with this experiment.'),
    warnings: Type.Array(Type.String()),
    cost: closed({
      answersUsd: Type.Number(),
      reflectionsUsd: Type.Number(),
      searchUsd: Type.Number(),
      testUsd: Type.Number(),
      totalUsd: Type.Number(),
    }),
  },
  { title: 'ExperimentResults' },
)

export type ExperimentResults = Static<typeof ExperimentResults>

const Iteration = closed(
  {
    number: described(Count, '0 is the start.'),
    kind: Type.Enum(KINDS, {
      type: 'string',
      description:
        'How it came about: proposed by a model, by adding demonstrations, by merging two prompts, or by combining an instruction with demonstrations.',
    }),
    state: Type.Enum(STATES, { type: 'string' }),
    fate: Fate,
    reason: NullableString,
    hash: described(NullableString, 'Of the content; null until there is a prompt that passes the guards.'),
    messages: orNull(Type.Array(PromptMessage)),
    toolDescriptions: described(
      orNull(Type.Array(closed({ name: Type.String(), description: Type.String() }, { title: 'ToolDescription' }))),
      'Of all tools; null if they are those of the start.',
    ),
    diagnosis: described(NullableString, 'What the model of the reflection has found.'),
    mean: described(NullableNumber, 'On the validation items, from 0 to 1; null until it is validated.'),
    demonstrations: described(Count, 'Training items that it shows with their answers.'),
    version: described(NullableInteger, 'Of the prompt, if it is a finalist or was saved.'),
    createdAt: Timestamp,
    parents: Type.Optional(Type.Array(Count)),
    scores: Type.Optional(
      Type.Array(
        closed(
          { metric: Type.String(), train: NullableNumber, validation: NullableNumber },
          { title: 'ExperimentScore' },
        ),
        { description: 'The mean of each evaluator as a share of its scale, where 1 is the best.' },
      ),
    ),
  },
  { title: 'ExperimentIteration' },
)

export type ExperimentIteration = Static<typeof Iteration>

export const IterationQuery = closed({
  include: nameListQuery(INCLUDES, { isEmptyAllowed: false, description: 'What to add to each iteration' }),
  limit: queryText({ type: 'integer', minimum: 1, maximum: ITERATIONS_PAGE_MAX, default: ITERATIONS_PAGE.default }),
  cursor: Type.Optional(Type.String({ maxLength: 500, description: 'The `nextCursor` of the page before.' })),
})

export const IterationPage = closed({ data: Type.Array(Iteration), nextCursor: NullableString })

export const ExperimentFront = closed(
  {
    data: Type.Array(
      closed(
        { number: Count, best: Count, mean: NullableNumber, costUsd: NullableNumber },
        { title: 'ExperimentFrontMember' },
      ),
      { description: '`best` is the number of validation items on which no other one is better.' },
    ),
    items: Count,
  },
  { title: 'ExperimentFront' },
)

export const IterationParams = closed({
  componentId: Id,
  experimentId: Id,
  iteration: Type.String({ pattern: '^(0|[1-9][0-9]{0,8})$' }),
})

export const AGAINST = ['start', 'parent'] as const

export const IterationDiffQuery = closed({
  against: queryText({ type: 'string', enum: [...AGAINST], default: 'start' }),
})

export const ToolChanges = Type.Array(
  closed({ name: Type.String(), before: NullableString, after: Type.String() }, { title: 'ToolDescriptionChange' }),
  { description: 'The tools whose descriptions differ.' },
)

export const IterationDiff = closed(
  {
    from: Count,
    to: Count,
    messages: MessageDiffs,
    variables: AddedAndRemoved,
    placeholders: AddedAndRemoved,
    tools: ToolChanges,
  },
  { title: 'ExperimentDiff' },
)

export const ResumeExperimentBody = optionalBody(closed({ budget: Type.Optional(ExperimentBudget) }))
