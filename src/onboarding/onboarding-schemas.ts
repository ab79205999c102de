import { Type } from 'typebox'
import { ApiKey } from '../auth/api-keys/api-key-schemas.ts'
import {
  Count,
  closed,
  Id,
  NullableId,
  NullableString,
  NullableTimestamp,
  nullable,
  Timestamp,
} from '../http/schemas.ts'

const ArrivedTrace = closed(
  {
    id: Id,
    /** As its sender named it. */
    traceId: Type.String(),
    name: NullableString,
    service: NullableString,
    /** When its first span arrived. */
    arrivedAt: Timestamp,
  },
  { title: 'ArrivedTrace' },
)
const MaybeArrivedTrace = nullable(ArrivedTrace)

const REASONS = ['unknown', 'malformed', 'expired', 'revoked', 'role', 'second-factor'] as const

const RejectedKey = closed(
  {
    reason: Type.Enum(REASONS, {
      type: 'string',
      description:
        'unknown: never issued; malformed: mistyped, or too short; expired; revoked; role: the role of the key is too low; second-factor: the application requires one, and the creator of the key has none',
    }),
    /** The last four characters; null for a text that is too short for a key. */
    endsWith: NullableString,
    keyName: NullableString,
    revokedBy: NullableId,
    revokedByName: NullableString,
    revokedAt: NullableTimestamp,
    count: Type.Integer({ minimum: 1 }),
    firstAt: Timestamp,
    lastAt: Timestamp,
    /** Of the last request. */
    address: Type.String(),
    userAgent: NullableString,
  },
  { title: 'RejectedKey' },
)

export const Onboarding = closed(
  {
    /** Where spans are received. `grpc` is null if the server does not receive them over gRPC. */
    endpoints: closed({ http: Type.String(), grpc: NullableString }),
    /** By arrival. Example data does not count. */
    firstTrace: MaybeArrivedTrace,
    newestTrace: MaybeArrivedTrace,
    /** The caller’s keys, newest first, at most 100; for admins, all keys of the application. */
    keys: Type.Array(ApiKey),
    rejectedKeys: closed({
      /** Requests before this time are not counted: this server process keeps the counts in memory. */
      since: Timestamp,
      /** Whether `data` includes keys that belong to no application. Only admins of all applications see those. */
      includesUnknown: Type.Boolean(),
      total: Count,
      data: Type.Array(RejectedKey),
    }),
    exampleDataLoaded: Type.Boolean(),
  },
  { title: 'Onboarding' },
)

export const TestTrace = closed({ id: Id, traceId: Type.String() }, { title: 'TestTrace' })
