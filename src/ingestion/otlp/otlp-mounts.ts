/**
 * OTLP over HTTP: `POST /v1/traces`, the default path of exporters, the same path under the prefix of our API, and the path that the
 * Langfuse SDKs use. Logs and metrics are received under the same prefixes.
 */
import type { IncomingMessage } from 'node:http'
import { receiveBody } from '../../base/body-budget.ts'
import { AppError, badRequest } from '../../base/errors.ts'
import { API_PREFIX, type HttpResponse, type Method } from '../../http/route.ts'
import { codingOf, decompress, tooLarge } from './decompress.ts'
import { type Encoding, failureResponse, JSON_ENCODING, successResponse } from './otlp-responses.ts'
import { ALL_ACCEPTED, type Receiver, type SenderOrigin, SIGNALS, type Signal } from './receive-traces.ts'

/** HTTP requests do not wait for memory: a body declares its size or is counted as it arrives. They have waited for their turn. */
type HttpReceiver = Omit<Receiver, 'admitInTurn' | 'enter'>

type HttpRequest = { id: string; ip: string; raw: IncomingMessage }

type Sender = {
  address: string
  credentials: { authorization: string | undefined }
  /** Its place among the requests in progress, which another one gets while the body arrives. */
  place: { leaveUntilReceived<Body>(req: IncomingMessage, body: Promise<Body>): Promise<Body> }
}

/** A mount of the HTTP server. Creates its own error responses, because OTLP defines their format. */
export type OtlpMount = {
  path: string
  methods: Method[]
  reason: string
  serve(request: HttpRequest, sender: Sender): Promise<HttpResponse>
  toErrorResponse(error: unknown, request: HttpRequest): HttpResponse
}

const PREFIXES = ['/v1', API_PREFIX, '/api/public/otel/v1']

export function otlpMounts(receiver: HttpReceiver): OtlpMount[] {
  const buffers = createBodyBuffers()
  return SIGNALS.flatMap((signal) =>
    PREFIXES.map((prefix) => ({
      path: `${prefix}/${signal.name}`,
      methods: ['POST'],
      reason: 'the OpenTelemetry protocol describes it; it asks for an API key before it looks at anything else',
      serve: ({ id, raw }, sender) =>
        receive({ receiver, buffers, signal, sender }, raw, {
          address: sender.address,
          requestId: id,
          userAgent: raw.headers['user-agent'],
        }),
      toErrorResponse: (error, { id, raw }) =>
        failureResponse(encodingOf(raw.headers['content-type']) ?? JSON_ENCODING, receiver.failure(error, id)),
    })),
  )
}

type Receiving = { receiver: HttpReceiver; buffers: BodyBuffers; signal: Signal; sender: Sender }

async function receive(
  { receiver, buffers, signal, sender }: Receiving,
  req: IncomingMessage,
  origin: SenderOrigin,
): Promise<HttpResponse> {
  const { name, rejectedField } = signal
  const principal = await receiver.authenticate(sender.credentials.authorization, origin)
  const encoding = encodingOf(req.headers['content-type'])
  const declared = declaredBytes(req)
  // An empty body needs no content type.
  if (declared === 0 && req.headers['content-type'] === undefined) {
    return successResponse(JSON_ENCODING, rejectedField, ALL_ACCEPTED)
  }
  if (!encoding) {
    const what = `${name.charAt(0).toUpperCase()}${name.slice(1)}`
    throw new AppError(415, `${what} must be sent as application/x-protobuf or as application/json in UTF-8`)
  }
  const coding = codingOf(req.headers['content-encoding'])
  const { bodyBytesMax: bytesMax } = receiver.limits
  if (declared !== undefined && declared > bytesMax) throw tooLarge(bytesMax)
  const reservation = receiver.admit(principal)
  let buffer: Buffer | undefined
  try {
    const takeBuffer = () => {
      buffer = buffers.take(declared ?? 0)
      return buffer
    }
    const body = await sender.place.leaveUntilReceived(
      req,
      receiveBody(req, { bytesMax, tooLarge, reservation, buffer: takeBuffer }),
    )
    const limits = { bytesMax, onSize: (size: number) => reservation.resize(Math.max(size, body.length)) }
    const bytes = await decompress(body, coding, limits)
    if (bytes.length === 0) return successResponse(encoding, rejectedField, ALL_ACCEPTED)
    if (encoding.format === 'json') rejectNonObject(bytes)
    const outcome = await signal.receive(receiver, principal, { bytes, format: encoding.format })
    return successResponse(encoding, rejectedField, outcome)
  } finally {
    buffers.give(buffer)
    reservation.release()
  }
}

