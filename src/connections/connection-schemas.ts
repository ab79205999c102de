import { type Static, Type } from 'typebox'
import { Count, closed, Id, Name, NullableInteger, orNull, Timestamp } from '../http/schemas.ts'
import { PROVIDER_KINDS } from '../llm/chat.ts'

const MODELS_MAX = 200
const MODEL_LENGTH_MAX = 200
const API_KEY_LENGTH_MAX = 1_000
const BASE_URL_LENGTH_MAX = 2_000

const RETIREMENTS_MAX = 200

const Retirement = closed(
  {
    model: Type.String({ minLength: 1, maxLength: MODEL_LENGTH_MAX }),
    on: Type.String({ pattern: '^\\d{4}-\\d{2}-\\d{2}$', description: 'The day on which it ends, in UTC: 2026-12-11' }),
  },
  { title: 'ModelRetirement' },
)

const Kind = Type.Enum(PROVIDER_KINDS, {
  type: 'string',
  description: 'The API of the endpoint; openai includes all compatible ones',
})

/** The key of a connection is write-only: no response contains it or a part of it. */
export const Connection = closed(
  {
    id: Id,
    name: Type.String(),
    kind: Kind,
    baseUrl: Type.String(),
    hasKey: Type.Boolean(),
    models: Type.Array(Type.String()),
    /** The models that their provider ends, as admins have entered it: no API reports it. */
    retirements: Type.Array(Retirement),
    concurrency: Count,
    requestsPerMinute: NullableInteger,
    createdAt: Timestamp,
    updatedAt: Timestamp,
  },
  { title: 'Connection' },
)

export const ConnectionTest = closed(
  { ok: Type.Boolean(), summary: Type.String(), models: Type.Array(Type.String()) },
  { title: 'ConnectionTest' },
)

const BaseUrl = Type.String({ minLength: 1, maxLength: BASE_URL_LENGTH_MAX })
const ApiKeyText = { minLength: 1, maxLength: API_KEY_LENGTH_MAX }
const limits = {
  models: Type.Optional(
    Type.Array(Type.String({ minLength: 1, maxLength: MODEL_LENGTH_MAX }), { maxItems: MODELS_MAX }),
  ),
  retirements: Type.Optional(Type.Array(Retirement, { maxItems: RETIREMENTS_MAX })),
  concurrency: Type.Optional(Type.Integer({ minimum: 1, maximum: 100 })),
  requestsPerMinute: Type.Optional(orNull(Type.Integer({ minimum: 1, maximum: 100_000 }))),
}

export const ConnectionParams = closed({ connectionId: Id })
export const CreateConnectionBody = closed({
  name: Name,
  kind: Type.Optional(Kind),
  /** Default: the URL of the provider. */
  baseUrl: Type.Optional(BaseUrl),
  apiKey: Type.Optional(Type.String(ApiKeyText)),
  ...limits,
})
export const ChangeConnectionBody = closed(
  {
    name: Type.Optional(Name),
    kind: Type.Optional(Kind),
    baseUrl: Type.Optional(BaseUrl),
    /** Null removes the key. */
    apiKey: Type.Optional(orNull(Type.String({ ...ApiKeyText }))),
    ...limits,
  },
  { minProperties: 1 },
)

export type Connection = Static<typeof Connection>
export type Retirement = Static<typeof Retirement>
export type ConnectionTest = Static<typeof ConnectionTest>
export type CreateConnection = Static<typeof CreateConnectionBody>
export type ChangeConnection = Static<typeof ChangeConnectionBody>
