import type { IncomingMessage } from 'node:http'
import type { Socket } from 'node:net'
import { type BodyBudget, type BodyReservation, receiveBody } from '../base/body-budget.ts'
import { AppError } from '../base/errors.ts'
import { yieldToEventLoop } from '../base/event-loop.ts'
import { parseJson } from '../base/json.ts'
import type { Caller } from '../base/principal.ts'
import type { Place } from './fair-share.ts'
import type { Upload, Uploaded } from './route.ts'

/** What a request holds while its body arrives: its memory, and its place among the requests in progress, which others get meanwhile. */
export type Receiving = { reservation: BodyReservation; place: Place }

/** The memory budgets for request bodies: one for authenticated callers and a much smaller one for anonymous requests. */
export type Bodies = { known: BodyBudget; anonymous: BodyBudget }

/** Enough for any body that is accepted without credentials: tokens, names, passwords. */
export const ANONYMOUS_BODY_BYTES_MAX = 16 * 1024

const LARGE_BYTES = 16 << 10

/** Reserves memory for the body until the caller releases it, after the response is known; undefined if there is no body. */
export function reserveBody(
  bodies: Bodies,
  req: IncomingMessage,
  { address, caller }: { address: string; caller?: Caller | undefined },
): BodyReservation | undefined {
  if (!hasBody(req)) return undefined
  // Per user, not per key: a user could create enough keys to fill the memory.
  return caller ? bodies.known.open(caller.userId) : bodies.anonymous.open(address)
}

/**
 * Reads a JSON body strictly. Framework parsers turn invalid bytes into replacement characters, accept other
 * media types and drop keys silently; this function rejects such bodies with an error message.
 * Returns undefined when there is no body.
 */
export async function readJsonBody(
  req: IncomingMessage,
  receiving: Receiving,
  { bodyBytesMax, servesProtocol }: { bodyBytesMax: number; servesProtocol: boolean },
): Promise<unknown> {
  const declared = Number(req.headers['content-length'] ?? 0)
  if (declared > bodyBytesMax) throw tooLarge(bodyBytesMax)
  const mediaType = req.headers['content-type']
  // Some clients send a Content-Type with every request, even without a body.
  if (declared === 0 && req.headers['transfer-encoding'] === undefined) return undefined
  rejectMediaType(mediaType, req.headers['content-encoding'])
  const bytes = await readBytes(req, receiving, bodyBytesMax)
  if (bytes.length === 0) return undefined
  const body = parseJson(bytes, { place: servesProtocol ? 'message' : 'body' })
  // Others run between reading a large body and processing it.
  if (bytes.length > LARGE_BYTES) await yieldToEventLoop()
  return body
}

/** Reads a file sent as the request body, in one of the media types that the route accepts. */
export async function readUpload(
  req: IncomingMessage,
  { reservation, place }: { reservation: BodyReservation | undefined; place: Place },
  { mediaTypes, bytesMax }: Upload,
): Promise<Uploaded> {
  const [mediaType = ''] = (req.headers['content-type'] ?? '').split(';').map((part) => part.trim().toLowerCase())
  if (!mediaTypes.includes(mediaType)) {
    throw new AppError(415, `The request body must be sent as ${mediaTypes.join(' or ')}`)
  }
  if (req.headers['content-encoding'] !== undefined && req.headers['content-encoding'] !== 'identity') {
    throw new AppError(415, 'A compressed request body is not accepted here')
  }
  if (Number(req.headers['content-length'] ?? 0) > bytesMax) throw tooLarge(bytesMax)
  return { mediaType, bytes: reservation ? await readBytes(req, { reservation, place }, bytesMax) : Buffer.alloc(0) }
}

function tooLarge(bodyBytesMax: number): AppError {
  return new AppError(413, `The request body is larger than ${bodyBytesMax} bytes`)
}

/** Only JSON in UTF-8. Rejecting text/plain and forms also prevents other web sites from posting without a CORS preflight. */
function rejectMediaType(mediaType: string | undefined, encoding: string | undefined): void {
  const [essence = '', ...parameters] = (mediaType ?? '').split(';').map((part) => part.trim().toLowerCase())
  if (essence !== 'application/json') throw new AppError(415, 'The request body must be sent as application/json')
  const charset = parameters.find((parameter) => parameter.startsWith('charset='))
  if (charset && !/^charset="?utf-?8"?$/.test(charset)) throw new AppError(415, 'The request body must be in UTF-8')
  if (encoding !== undefined && encoding !== 'identity') {
    throw new AppError(415, 'A compressed request body is not accepted here')
  }
}

export function readBytes(req: IncomingMessage, { reservation, place }: Receiving, bytesMax: number): Promise<Buffer> {
  return place.leaveUntilReceived(req, receiveBody(req, { bytesMax, tooLarge, reservation }))
}

/**
 * Of a caller with an accepted credential, about the size of the largest request that any endpoint accepts. Reading costs time of the
 * main thread, so it is much less for others; the buffers of the system hold a few hundred kilobytes more.
 */
const DISCARDED_BYTES_MAX = { caller: 32 << 20, anonymous: 64 << 10 }
/** How long the client has to read the response before a connection with unread data is reset. */
const LINGER_MS = 500

/**
 * Reads and discards the rest of a rejected request. Most clients send the whole request before they read the response: if the server
 * closed the connection earlier, they would see a connection reset instead of the error. Returns false if the declared length exceeds the
 * limit; the connection must be closed then. Closes it if the actual length exceeds the limit.
 */
export function discardBody(req: IncomingMessage, of: keyof typeof DISCARDED_BYTES_MAX): boolean {
  if (!hasBody(req) || req.readableEnded) return true
  const bytesMax = DISCARDED_BYTES_MAX[of]
  const { socket } = req
  if (Number(req.headers['content-length'] ?? 0) > bytesMax) {
    req.pause()
    // Node would close the connection as soon as the response is written, which resets it if data is unread.
    socket.destroySoon = () => {
      socket.end()
      closeLater(socket)
    }
    return false
  }
  let discarded = 0
  req.on('data', (chunk: Buffer) => {
    discarded += chunk.length
    if (discarded <= bytesMax) return
    req.pause()
    closeLater(socket)
  })
  req.resume()
  return true
}

function closeLater(socket: Socket): void {
  const linger = setTimeout(() => socket.destroy(), LINGER_MS)
  socket.once('close', () => clearTimeout(linger))
}

function hasBody(req: IncomingMessage): boolean {
  return req.headers['transfer-encoding'] !== undefined || (req.headers['content-length'] ?? '0') !== '0'
}
