import { type Static, Type } from 'typebox'
import { Count, closed, Id, Name, NullableInteger, NullableNumber, orNull, Timestamp } from '../http/schemas.ts'

const BASE_URL_LENGTH_MAX = 2_000
export const POINTER_LENGTH_MAX = 1_000
export const HEADERS_MAX = 20
const HEADER_NAME_LENGTH_MAX = 100
const HEADER_VALUE_LENGTH_MAX = 4_000
const TIMEOUT_SECONDS_MAX = 300

/** The values of headers are write-only: no response contains one or a part of it. */
export const Endpoint = closed(
  {
    id: Id,
    name: Type.String(),
    baseUrl: Type.String({ description: 'The address that receives each call, as a POST' }),
    headerNames: Type.Array(Type.String(), { description: 'In lower case; their values are never returned' }),
    concurrency: Count,
    requestsPerMinute: NullableInteger,
    timeoutSeconds: Count,
    createdAt: Timestamp,
    updatedAt: Timestamp,
  },
  { title: 'Endpoint' },
)

export const EndpointTest = closed(
  {
    ok: Type.Boolean(),
    summary: Type.String(),
    status: NullableInteger,
    durationMs: NullableNumber,
    answer: orNull(Type.String({ description: 'The first part of the answer' })),
    output: Type.Unknown({ description: 'What the pointer found; null if it found nothing' }),
  },
  { title: 'EndpointTest' },
)

const HeaderValue = { minLength: 1, maxLength: HEADER_VALUE_LENGTH_MAX }
// `Type.Unsafe`, because Type.Record would be `patternProperties`: see `anyObject`.
const headers = {
  type: 'object',
  propertyNames: { minLength: 1, maxLength: HEADER_NAME_LENGTH_MAX },
  maxProperties: HEADERS_MAX,
}
const Headers = Type.Unsafe<Record<string, string>>({
  ...headers,
  description: 'Sent with each call; stored encrypted and never returned',
  additionalProperties: { type: 'string', ...HeaderValue },
})
const HeaderChanges = Type.Unsafe<Record<string, string | null>>({
  ...headers,
  description: 'Headers to set. Null removes a header; headers that are not named stay, unless the base URL changes.',
  additionalProperties: { type: ['string', 'null'], ...HeaderValue },
})

const BaseUrl = Type.String({ minLength: 1, maxLength: BASE_URL_LENGTH_MAX })
const limits = {
  concurrency: Type.Optional(Type.Integer({ minimum: 1, maximum: 100 })),
  requestsPerMinute: Type.Optional(orNull(Type.Integer({ minimum: 1, maximum: 100_000 }))),
  timeoutSeconds: Type.Optional(Type.Integer({ minimum: 1, maximum: TIMEOUT_SECONDS_MAX })),
}

export const EndpointParams = closed({ endpointId: Id })
export const CreateEndpointBody = closed({
  name: Name,
  baseUrl: BaseUrl,
  headers: Type.Optional(Headers),
  ...limits,
})
export const ChangeEndpointBody = closed(
  {
    name: Type.Optional(Name),
    baseUrl: Type.Optional(BaseUrl),
    headers: Type.Optional(HeaderChanges),
    ...limits,
  },
  { minProperties: 1 },
)
export const TestEndpointBody = closed({
  body: Type.Unknown({
    description: 'The body to send: any JSON. {{input}} and {{input.question}} in its strings are replaced.',
  }),
  input: Type.Optional(Type.Unknown({ description: 'The value of {{input}}, as the input of a dataset item' })),
  output: Type.Optional(
    Type.String({
      maxLength: POINTER_LENGTH_MAX,
      description: 'A JSON Pointer to the output in the answer, such as /answer. Default: the whole answer.',
    }),
  ),
})

export type Endpoint = Static<typeof Endpoint>
export type EndpointTest = Static<typeof EndpointTest>
export type CreateEndpoint = Static<typeof CreateEndpointBody>
export type ChangeEndpoint = Static<typeof ChangeEndpointBody>
export type TestEndpoint = Static<typeof TestEndpointBody>
