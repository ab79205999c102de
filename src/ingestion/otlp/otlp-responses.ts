/**
 * What OTLP answers: success and failure alike in the encoding of the request, because exporters read the answer with the
 * same codec that wrote the question.
 */
import type { AppError } from '../../base/errors.ts'
import type { Answer } from '../../http/route.ts'
import { messageField, numberField, textField } from './protobuf/writer.ts'

export type Outcome = { rejectedCount: number; problems: readonly string[] }

export type Encoding = { format: 'json' | 'protobuf'; mediaType: string }

/** For a request whose own encoding is not known. */
export const JSON_ENCODING: Encoding = { format: 'json', mediaType: 'application/json' }

const MESSAGE_MAX = 2_000

/** The count of what was rejected has another name in each signal; in protobuf it is the same field. */
export type RejectedField = 'rejectedSpans' | 'rejectedLogRecords' | 'rejectedDataPoints'

export function successAnswer(encoding: Encoding, rejectedField: RejectedField, outcome: Outcome): Answer {
  if (encoding.format === 'protobuf') return protobufAnswer(200, encoding, exportResponse(outcome))
  const { rejectedCount, problems } = outcome
  if (problems.length === 0 && rejectedCount === 0) return { status: 200, body: {} }
  // 64-bit numbers are text in the JSON form of protobuf.
  const partialSuccess = { [rejectedField]: String(rejectedCount), errorMessage: messageOf(problems) }
  return { status: 200, body: { partialSuccess } }
}

export function failureAnswer(encoding: Encoding, error: AppError): Answer {
  const { status, message, headers } = error
  if (encoding.format === 'protobuf') return protobufAnswer(status, encoding, rpcStatus(error), headers)
  // `message` is what OTLP asks for, `error` what every other answer of ours has.
  return { status, headers, body: { code: rpcCode(status), message, error: message } }
}

/** ExportTraceServiceResponse, and those of the other signals; empty when everything was taken. */
export function exportResponse({ rejectedCount, problems }: Outcome): Buffer {
  if (problems.length === 0 && rejectedCount === 0) return Buffer.alloc(0)
  return messageField(1, Buffer.concat([numberField(1, rejectedCount), textField(2, messageOf(problems))]))
}

/** google.rpc.Status, with how long to wait when the same request may succeed later. */
export function rpcStatus(error: AppError): Buffer {
  const code = rpcCode(error.status)
  const parts = [numberField(1, code), textField(2, error.message)]
  if (mayBeSentAgain(code)) parts.push(messageField(3, retryInfo(Number(error.headers['retry-after'] ?? 1))))
  return Buffer.concat(parts)
}

const INVALID_ARGUMENT = 3
const RESOURCE_EXHAUSTED = 8
const UNAVAILABLE = 14

/** Of RESOURCE_EXHAUSTED exporters send only that again which says how long to wait. */
export function mayBeSentAgain(code: number): boolean {
  return code === UNAVAILABLE || code === RESOURCE_EXHAUSTED
}

/**
 * The status of gRPC that says the same. Too large is an invalid argument: its own code, RESOURCE_EXHAUSTED, would
 * say to OTLP clients that sending the same again may help.
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

function protobufAnswer(status: number, { mediaType }: Encoding, body: Buffer, headers = {}): Answer {
  const own = { 'content-type': mediaType, 'cache-control': 'no-store', 'x-content-type-options': 'nosniff' }
  return { status, body, headers: { ...own, ...headers } }
}
