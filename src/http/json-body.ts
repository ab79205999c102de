import type { IncomingMessage } from 'node:http'
import type { BodyReservation } from '../base/body-budget.ts'
import { AppError } from '../base/errors.ts'
import { parseJson } from '../base/json.ts'
import { receiveBody } from '../base/receive-body.ts'
import type { Upload, Uploaded } from './route.ts'

/**
 * Reads a JSON body strictly. Framework parsers turn invalid bytes into replacement characters, accept other
 * media types and drop keys silently; this function rejects such bodies with an error message.
 * Returns undefined when there is no body.
 */
export async function readJsonBody(
  req: IncomingMessage,
  reservation: BodyReservation,
  bodyBytesMax: number,
): Promise<unknown> {
  const declared = Number(req.headers['content-length'] ?? 0)
  if (declared > bodyBytesMax) throw tooLarge(bodyBytesMax)
  const mediaType = req.headers['content-type']
  // Some clients send a Content-Type with every request, even without a body.
  if (declared === 0 && req.headers['transfer-encoding'] === undefined) return undefined
  rejectMediaType(mediaType, req.headers['content-encoding'])
  const bytes = await readBytes(req, reservation, bodyBytesMax)
  if (bytes.length === 0) return undefined
  return parseJson(bytes)
}

/** Reads a file sent as the request body, in one of the media types that the route accepts. */
export async function readUpload(
  req: IncomingMessage,
  reservation: BodyReservation | undefined,
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
  return { mediaType, bytes: reservation ? await readBytes(req, reservation, bytesMax) : Buffer.alloc(0) }
}

export function hasBody(req: IncomingMessage): boolean {
  return req.headers['transfer-encoding'] !== undefined || (req.headers['content-length'] ?? '0') !== '0'
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

export function readBytes(req: IncomingMessage, reservation: BodyReservation, bytesMax: number): Promise<Buffer> {
  return receiveBody(req, { bytesMax, tooLarge, reservation })
}
