import { Type } from 'typebox'
import {
  Count,
  closed,
  described,
  Id,
  NullableBoolean,
  NullableInteger,
  NullableNumber,
  NullableString,
  nullable,
  orNull,
  queryText,
} from '../../http/schemas.ts'
import { CALL_STATES } from '../calls/call-schemas.ts'
import { MATRIX_FILTERS } from './matrix-queries.ts'

/** An item has up to a thousand calls. */
const ITEMS_MAX = 50
export const ITEMS_PAGE = { default: 20, max: ITEMS_MAX }
export const MATRIX_FORMATS = ['items', 'compact'] as const

export const MatrixQuery = closed({
  variant: Type.Optional(Type.String({ minLength: 1, maxLength: 200, description: 'The name of a variant' })),
  candidate: Type.Optional(
    Type.String({
      minLength: 1,
      maxLength: 200,
      description: 'The variant that `worse`, `better` and `same` compare with the baseline. Default: the best one',
    }),
  ),
  filter: queryText({
    type: 'string',
    enum: [...MATRIX_FILTERS],
    description:
      '`worse`, `better`, `same`: items by the mean score of the candidate against that of the baseline; `unscored`: items without both; `differ`: items whose scores are not all the same; `flips`: items with different scores of the repetitions of a variant; `failed`, `waiting`: items with such a call. Default: all',
  }),
  format: queryText({
    type: 'string',
    enum: [...MATRIX_FORMATS],
    description: '`compact`: only the states and scores, as one text',
  }),
  from: queryText({ type: 'integer', minimum: 1, default: 1, description: 'The number of the first item.' }),
  limit: queryText({ type: 'integer', minimum: 1, maximum: ITEMS_MAX, default: ITEMS_PAGE.default }),
  cursor: Type.Optional(Type.String({ maxLength: 500, description: 'The `nextCursor` of the page before.' })),
})

const MatrixCell = closed(
  {
    callId: Count,
    variant: Type.String(),
    repetition: Count,
    state: Type.Enum(CALL_STATES, { type: 'string' }),
    score: described(NullableNumber, 'Of `metric`; null without one, and if it is withheld from the reader.'),
    traceId: described(NullableString, 'Of the last attempt; null before the first.'),
  },
  { title: 'TrialMatrixCell' },
)

export const TrialMatrix = closed(
  {
    metric: described(NullableString, 'The metric of the gate, or the first one; null without an evaluation.'),
    scale: described(
      orNull(Type.Array(Type.Number(), { minItems: 2, maxItems: 2 })),
      'Of the scores; null before the first evaluation has ended, and without bounds.',
    ),
    higherIsBetter: described(NullableBoolean, 'Null before the first evaluation has ended.'),
    candidate: described(NullableString, 'Which variant is compared with the baseline; null with one variant.'),
    data: Type.Array(
      closed(
        {
          itemId: Id,
          number: described(Count, 'Its position in the trial, from 1.'),
          change: described(
            orNull(Type.Enum(['better', 'worse', 'same'] as const, { type: 'string' })),
            'Of the candidate against the baseline; null unless both have scores.',
          ),
          preview: described(NullableString, 'The beginning of the input; null if the item was deleted.'),
          calls: Type.Array(MatrixCell),
        },
        { title: 'TrialMatrixItem' },
      ),
    ),
    nextCursor: NullableString,
    counts: described(
      nullable(
        closed({
          all: Count,
          worse: NullableInteger,
          better: NullableInteger,
          same: NullableInteger,
          unscored: NullableInteger,
          differ: NullableInteger,
          flips: NullableInteger,
          failed: Count,
          waiting: Count,
        }),
      ),
      'Items by filter, on the first page. Those of scores are null without scores that the reader may see.',
    ),
    compact: described(
      NullableString,
      'With format=compact, one character for each call in their order: q queued, r running, t retrying, d done, f failed, s skipped; 0 to 9 for a call that is done and has a score, from the worst to the best of the scale.',
    ),
  },
  { title: 'TrialMatrix' },
)
