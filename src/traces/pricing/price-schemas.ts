import { type Static, Type } from 'typebox'
import { closed, Id, NullableNumber, NullableString, NullableTimestamp, orNull, Timestamp } from '../../http/schemas.ts'
import { PATTERN_LENGTH_MAX } from './model-pattern.ts'

const PER_MILLION_MAX = 1_000_000
const PROVIDER_LENGTH_MAX = 100

const PerMillion = Type.Number({ minimum: 0, maximum: PER_MILLION_MAX, description: 'US dollars for a million tokens' })
const NullablePerMillion = orNull(
  Type.Number({
    minimum: 0,
    maximum: PER_MILLION_MAX,
    description: 'US dollars for a million tokens; those of other input where it is null',
  }),
)

export const Price = closed(
  {
    id: Id,
    modelPattern: Type.String(),
    provider: NullableString,
    inputPerMillion: Type.Number(),
    outputPerMillion: Type.Number(),
    cacheReadPerMillion: NullableNumber,
    cacheWritePerMillion: NullableNumber,
    validFrom: NullableTimestamp,
    validUntil: NullableTimestamp,
    createdAt: Timestamp,
  },
  { title: 'Price' },
)

export const PriceParams = closed({ priceId: Id })

export const CreatePriceBody = closed({
  modelPattern: Type.String({
    minLength: 1,
    maxLength: PATTERN_LENGTH_MAX,
    description: 'A regular expression (RE2) for the whole name of a model, in any case',
  }),
  provider: Type.Optional(orNull(Type.String({ minLength: 1, maxLength: PROVIDER_LENGTH_MAX }))),
  inputPerMillion: PerMillion,
  outputPerMillion: PerMillion,
  cacheReadPerMillion: Type.Optional(NullablePerMillion),
  cacheWritePerMillion: Type.Optional(NullablePerMillion),
  validFrom: Type.Optional(NullableTimestamp),
  validUntil: Type.Optional(NullableTimestamp),
})

export type CreatePrice = Static<typeof CreatePriceBody>

export const RepriceBody = closed({
  startAfter: Type.Optional(NullableTimestamp),
  startBefore: Type.Optional(NullableTimestamp),
})

export const AcceptedRepricing = closed({ jobId: Id })
