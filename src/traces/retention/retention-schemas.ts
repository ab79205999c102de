import { Type } from 'typebox'
import { Count, closed, NullableTimestamp, orNull } from '../../http/schemas.ts'

const DAYS_MAX = 3_650

const Days = orNull(
  Type.Integer({
    minimum: 1,
    maximum: DAYS_MAX,
    description: 'For how many days traces are kept after they arrived; null keeps them for ever',
  }),
)

export const RetentionBody = closed({ days: Days })

export const Retention = closed(
  {
    days: Days,
    state: Type.Enum(['idle', 'clearing'], { type: 'string' }),
    /** The counts of the current clearing, or of the last one. */
    tracesDeleted: Count,
    tracesLeft: Count,
    startedAt: NullableTimestamp,
    finishedAt: NullableTimestamp,
  },
  { title: 'Retention' },
)
