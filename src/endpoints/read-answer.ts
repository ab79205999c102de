/** Reads the answer of an endpoint: the output, or why there is none. Messages contain no header of the endpoint. */
import { AppError } from '../base/errors.ts'
import { parseJson } from '../base/json.ts'
import { cleanText, shortened, storableText } from '../base/text.ts'
import { jsonField } from '../llm/model-client.ts'
import type { ProviderResponse } from '../llm/model-exchange.ts'
import { retryAfterMs } from '../llm/provider-errors.ts'
import { describeValue } from './describe-value.ts'
import { containsHeader, credentialIn } from './endpoint-headers.ts'
import type { OpenEndpoint } from './find-endpoint.ts'
import { findAt } from './json-pointer.ts'

export type Failure = {
  /** A retry of the same call may succeed. */
  isTransient: boolean
  message: string
  /** The service answers no one at the moment, which says nothing about the call. */
  isUnavailable?: boolean
  /** The delay that the service asks for. */
  retryAfterMs?: number
}

type Read = { isDone: true; output: unknown } | (Failure & { isDone: false })

const QUOTED_LENGTH_MAX = 300
/** Besides all that begin with 5. The first two say that the service has not worked on the request. */
const TRANSIENT_STATUSES = [408, 425, 429]
/** Overload and outages. */
const UNAVAILABLE_STATUSES = [429, 502, 503, 504, 529]

export function readAnswer(
  endpoint: OpenEndpoint,
  answer: ProviderResponse,
  { output: pointer, now }: { output: string; now: number },
): Read {
  const { status } = answer
  if (status < 200 || status >= 300) return { isDone: false, ...failureOf(endpoint, answer, now) }
  const fail = (message: string): Read => ({
    isDone: false,
    isTransient: false,
    message: `${endpoint.name} ${message}`,
  })
  if (answer.body === 'too-long') return fail('returned an answer of more than 1 MiB')
  const encoding = answer.headers['content-encoding'] ?? 'identity'
  if (encoding !== 'identity') return fail('returned a compressed answer, which was not accepted')
  const content = readContent(answer.body, { pointer, type: answer.headers['content-type'] })
  if ('problem' in content) return fail(content.problem)
  const found = findAt(content.value, pointer)
  if (!found.isFound) {
    const at = found.missingAt === '' ? 'its answer' : found.missingAt
    const contents = describeValue(found.value)
    const seen = containsHeader(contents, endpoint.headers) ? '' : `: ${at} is ${contents}`
    return fail(`returned nothing at ${pointer}${seen}`)
  }
  // A service that repeats its headers, for example while it is debugged, would store a credential in every trace.
  const header = credentialIn(JSON.stringify(found.value), endpoint.headers)
  if (header !== undefined) return fail(`returned the value of the header ${header}, so its answer is not stored`)
  return { isDone: true, output: found.value }
}

/** Text that is not declared to be JSON is an output, too, but only as a whole. */
function readContent(
  body: Buffer,
  { pointer, type = '' }: { pointer: string; type: string | undefined },
): { value: unknown } | { problem: string } {
  const mediaType = type.split(';', 1)[0]?.trim().toLowerCase() ?? ''
  if (pointer === '' && mediaType !== '' && !/^application\/(.*\+)?json$/.test(mediaType)) return readText(body)
  try {
    return { value: parseJson(body, { fieldsMax: Number.POSITIVE_INFINITY }) }
  } catch (error) {
    if (!(error instanceof AppError)) throw error
    if (pointer === '' && mediaType === '') return readText(body)
    return { problem: `returned an answer that cannot be read: ${error.message.replace('The request body', 'it')}` }
  }
}

function readText(body: Buffer): { value: unknown } | { problem: string } {
  try {
    return { value: storableText(new TextDecoder('utf-8', { fatal: true }).decode(body)) }
  } catch {
    return { problem: 'returned an answer that is not text in UTF-8' }
  }
}

function failureOf(endpoint: OpenEndpoint, answer: ProviderResponse, now: number): Failure {
  const { status, headers } = answer
  const returned = `${endpoint.name} returned ${status}`
  if (status < 400) {
    const message = `${returned}, which is not followed; set its base URL to the address that answers`
    return { isTransient: false, message }
  }
  const quoted = quote(endpoint, answer)
  const said = quoted === undefined ? '' : `; its message: ${quoted}`
  if (status < 500 && !TRANSIENT_STATUSES.includes(status)) {
    return { isTransient: false, message: `${returned}: ${MEANINGS[status] ?? 'it rejected the request'}${said}` }
  }
  const waitMs = retryAfterMs(headers, now)
  const message = `${returned} (${MEANINGS[status] ?? 'server error'})`
  const failure = { isTransient: true, ...(UNAVAILABLE_STATUSES.includes(status) && { isUnavailable: true }) }
  if (waitMs === undefined) return { ...failure, message: `${message}${said}` }
  const wait = `it asks to wait ${Math.ceil(waitMs / 1_000)} s`
  return { ...failure, message: `${message}; ${wait}${said}`, retryAfterMs: waitMs }
}

const MEANINGS: Readonly<Record<number, string>> = {
  401: 'it does not accept the headers of this endpoint',
  403: 'the headers of this endpoint do not allow this',
  404: 'nothing is at its base URL',
  405: 'it does not accept POST at its base URL',
  408: 'request timeout',
  413: 'the body is too large for it',
  415: 'it does not accept JSON',
  422: 'it does not accept this body',
  425: 'too early',
  429: 'rate limit',
  500: 'internal error',
  502: 'bad gateway',
  503: 'unavailable',
  504: 'gateway timeout',
  529: 'overloaded',
}

/** What the service says about an error, if it says it in JSON or plain text and repeats no header. */
function quote({ headers }: OpenEndpoint, { body, headers: { 'content-type': type = '' } }: ProviderResponse) {
  if (body === 'too-long' || !/json|text\/plain/i.test(type)) return undefined
  // Before it is shortened: a part of a credential at the end would be too short to be recognized.
  const text = cleanText(messageIn(body.subarray(0, 4 * QUOTED_LENGTH_MAX).toString('utf8'), body))
  if (text === '' || containsHeader(text, headers)) return undefined
  return shortened(text, QUOTED_LENGTH_MAX)
}

/** The usual fields of an error in JSON, or the text as it is. */
function messageIn(start: string, body: Buffer): string {
  let document: unknown
  try {
    document = parseJson(body)
  } catch (error) {
    if (!(error instanceof AppError)) throw error
    return start
  }
  const error = jsonField(document, 'error') ?? jsonField(document, 'detail') ?? document
  const message = typeof error === 'string' ? error : (jsonField(error, 'message') ?? error)
  return typeof message === 'string' ? message : JSON.stringify(message)
}
