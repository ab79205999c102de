import { Type } from 'typebox'
import { closed, NAME_LENGTH_MAX, orNull } from '../http/schemas.ts'
import { RATING_KEYS } from './rating-rule-queries.ts'

const RATINGS_MAX = 50
/** Large enough for any scheme, and small enough that sums and squares of scores do not overflow. */
const SCORE_MAX = 1_000_000

export const RatingWord = Type.String({ minLength: 1, maxLength: NAME_LENGTH_MAX })
const Label = orNull(Type.String({ maxLength: NAME_LENGTH_MAX }))

const Score = Type.Number({ minimum: -SCORE_MAX, maximum: SCORE_MAX })

/** Names instead of values, so that the interface chooses shades with enough contrast in each theme. */
const RATING_COLORS = ['red', 'orange', 'gold', 'green', 'teal', 'blue', 'purple', 'gray'] as const

export const RatingColor = nullableEnum(RATING_COLORS, 'Null means the default color.')
export const RatingKey = nullableEnum(RATING_KEYS, 'The key that chooses the rating; null means none.')

/** Accepts stored scores from versions without a limit. */
const Rating = closed(
  { value: RatingWord, score: Type.Number(), label: Label, color: RatingColor, key: RatingKey },
  { title: 'Rating' },
)

export const RatingScheme = closed({ ratings: Type.Array(Rating), ordered: Type.Boolean() }, { title: 'RatingScheme' })

/** Requires two ratings: a single one cannot distinguish good traces from bad ones. Ratings without a key get the next free one. */
export const RatingSchemeBody = closed({
  ratings: Type.Array(
    closed({
      value: RatingWord,
      score: Score,
      label: Type.Optional(Label),
      color: Type.Optional(RatingColor),
      key: Type.Optional(RatingKey),
    }),
    { minItems: 2, maxItems: RATINGS_MAX },
  ),
  ordered: Type.Boolean(),
})

function nullableEnum<const Words extends readonly string[]>(words: Words, description: string) {
  return orNull(Type.Enum(words, { type: 'string', description }))
}
