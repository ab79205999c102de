import { Type } from 'typebox'
import {
  Count,
  closed,
  described,
  Id,
  NullableInteger,
  NullableString,
  queryText,
  Timestamp,
} from '../../http/schemas.ts'
import { QueueName } from '../start-trial-schemas.ts'

const ERROR_LENGTH_MAX = 4_000
const USD_MAX = 1_000_000

export const CALL_STATES = ['queued', 'running', 'retrying', 'done', 'failed', 'skipped'] as const

export const CallParams = closed({
  componentId: Id,
  trialId: Id,
  callId: Type.String({ pattern: '^[1-9][0-9]{0,5}$' }),
})

const CallId = Type.Integer({ minimum: 1 })

export const TrialCall = closed(
  {
    id: CallId,
    variant: Type.String(),
    itemId: Id,
    repetition: Count,
    state: Type.Enum(CALL_STATES, { type: 'string' }),
    attempt: Count,
    traceId: described(NullableString, 'Of the last attempt; null before the first.'),
    costUsd: Type.Number(),
    durationMs: NullableInteger,
    reason: NullableString,
    retryable: described(Type.Boolean(), 'Whether a retry sends it again.'),
  },
  { title: 'TrialCall' },
)

const CALLS_PER_PAGE_MAX = 100
export const CALLS_PAGE = { default: 50, max: CALLS_PER_PAGE_MAX }

export const CallQuery = closed({
  state: queryText({ type: 'string', enum: [...CALL_STATES] }),
  variant: Type.Optional(Type.String({ minLength: 1, maxLength: 200 })),
  limit: queryText({ type: 'integer', minimum: 1, maximum: CALLS_PER_PAGE_MAX, default: CALLS_PAGE.default }),
  cursor: Type.Optional(Type.String({ maxLength: 500, description: 'The `nextCursor` of the page before.' })),
})

export const TrialCallPage = closed({ data: Type.Array(TrialCall), nextCursor: NullableString })

export const TrialFailures = closed({
  data: Type.Array(
    closed(
      { variant: Type.String(), reason: Type.String(), retryable: Type.Boolean(), calls: Count },
      { title: 'TrialFailure' },
    ),
  ),
})

const LEASED_MAX = 100
const WAIT_SECONDS_MAX = 20

export const LeaseCallsBody = closed({
  queue: QueueName,
  max: Type.Optional(Type.Integer({ minimum: 1, maximum: LEASED_MAX, description: 'Default: 1' })),
  waitSeconds: Type.Optional(
    Type.Integer({ minimum: 0, maximum: WAIT_SECONDS_MAX, description: 'If there is no call yet. Default: 0' }),
  ),
})

export const LeasedCalls = closed(
  {
    calls: Type.Array(
      closed(
        {
          id: CallId,
          trialId: Id,
          variant: Type.String(),
          itemId: Id,
          input: Type.Unknown({ description: 'Of the item; JSON objects and lists are not text' }),
          repetition: Count,
          traceId: Type.String(),
          traceparent: Type.String({ description: 'To continue the trace: its root is written with the output' }),
          lease: Id,
          leaseUntil: Timestamp,
        },
        { title: 'LeasedCall' },
      ),
    ),
  },
  { title: 'LeasedCalls' },
)

const Lease = Type.String({ minLength: 1, maxLength: 100, description: 'As it was returned with the call' })

export const CompleteCallBody = closed({
  lease: Lease,
  output: Type.Unknown({ description: 'Text, or any JSON' }),
  costUsd: Type.Optional(Type.Number({ minimum: 0, maximum: USD_MAX, description: 'Default: that of the trace' })),
})

export const FailCallBody = closed({
  lease: Lease,
  error: Type.String({ minLength: 1, maxLength: ERROR_LENGTH_MAX }),
  transient: Type.Optional(Type.Boolean({ description: 'Whether another attempt may succeed. Default: false' })),
})

export const LeaseBody = closed({ lease: Lease })
export const ExtendedLease = closed({ leaseUntil: Timestamp })
export const EndedCall = closed({ state: Type.Enum(CALL_STATES, { type: 'string' }), traceId: Type.String() })
