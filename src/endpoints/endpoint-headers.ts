/** The headers of an endpoint: which ones it may have, how they are stored, and what of them is a credential. */
import { badRequest, conflict } from '../base/errors.ts'
import { containsApiKey } from '../secrets/contains-api-key.ts'
import type { Sealer } from '../secrets/sealed-secret.ts'
import type { SealedEndpoint } from './endpoint-queries.ts'
import { HEADERS_MAX } from './endpoint-schemas.ts'

export type EndpointHeaders = Readonly<Record<string, string>>
type HeaderChanges = Readonly<Record<string, string | null>>

const NAME = /^[a-z0-9!#$%&'*+.^_`|~-]+$/
/** Printable ASCII, with spaces and tabs inside: a copied line break would make every call fail. */
const VALUE = /^[\x21-\x7e]([\t\x20-\x7e]*[\x21-\x7e])?$/

/** The server sets these itself, or they belong to the connection. */
const RESERVED = [
  'accept-encoding',
  'connection',
  'content-encoding',
  'content-length',
  'content-type',
  'expect',
  'host',
  'keep-alive',
  'proxy-connection',
  'te',
  'traceparent',
  'tracestate',
  'trailer',
  'transfer-encoding',
  'upgrade',
]

/** Names in lower case, as HTTP compares them. Throws 400 with the name of the header, and never its value. */
export function readHeaders<Value extends string | null>(
  given: Readonly<Record<string, Value>>,
): Record<string, Value> {
  const headers = new Map<string, Value>()
  for (const [written, value] of Object.entries(given)) {
    const name = written.toLowerCase()
    if (!NAME.test(name)) {
      // Not repeated: who confuses name and value enters a credential here.
      throw badRequest('The field headers has a name that no HTTP header may have, such as one with a space')
    }
    if (RESERVED.includes(name)) {
      throw badRequest(`The field headers must not contain ${name}, because the server sets it itself`)
    }
    if (headers.has(name)) throw badRequest(`The field headers must not contain ${name} twice`)
    if (value !== null && !VALUE.test(value)) {
      throw badRequest(
        `The field headers.${name} must contain only printable ASCII characters, and neither begin nor end with a space`,
      )
    }
    headers.set(name, value)
  }
  return Object.fromEntries(headers)
}

/** The location that sealed headers are bound to; they cannot be opened with another one. */
export function headersLocation({ workspaceId, id }: { workspaceId: string; id: string }) {
  return { workspaceId, table: 'endpoints', column: 'sealed_headers', rowId: id }
}

/** What is stored: the names, and all headers as one sealed text. */
export function sealHeaders(secrets: Sealer, headers: EndpointHeaders, endpoint: { workspaceId: string; id: string }) {
  const headerNames = Object.keys(headers)
  const sealedHeaders =
    headerNames.length === 0 ? null : secrets.seal(JSON.stringify(headers), headersLocation(endpoint))
  return { headerNames, sealedHeaders }
}

/** Throws 409 if the headers cannot be decrypted. */
export function openHeaders(
  secrets: Sealer,
  workspaceId: string,
  { id, name, sealedHeaders }: Pick<SealedEndpoint, 'id' | 'name' | 'sealedHeaders'>,
): EndpointHeaders {
  if (sealedHeaders === null) return {}
  const text = secrets.open(sealedHeaders, headersLocation({ workspaceId, id }))
  if (text === undefined) {
    throw conflict(
      `The headers of the endpoint ${name} were encrypted with another secret key than that of this server. Enter all of them again, or start the server with the previous TOUCHSTONE_SECRET_KEY`,
    )
  }
  const headers: unknown = JSON.parse(text)
  return Object.fromEntries(Object.entries(Object(headers)).map(([name, value]) => [name, String(value)]))
}

/** The headers after a change. Stored ones are decrypted only if some of them stay, so that lost ones can be entered again. */
export function mergeHeaders(
  names: readonly string[],
  stored: () => EndpointHeaders,
  changes: HeaderChanges,
): EndpointHeaders {
  const kept = names.some((name) => !Object.hasOwn(changes, name)) ? stored() : {}
  const merged = Object.entries({ ...kept, ...changes }).flatMap(([name, value]) =>
    value === null ? [] : [[name, value] as const],
  )
  if (merged.length > HEADERS_MAX) throw badRequest(`An endpoint has at most ${HEADERS_MAX} headers`)
  return Object.fromEntries(merged)
}

/** Other headers, such as a tenant or a language, may well be part of an answer. */
const CREDENTIAL_NAME = /auth|cookie|credential|key|pass|secret|session|signature|token/
/** Shorter ones would be found in any text. */
const CREDENTIAL_LENGTH_MIN = 6
/** A shorter value of another header, such as a version, would be found in any text. */
const QUOTED_VALUE_LENGTH_MIN = 8

/** The header whose credential a text contains in plain; undefined if there is none. Fast, for whole answers. */
export function credentialIn(text: string, headers: EndpointHeaders): string | undefined {
  const credentials = Object.entries(headers).filter(([name]) => CREDENTIAL_NAME.test(name))
  return credentials.find(([, value]) => partsOf(value).some((part) => text.includes(part)))?.[0]
}

/** Whether a short text contains a part of a header, also encoded. What we quote must not. */
export function containsHeader(text: string, headers: EndpointHeaders): boolean {
  return Object.entries(headers).some(
    ([name, value]) =>
      (CREDENTIAL_NAME.test(name) || value.length >= QUOTED_VALUE_LENGTH_MIN) && containsApiKey(text, value),
  )
}

/** `Bearer abc` is a credential as a whole and after its scheme. */
function partsOf(value: string): string[] {
  const parts = [value, value.replace(/^[A-Za-z]+\s+/, '')]
  return parts
    .flatMap((part) => [part, JSON.stringify(part).slice(1, -1)])
    .filter((part) => part.length >= CREDENTIAL_LENGTH_MIN)
}
