import { type Static, Type } from 'typebox'
import { Count, closed, NullableNumber, NullableString, orNull, Timestamp } from '../http/schemas.ts'
import { SPENDING_KINDS } from './spending-kinds.ts'

const USD_MAX = 10_000_000

const Limit = orNull(
  Type.Number({
    minimum: 0,
    maximum: USD_MAX,
    description: 'In US dollars; null for no limit, 0 for no calls of models',
  }),
)

export const SpendingBody = closed({ maxUsdPerDay: Limit, maxUsdPer30Days: Limit })

const amounts = {
  /** Including `reservedUsd`. */
  usd: Type.Number(),
  calls: Count,
  /** Calls of models without a price: their cost is unknown and not part of `usd`. */
  unpricedCalls: Count,
}

const SpendingOfKind = closed(
  { kind: Type.Enum(SPENDING_KINDS, { type: 'string' }), ...amounts },
  { title: 'SpendingOfKind' },
)

const SpendingPeriod = closed(
  {
    /** The beginning of its first day, in UTC. */
    since: Timestamp,
    ...amounts,
    /** The maximum cost of calls that have not ended, or whose server was killed. */
    reservedUsd: Type.Number(),
    kinds: Type.Array(SpendingOfKind),
  },
  { title: 'SpendingPeriod' },
)

export const Spending = closed(
  {
    maxUsdPerDay: NullableNumber,
    maxUsdPer30Days: NullableNumber,
    today: SpendingPeriod,
    /** Today and the 29 days before it. */
    last30Days: SpendingPeriod,
    /** Each of the 30 days, oldest first. */
    days: Type.Array(closed({ day: Type.String({ format: 'date' }), usd: Type.Number() })),
    /** Which limit is reached and when it ends; null if none is. */
    reached: NullableString,
  },
  { title: 'Spending' },
)

export type Spending = Static<typeof Spending>
