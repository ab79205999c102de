import { Type } from 'typebox'
import { AnnotatedTrace } from '../annotations/annotation-schemas.ts'
import { RatingWord } from '../annotations/rating-scheme-schemas.ts'
import {
  Count,
  closed,
  Id,
  NullableInteger,
  NullableString,
  NullableText,
  nullable,
  queryText,
  Timestamp,
} from '../http/schemas.ts'

/** The rating that settles a disagreement. `name` is that of the user who resolved it. */
export const Resolution = closed(
  {
    rating: Type.String(),
    note: NullableString,
    userId: Type.String(),
    name: NullableString,
    resolvedAt: Timestamp,
  },
  { title: 'Resolution' },
)

const NamedRating = closed({
  userId: Type.String(),
  name: NullableString,
  rating: Type.String(),
  comment: NullableString,
})

/** `steps` is the distance between the lowest and the highest rating of an ordered scheme; null without an order. */
const ResolvableDisagreement = closed(
  {
    traceDbId: Type.String(),
    steps: NullableInteger,
    ratings: Type.Array(NamedRating),
    resolution: nullable(Resolution),
    trace: nullable(AnnotatedTrace),
  },
  { title: 'ResolvableDisagreement' },
)

/** `total`, `open`, `resolved` and `steps` count all disagreements of the run, regardless of the page and the filter. */
export const Disagreements = closed(
  {
    data: Type.Array(ResolvableDisagreement),
    nextCursor: NullableString,
    total: Count,
    open: Count,
    resolved: Count,
    steps: Type.Array(closed({ steps: Count, count: Count })),
  },
  { title: 'Disagreements' },
)

export const PAGE_MAX = 50
export const PAGE_DEFAULT = 20

export const DisagreementsQuery = closed({
  resolved: queryText({ type: 'boolean' }),
  rater_a: queryText({
    type: 'string',
    description: 'A user id. With `rater_b`: only traces that these two rated differently.',
  }),
  rater_b: queryText({ type: 'string', description: 'A user id.' }),
  rating_a: queryText({
    type: 'string',
    description: 'With `rating_b`: only traces that `rater_a` rated like this, and `rater_b` like `rating_b`.',
  }),
  rating_b: queryText({ type: 'string' }),
  limit: queryText({ type: 'integer', minimum: 1, maximum: PAGE_MAX, default: PAGE_DEFAULT }),
  cursor: Type.Optional(Type.String({ maxLength: 2_000, description: 'The nextCursor of the page before' })),
})

export const DisagreementParams = closed({
  componentId: Id,
  runId: Id,
  traceId: Type.String({ minLength: 1, maxLength: 128 }),
})

export const ResolutionBody = closed({ rating: RatingWord, note: Type.Optional(NullableText) })
