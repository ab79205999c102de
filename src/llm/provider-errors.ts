/** Converts provider errors to ModelErrors with a readable message, which never contains the text of an exception or the key. */

import type { IncomingHttpHeaders } from 'node:http'
import { AppError, codeOf } from '../base/errors.ts'
import { parseJson } from '../base/json.ts'
import { containsApiKey } from '../secrets/contains-api-key.ts'
import { jsonField, ModelError, type Usage } from './model-client.ts'
import type { ProviderResponse } from './model-exchange.ts'

/** The provider and model, for error messages. `apiKey` is removed from quoted messages of the provider. */
export type ModelTarget = { name: string; apiKey: string | undefined; model: string }

const QUOTED_LENGTH_MAX = 300
/** Status codes after which a retry may succeed. */
const TRANSIENT_STATUSES = [408, 409, 425, 429]
/** Those that say nothing about the request. */
const UNAVAILABLE_STATUSES = [429, 502, 503, 504, 529]
const MEANINGS: Readonly<Record<number, string>> = {
  402: 'payment required',
  408: 'request timeout',
  409: 'conflict',
  413: 'the request is too large for it',
  425: 'too early',
  429: 'rate limit',
  500: 'internal error',
  502: 'bad gateway',
  503: 'unavailable',
  504: 'gateway timeout',
  529: 'overloaded',
}
/** Error messages for a prompt that exceeds the context window. */
const TOO_LONG =
  /context[ _](length|window)|maximum context|too many (input )?tokens|prompt is too long|input token count .* exceeds/i

/** The error for a response with a status other than 2xx. */
export function responseError(target: ModelTarget, response: ProviderResponse, now: number): ModelError {
  const { name } = target
  const { status, headers } = response
  if (status >= 300 && status < 400) {
    return new ModelError(
      'permanent',
      `${name} returned ${status} (a redirect), which is not followed; set its base URL to the URL of the API`,
    )
  }
  const error = errorIn(response)
  return providerError(target, status, { error, retryAfterMs: retryAfterMs(headers, now) ?? retryDelayMs(error) })
}

/** Some providers report an error in the body of a response with status 200, and all do in streams that have begun. */
export function errorInBody(target: ModelTarget, envelope: unknown, usage?: Usage): ModelError | undefined {
  const error = jsonField(envelope, 'error')
  if (typeof error !== 'object' || error === null) return undefined
  const code = jsonField(error, 'code')
  const isStatus = typeof code === 'number' && Number.isInteger(code) && code >= 400 && code < 600
  const status = isStatus ? code : (STATUSES[String(jsonField(error, 'type'))] ?? 500)
  return providerError(target, status, { error, retryAfterMs: retryDelayMs(error), usage })
}

/** The types of errors in streams of Anthropic, and the status that they have elsewhere. */
const STATUSES: Readonly<Record<string, number>> = {
  invalid_request_error: 400,
  authentication_error: 401,
  billing_error: 402,
  permission_error: 403,
  not_found_error: 404,
  request_too_large: 413,
  rate_limit_error: 429,
  api_error: 500,
  timeout_error: 504,
  overloaded_error: 529,
}

function providerError(
  target: ModelTarget,
  status: number,
  { error, retryAfterMs, usage }: { error: unknown; retryAfterMs: number | undefined; usage?: Usage | undefined },
): ModelError {
  const answered = `${target.name} returned ${status}`
  const bill = usage && { usage }
  if (status === 429 && jsonField(error, 'code') === 'insufficient_quota') {
    return new ModelError('permanent', `${answered}: its account has no quota left`, bill)
  }
  if (status >= 500 || TRANSIENT_STATUSES.includes(status)) {
    const meaning = MEANINGS[status] ?? 'server error'
    const isUnavailable = UNAVAILABLE_STATUSES.includes(status)
    if (retryAfterMs === undefined)
      return new ModelError('transient', `${answered} (${meaning})`, { isUnavailable, ...bill })
    const wait = `it asks to wait ${Math.ceil(retryAfterMs / 1_000)} s`
    return new ModelError('transient', `${answered} (${meaning}); ${wait}`, { retryAfterMs, isUnavailable, ...bill })
  }
  return new ModelError('permanent', `${answered}: ${permanentReason(target, status, error)}`, bill)
}

function permanentReason(target: ModelTarget, status: number, error: unknown): string {
  // The messages of providers for this status often contain a part of the key.
  if (status === 401 || isKeyInvalid(error)) return 'it does not accept the key of this connection'
  if (status === 403) return 'the key of this connection is not allowed to do this'
  const said = quoted(target, error)
  if (said !== undefined && TOO_LONG.test(said)) return `the text is too long for the model ${target.model}`
  const meaning =
    status === 404
      ? `it has no model ${target.model}, or its base URL is wrong`
      : (MEANINGS[status] ?? 'it rejected the request')
  return said === undefined ? meaning : `${meaning}; its message: ${said}`
}

/** Gemini reports it with status 400. */
function isKeyInvalid(error: unknown): boolean {
  return detailsOf(error).some((detail) => jsonField(detail, 'reason') === 'API_KEY_INVALID')
}

function detailsOf(error: unknown): readonly unknown[] {
  const details = jsonField(error, 'details')
  return Array.isArray(details) ? details : []
}

/** The error in the body of a response: the `error` field, or the whole body. */
function errorIn({ body }: ProviderResponse): unknown {
  if (body === 'too-long') return undefined
  const envelope = readJson(body)
  return jsonField(envelope, 'error') ?? envelope
}

/** The body of an error response as text, to search it for names of parameters. */
export function errorText({ body }: ProviderResponse): string {
  return body === 'too-long' ? '' : body.toString('utf8')
}

