import { Type } from 'typebox'
import {
  Count,
  closed,
  described,
  Id,
  NullableInteger,
  NullableNumber,
  NullableString,
  nullable,
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
  filter: queryText({
    type: 'string',
    enum: [...MATRIX_FILTERS],
    description:
      '`differ`: items whose scores are not all the same; `failed`, `waiting`: items with such a call. Default: all',
  }),
  format: queryText({ type: 'string', enum: [...MATRIX_FORMATS], description: '`compact`: only the states' }),
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
    data: Type.Array(
      closed(
        {
          itemId: Id,
          preview: described(NullableString, 'The beginning of the input; null if the item was deleted.'),
          calls: Type.Array(MatrixCell),
        },
        { title: 'TrialMatrixItem' },
      ),
    ),
    nextCursor: NullableString,
    counts: described(
      nullable(closed({ all: Count, differ: NullableInteger, failed: Count, waiting: Count })),
      'Items by filter, on the first page. `differ` is null without scores that the reader may see.',
    ),
    compact: described(
      NullableString,
      'With format=compact, one letter for each call in their order: q queued, r running, t retrying, d done, f failed, s skipped.',
    ),
  },
  { title: 'TrialMatrix' },
)