const OBJECT_START = 0x7b
/** Spaces of JSON, and the bytes of a byte order mark. */
const BEFORE_JSON = [0x20, 0x09, 0x0a, 0x0d, 0xef, 0xbb, 0xbf]

/** Of every signal, also of metrics, which are not decoded. In a message of OTLP, null stands for an absent field, but a request has none. */
function rejectNonObject(bytes: Buffer): void {
  let at = 0
  while (BEFORE_JSON.includes(bytes[at] ?? 0)) at += 1
  if (bytes[at] !== OBJECT_START) throw badRequest('The request body must be a JSON object')
}

/** Undefined for a chunked body, whose size is known only at its end. */
function declaredBytes({ headers }: IncomingMessage): number | undefined {
  return headers['transfer-encoding'] === undefined ? Number(headers['content-length'] ?? 0) : undefined
}

function encodingOf(contentType = ''): Encoding | undefined {
  const [mediaType = '', ...parameters] = contentType.split(';').map((part) => part.trim().toLowerCase())
  if (mediaType === 'application/x-protobuf' || mediaType === 'application/protobuf') {
    return { format: 'protobuf', mediaType }
  }
  const charset = parameters.find((parameter) => parameter.startsWith('charset='))
  const isUtf8 = charset === undefined || /^charset="?utf-?8"?$/.test(charset)
  return mediaType === 'application/json' && isUtf8 ? JSON_ENCODING : undefined
}

/** Smaller bodies arrive in one piece and need no buffer. Larger ones are too rare to pool. */
const POOLED_MIN = 64 * 1024
const POOLED_MAX = 4 << 20
/** Exporters send batches of similar size. With rounded sizes, the buffer of one batch fits the next. */
const STEP = 64 * 1024
const KEPT_BYTES_MAX = 8 << 20
const IDLE_MS = 10_000

type BodyBuffers = {
  /** A buffer for a body of this length; undefined if bodies of this length are not pooled. */
  take(bytes: number): Buffer | undefined
  /** Must be called only when the body is no longer in use. */
  give(buffer: Buffer | undefined): void
}

/**
 * Reusable buffers for request bodies. Allocating a buffer per request creates half a megabyte of garbage each time, and the resulting
 * garbage collections cost more under load than reading the spans.
 */
export function createBodyBuffers(): BodyBuffers {
  const kept = new Map<number, ArrayBuffer[]>()
  let keptBytes = 0
  let idle: NodeJS.Timeout | undefined

  return {
    take(bytes) {
      if (bytes < POOLED_MIN || bytes > POOLED_MAX) return undefined
      const size = Math.ceil(bytes / STEP) * STEP
      const buffer = kept.get(size)?.pop()
      if (buffer) keptBytes -= size
      return Buffer.from(buffer ?? new ArrayBuffer(size), 0, bytes)
    },
    give(buffer) {
      if (!buffer || !(buffer.buffer instanceof ArrayBuffer)) return
      const size = buffer.buffer.byteLength
      if (keptBytes + size > KEPT_BYTES_MAX) return
      keptBytes += size
      const same = kept.get(size)
      if (same) same.push(buffer.buffer)
      else kept.set(size, [buffer.buffer])
      // Frees the pool when no requests arrive.
      if (idle) idle.refresh()
      else idle = setTimeout(forget, IDLE_MS).unref()
    },
  }

  function forget(): void {
    kept.clear()
    keptBytes = 0
    idle = undefined
  }
}