function quoted({ apiKey }: ModelTarget, error: unknown): string | undefined {
  const message = typeof error === 'string' ? error : (jsonField(error, 'message') ?? jsonField(error, 'detail'))
  if (typeof message !== 'string') return undefined
  // Remove the key after this step: without invisible characters, a split key becomes whole.
  const plain = message
    .replace(/\p{Cf}+/gu, '')
    .replace(/[\p{Cc}\p{Zl}\p{Zp}]+/gu, ' ')
    .trim()
  const keyless = (apiKey ? plain.replaceAll(apiKey, '…') : plain).replace(/\b(sk-|AIza)[\w*.-]+/g, '…')
  const extract = keyless.slice(0, QUOTED_LENGTH_MAX).toWellFormed()
  // Encoded keys cannot be removed reliably: then nothing is quoted.
  return extract === '' || containsApiKey(extract, apiKey) ? undefined : extract
}

/** Undefined if it is not JSON in valid UTF-8, with limited depth, finite numbers and storable strings. */
export function readJson(bytes: Uint8Array): unknown {
  try {
    return parseJson(bytes, { fieldsMax: Number.POSITIVE_INFINITY })
  } catch (error) {
    if (error instanceof AppError) return undefined
    throw error
  }
}

/** Node error codes after which a retry is useless, because the configuration must be changed. */
const PERMANENT_CODES: Readonly<Record<string, string>> = {
  EPROTO: 'it does not support TLS on this port',
  ERR_INVALID_CHAR: 'the key of this connection has characters that cannot be sent',
  CERT_HAS_EXPIRED: 'its certificate has expired',
  DEPTH_ZERO_SELF_SIGNED_CERT: 'its certificate is not trusted',
  SELF_SIGNED_CERT_IN_CHAIN: 'its certificate is not trusted',
  UNABLE_TO_GET_ISSUER_CERT_LOCALLY: 'its certificate is not trusted',
  UNABLE_TO_VERIFY_LEAF_SIGNATURE: 'its certificate is not trusted',
  ERR_TLS_CERT_ALTNAME_INVALID: 'its certificate is for another host',
}
const TRANSIENT_CODES: Readonly<Record<string, string>> = {
  ECONNREFUSED: 'the connection was refused',
  ECONNRESET: 'the connection was reset',
  EPIPE: 'the connection was reset',
  ETIMEDOUT: 'the connection timed out',
  EHOSTUNREACH: 'its host is unreachable',
  ENETUNREACH: 'its host is unreachable',
  ENOTFOUND: 'its host name is unknown',
  EAI_AGAIN: 'its host name could not be resolved',
}

/** An unknown host name is not among them: mostly, it is misspelled. */
const UNAVAILABLE_CODES = [
  'ECONNREFUSED',
  'ECONNRESET',
  'EPIPE',
  'ETIMEDOUT',
  'EHOSTUNREACH',
  'ENETUNREACH',
  'EAI_AGAIN',
]

/** The error for an exchange that ended without a response. `usage` if the provider may bill it. */
export function unreachable(name: string, error: unknown, usage?: Usage): ModelError {
  if (error instanceof ModelError) return error
  // Its message is readable: the URL is not allowed, or the host name could not be resolved.
  if (error instanceof AppError) {
    return new ModelError(error.status < 500 ? 'permanent' : 'transient', `${name} was not called: ${error.message}`)
  }
  const code = codeOf(error)
  const permanent = PERMANENT_CODES[code]
  if (permanent !== undefined)
    return new ModelError('permanent', `${name} could not be reached: ${permanent}`, { cause: error })
  const transient =
    TRANSIENT_CODES[code] ?? (code.startsWith('HPE_') ? 'the response was not HTTP' : 'the connection failed')
  const isUnavailable = UNAVAILABLE_CODES.includes(code)
  const options = { cause: error, isUnavailable, ...(usage && { usage }) }
  return new ModelError('transient', `${name} could not be reached: ${transient}`, options)
}

/** The maximum delay: a wrong header must not stop an evaluation for a day. */
export const RETRY_AFTER_MAX_MS = 10 * 60 * 1_000

/** The delay that a provider requests in milliseconds, seconds or as a date; undefined if there is none or it is invalid. */
export function retryAfterMs(headers: IncomingHttpHeaders, now: number): number | undefined {
  const exact = wholeNumber(headers['retry-after-ms'])
  if (exact !== undefined) return bounded(exact)
  const text = headers['retry-after']?.trim()
  if (text === undefined) return undefined
  const seconds = wholeNumber(text)
  if (seconds !== undefined) return bounded(seconds * 1_000)
  // Date.parse accepts strings that are not dates; HTTP dates start with a weekday and end with GMT.
  const date = /^[A-Z][a-z]+, .* GMT$/.test(text) ? Date.parse(text) : Number.NaN
  return Number.isNaN(date) ? undefined : bounded(date - now)
}

/** Gemini has no header for it, but a detail of the error such as `{"retryDelay": "20s"}`. */
function retryDelayMs(error: unknown): number | undefined {
  const delays = detailsOf(error).map((detail) => /^(\d+(?:\.\d+)?)s$/.exec(String(jsonField(detail, 'retryDelay'))))
  const seconds = delays.find((delay) => delay)?.[1]
  return seconds === undefined ? undefined : bounded(Number(seconds) * 1_000)
}

function wholeNumber(text: string | string[] | undefined): number | undefined {
  return typeof text === 'string' && /^\d+(\.\d+)?$/.test(text.trim()) ? Number(text) : undefined
}

function bounded(ms: number): number {
  return Math.min(Math.max(0, Math.ceil(ms)), RETRY_AFTER_MAX_MS)
}
