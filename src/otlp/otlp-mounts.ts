/** OTLP over HTTP: `POST /v1/traces`, where exporters look for it, and the same below the prefix of our API. */
import type { IncomingMessage } from 'node:http'
import { AppError } from '../base/errors.ts'
import { receiveBody } from '../base/receive-body.ts'
import { type Answer, API_PREFIX, type Method } from '../http/route.ts'
import type { ReadSpans } from '../traces/received-span.ts'
import { type BodyBuffers, createBodyBuffers } from './body-buffers.ts'
import { decodeJson } from './decode-json.ts'
import { decodeProtobuf } from './decode-protobuf.ts'
import { codingOf, decompress, tooLarge } from './decompress.ts'
import { type Encoding, failureAnswer, JSON_ENCODING, successAnswer } from './otlp-answers.ts'
import type { Receiver } from './receive-traces.ts'

/** Nobody waits here: a body tells its size, or is counted as it comes. */
type HttpReceiver = Omit<Receiver, 'admitInTurn'>

type HttpRequest = { id: string; ip: string; raw: IncomingMessage }

/** A mount as the server knows it; answers its own errors, because OTLP has a form of its own for them. */
export type OtlpMount = {
  path: string
  methods: Method[]
  reason: string
  serve(request: HttpRequest): Promise<Answer>
  answerError(error: unknown, request: HttpRequest): Answer
}

export function otlpMounts(receiver: HttpReceiver): OtlpMount[] {
  const buffers = createBodyBuffers()
  return ['/v1/traces', `${API_PREFIX}/traces`].map((path) => ({
    path,
    methods: ['POST'],
    reason: 'the OpenTelemetry protocol describes it; it asks for an API key before it looks at anything else',
    serve: (request) => receive(receiver, buffers, request),
    answerError: (error, { id, raw }) =>
      failureAnswer(encodingOf(raw.headers['content-type']) ?? JSON_ENCODING, receiver.failure(error, id)),
  }))
}

async function receive(receiver: HttpReceiver, buffers: BodyBuffers, { raw: req, ip }: HttpRequest): Promise<Answer> {
  const principal = await receiver.authenticate(authorizationOf(req), ip)
  const encoding = encodingOf(req.headers['content-type'])
  const declared = declaredBytes(req)
  // Nothing at all needs no type.
  if (declared === 0 && req.headers['content-type'] === undefined) return successAnswer(JSON_ENCODING, NOTHING)
  if (!encoding) {
    throw new AppError(415, 'Traces must be sent as application/x-protobuf or as application/json in UTF-8')
  }
  const coding = codingOf(req.headers['content-encoding'])
  const { bodyBytesMax: bytesMax } = receiver.limits
  if (declared !== undefined && declared > bytesMax) throw tooLarge(bytesMax)
  const room = receiver.admit(principal)
  let buffer: Buffer | undefined
  try {
    const takeBuffer = () => {
      buffer = buffers.take(declared ?? 0)
      return buffer
    }
    const body = await receiveBody(req, { bytesMax, tooLarge, room, buffer: takeBuffer })
    const limits = { bytesMax, onSize: (size: number) => room.resize(Math.max(size, body.length)) }
    const bytes = await decompress(body, coding, limits)
    if (bytes.length === 0) return successAnswer(encoding, NOTHING)
    return successAnswer(
      encoding,
      await receiver.store(principal, { bytes: bytes.length, read: readerOf(bytes, encoding) }),
    )
  } finally {
    buffers.give(buffer)
    room.release()
  }
}

const NOTHING = { rejectedCount: 0, problems: [] }

function readerOf(bytes: Buffer, { format }: Encoding): ReadSpans {
  return (keep) => (format === 'protobuf' ? decodeProtobuf(bytes, keep) : decodeJson(bytes, keep))
}

/** Two of them are as good as none: Node would take the first, a proxy may have checked the second. */
function authorizationOf({ headersDistinct }: IncomingMessage): string | undefined {
  const given = headersDistinct.authorization ?? []
  return given.length > 1 ? '' : given[0]
}

/** Undefined when the body comes in chunks, whose sum is known at its end. */
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
