import { type Static, Type } from 'typebox'
import {
  Count,
  closed,
  described,
  Id,
  NullableInteger,
  NullableInterval,
  NullableNumber,
  NullableString,
  nullable,
  orNull,
  queryText,
  Timestamp,
} from '../../http/schemas.ts'
import { VersionNumber } from '../../prompts/evidence-schemas.ts'
import { PromptMessage } from '../../prompts/prompt-schemas.ts'
import { AGAINST, Fate, STATES } from '../experiment-schemas.ts'
import { KINDS, STEPS } from '../search/search.ts'

const State = Type.Enum(STATES, { type: 'string' })

const CoursePoint = closed(
  {
    number: described(Count, '0 is the start.'),
    parent: NullableInteger,
    kind: Type.Enum(KINDS, { type: 'string', description: 'How it came about.' }),
    state: State,
    step: Type.Enum(STEPS, { type: 'string', description: 'What is done next with it.' }),
    fate: Fate,
    reason: NullableString,
    title: described(NullableString, 'The first sentence of the diagnosis.'),
    version: described(NullableInteger, 'Of the prompt, if it is a finalist or was saved.'),
    mean: described(NullableNumber, 'On the validation items that it has answered, from 0 to 1.'),
    ci: NullableInterval,
    answered: described(Count, 'Validation items with a score.'),
    sample: described(
      nullable(closed({ items: Count, own: Type.Number(), parent: Type.Number() })),
      'The training items that it was proposed for and both have answered, with the sum of the scores of each.',
    ),
    front: described(
      NullableInteger,
      'On how many validation items no other one is better; null if another one is at least as good on all.',
    ),
    costUsd: described(NullableNumber, 'Of an answer to a validation item with its scores, on average.'),
    tokens: described(NullableInteger, 'Of its messages, about.'),
    createdAt: Timestamp,
  },
  { title: 'ExperimentCoursePoint' },
)

export const ExperimentCourse = closed(
  {
    metric: NullableString,
    items: described(Count, 'Of the validation split.'),
    data: Type.Array(CoursePoint),
    expected: Type.Array(
      closed({ number: Count, difference: Type.Number(), ci: NullableInterval }, { title: 'ExperimentExpected' }),
      {
        description:
          'After these proposals: what to expect of the best one so far on new items, as a difference from the start.',
      },
    ),
  },
  { title: 'ExperimentCourse' },
)

export type ExperimentCourse = Static<typeof ExperimentCourse>

const TraceId = described(
  NullableString,
  'Of the answer. Null if none was stored, for example because of a quota; a trace that was deleted since is not found.',
)

export const IterationDetailQuery = closed({
  against: queryText({ type: 'string', enum: [...AGAINST], default: 'start' }),
})

export const IterationDetail = closed(
  {
    number: Count,
    parent: NullableInteger,
    against: Count,
    state: State,
    fate: Fate,
    reason: NullableString,
    diagnosis: NullableString,
    reflectionTraceId: described(NullableString, 'Of the call that proposed it; null if no model did.'),
    messages: orNull(Type.Array(PromptMessage)),
    tokens: described(closed({ before: NullableInteger, after: NullableInteger }), 'Of the messages, about.'),
    version: NullableInteger,
    scores: Type.Array(
      closed(
        { metric: Type.String(), items: Count, before: NullableNumber, after: NullableNumber },
        { title: 'ExperimentMetricChange' },
      ),
      { description: 'On the validation items that both have answered, as shares of the scale.' },
    ),
    changes: described(
      closed({
        better: Count,
        worse: Count,
        same: Count,
        data: Type.Array(
          closed(
            {
              itemId: Id,
              question: NullableString,
              before: Type.Number(),
              after: Type.Number(),
              beforeTraceId: TraceId,
              afterTraceId: TraceId,
            },
            { title: 'ExperimentItemChange' },
          ),
        ),
      }),
      'Validation items whose score has changed; the greatest losses first, up to 50.',
    ),
  },
  { title: 'ExperimentIterationDetail' },
)

export type IterationDetail = Static<typeof IterationDetail>

const IterationAnswer = closed(
  {
    call: described(Count, 'The number of the call.'),
    split: Type.Enum(['train', 'validation'], { type: 'string' }),
    itemId: Id,
    question: NullableString,
    score: described(NullableNumber, 'From 0 to 1, by which the search chooses; null if there is none.'),
    scores: Type.Array(
      closed(
        { metric: Type.String(), score: NullableNumber, reason: NullableString },
        { title: 'ExperimentAnswerScore' },
      ),
      { description: 'As shares of the scale, where 1 is the best.' },
    ),
    reason: described(NullableString, 'Why there is no answer.'),
    costUsd: Type.Number(),
    traceId: TraceId,
  },
  { title: 'ExperimentAnswer' },
)

export type IterationAnswer = Static<typeof IterationAnswer>

export const IterationAnswers = closed({ data: Type.Array(IterationAnswer), nextCursor: NullableString })

const ANSWERS_PAGE_MAX = 500
export const ANSWERS_PAGE = { default: 100, max: ANSWERS_PAGE_MAX }

export const IterationAnswersQuery = closed({
  limit: queryText({ type: 'integer', minimum: 1, maximum: ANSWERS_PAGE_MAX, default: ANSWERS_PAGE.default }),
  cursor: Type.Optional(Type.String({ maxLength: 500, description: 'The `nextCursor` of the page before.' })),
})

export const SavedIteration = closed({ promptId: Id, version: VersionNumber }, { title: 'SavedIteration' })
