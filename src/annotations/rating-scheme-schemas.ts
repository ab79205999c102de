import { Type } from 'typebox'
import { closed, NAME_LENGTH_MAX } from '../http/schemas.ts'

const RATINGS_MAX = 50
/** Far beyond what anybody rates with, and far from where sums and squares of scores are no longer numbers. */
const SCORE_MAX = 1_000_000

export const RatingWord = Type.String({ minLength: 1, maxLength: NAME_LENGTH_MAX })
const Label = Type.Unsafe<string | null>({ type: ['string', 'null'], maxLength: NAME_LENGTH_MAX })

const Score = Type.Number({ minimum: -SCORE_MAX, maximum: SCORE_MAX })

/** As it is stored: a score may be from a time when any number was taken. */
const Rating = closed({ value: RatingWord, score: Type.Number(), label: Label }, { title: 'Rating' })

export const RatingScheme = closed({ ratings: Type.Array(Rating), ordered: Type.Boolean() }, { title: 'RatingScheme' })

/** Two at least: with a single word nobody can tell a good trace from a bad one. */
export const RatingSchemeBody = closed({
  ratings: Type.Array(closed({ value: RatingWord, score: Score, label: Type.Optional(Label) }), {
    minItems: 2,
    maxItems: RATINGS_MAX,
  }),
  ordered: Type.Boolean(),
})
