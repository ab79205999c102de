import { Type } from 'typebox'
import { closed, NAME_LENGTH_MAX } from '../http/schemas.ts'

const RATINGS_MAX = 50
/** Large enough for any scheme, and small enough that sums and squares of scores do not overflow. */
const SCORE_MAX = 1_000_000

export const RatingWord = Type.String({ minLength: 1, maxLength: NAME_LENGTH_MAX })
const Label = Type.Unsafe<string | null>({ type: ['string', 'null'], maxLength: NAME_LENGTH_MAX })

const Score = Type.Number({ minimum: -SCORE_MAX, maximum: SCORE_MAX })

/** Accepts stored scores from versions without a limit. */
const Rating = closed({ value: RatingWord, score: Type.Number(), label: Label }, { title: 'Rating' })

export const RatingScheme = closed({ ratings: Type.Array(Rating), ordered: Type.Boolean() }, { title: 'RatingScheme' })

/** Requires two ratings: a single one cannot distinguish good traces from bad ones. */
export const RatingSchemeBody = closed({
  ratings: Type.Array(closed({ value: RatingWord, score: Score, label: Type.Optional(Label) }), {
    minItems: 2,
    maxItems: RATINGS_MAX,
  }),
  ordered: Type.Boolean(),
})
