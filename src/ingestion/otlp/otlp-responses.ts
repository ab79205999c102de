/**
 * OTLP responses. Success and failure use the encoding of the request, because exporters read the response with the codec that wrote the
 * request.
 */
import type { AppError } from '../../base/errors.ts'
import type { HttpResponse } from '../../http/route.ts'

export type Outcome = { rejectedCount: number; problems: readonly string[] }

export type Encoding = { format: 'json' | 'protobuf'; mediaType: string }

/** For a request with an unknown encoding. */
export const JSON_ENCODING: Encoding = { format: 'json', mediaType: 'application/json' }

const MESSAGE_MAX = 2_000

/** The name of the rejected count differs by signal; in protobuf it is the same field. */
export type RejectedField = 'rejectedSpans' | 'rejectedLogRecords' | 'rejectedDataPoints'

export function successResponse(encoding: Encoding, rejectedField: RejectedField, outcome: Outcome): HttpResponse {
  if (encoding.format === 'protobuf') return protobufResponse(200, encoding, exportResponse(outcome))
  const { rejectedCount, problems } = outcome
  if (problems.length === 0 && rejectedCount === 0) return { status: 200, body: {} }
  // 64-bit numbers are strings in the JSON mapping of protobuf.
  const partialSuccess = { [rejectedField]: String(rejectedCount), errorMessage: messageOf(problems) }
  return { status: 200, body: { partialSuccess } }
}

export function failureResponse(encoding: Encoding, error: AppError): HttpResponse {
  const { status, message, headers } = error
  if (encoding.format === 'protobuf') return protobufResponse(status, encoding, rpcStatus(error), headers)
  // OTLP requires `message`; `error` is the field of all other responses.
  return { status, headers, body: { code: rpcCode(status), message, error: message } }
}

/** ExportTraceServiceResponse, and its equivalents for the other signals; empty if everything was accepted. */
export function exportResponse({ rejectedCount, problems }: Outcome): Buffer {
  if (problems.length === 0 && rejectedCount === 0) return Buffer.alloc(0)
  return messageField(1, Buffer.concat([numberField(1, rejectedCount), textField(2, messageOf(problems))]))
}

/** google.rpc.Status, with a retry delay if the same request may succeed later. */
export function rpcStatus(error: AppError): Buffer {
  const code = rpcCode(error.status)
  const parts = [numberField(1, code), textField(2, error.message)]
  if (mayBeSentAgain(code)) parts.push(messageField(3, retryInfo(Number(error.headers['retry-after'] ?? 1))))
  return Buffer.concat(parts)
}

const INVALID_ARGUMENT = 3
const RESOURCE_EXHAUSTED = 8
const UNAVAILABLE = 14

/** Exporters retry RESOURCE_EXHAUSTED only if the response has a retry delay. */
export function mayBeSentAgain(code: number): boolean {
  return code === UNAVAILABLE || code === RESOURCE_EXHAUSTED
}

/**
 * The gRPC status that corresponds to an HTTP status. Too large is an invalid argument: RESOURCE_EXHAUSTED would invite OTLP clients to
 * retry.
 */
export function rpcCode(httpStatus: number): number {
  if (httpStatus === 401) return 16
  if (httpStatus === 403) return 7
  if (httpStatus === 429) return RESOURCE_EXHAUSTED
  return httpStatus >= 500 ? UNAVAILABLE : INVALID_ARGUMENT
}

function retryInfo(seconds: number): Buffer {
  const duration = numberField(1, seconds)
  return Buffer.concat([
    textField(1, 'type.googleapis.com/google.rpc.RetryInfo'),
    messageField(2, messageField(1, duration)),
  ])
}

function messageOf(problems: readonly string[]): string {
  return problems.join('; ').slice(0, MESSAGE_MAX).toWellFormed()
}

function protobufResponse(status: number, { mediaType }: Encoding, body: Buffer, headers = {}): HttpResponse {
  const own = { 'content-type': mediaType, 'cache-control': 'no-store', 'x-content-type-options': 'nosniff' }
  return { status, body, headers: { ...own, ...headers } }
}

/** Writes the small protobuf messages of our responses. Fields with their default value are not written. */

export function numberField(field: number, value: number): Buffer {
  return value === 0 ? EMPTY : Buffer.from([...varint(field << 3), ...varint(value)])
}

export function textField(field: number, text: string): Buffer {
  return text === '' ? EMPTY : messageField(field, Buffer.from(text))
}

/** An empty message is written too: its presence may be its only information. */
export function messageField(field: number, message: Buffer): Buffer {
  return Buffer.concat([Buffer.from([...varint((field << 3) | 2), ...varint(message.length)]), message])
}

const EMPTY = Buffer.alloc(0)

function varint(value: number): number[] {
  const bytes: number[] = []
  let rest = value
  while (rest > 0x7f) {
    bytes.push((rest & 0x7f) | 0x80)
    rest = Math.floor(rest / 128)
  }
  bytes.push(rest)
  return bytes
}
