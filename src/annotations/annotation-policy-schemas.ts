import { Type } from 'typebox'
import { closed, orNull } from '../http/schemas.ts'
import { RatingWord } from './rating-scheme-schemas.ts'

const RATERS_MAX = 100
const RATINGS_MAX = 50

const RatersPerItem = orNull(Type.Integer({ minimum: 1, maximum: RATERS_MAX }))
const AllowedRatings = orNull(Type.Array(RatingWord, { minItems: 1, maxItems: RATINGS_MAX, uniqueItems: true }))

/** The annotation policy of a run. Null means no limit, or that all ratings are allowed. */
export const AnnotationPolicy = closed(
  { ratersPerItem: RatersPerItem, blind: Type.Boolean(), ratings: AllowedRatings },
  { title: 'AnnotationPolicy' },
)

/** Omitted fields have the value of a run without a policy. */
export const AnnotationPolicyBody = closed({
  ratersPerItem: Type.Optional(RatersPerItem),
  blind: Type.Optional(Type.Boolean()),
  ratings: Type.Optional(AllowedRatings),
})
