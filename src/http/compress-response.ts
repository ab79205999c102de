/**
 * Compresses responses that are worth it. The work happens in the thread pool of the process, so it does not block other requests.
 * Responses with secrets, such as a new API key, are shorter than the limit: compressing secrets together with texts of the request
 * could reveal them by the length of the response.
 */
import { Readable, type Transform } from 'node:stream'
import {
  type BrotliOptions,
  brotliCompress,
  constants,
  createBrotliCompress,
  createGzip,
  gzip,
  type ZlibOptions,
} from 'node:zlib'
import type { FastifyRequest } from 'fastify'
import { EVENT_STREAM } from './event-stream.ts'
import type { HttpResponse } from './route.ts'

export type Encoding = 'br' | 'gzip'

/** Smaller texts gain nothing that a network would notice. */
export const COMPRESSED_BYTES_MIN = 1_024

// Fast settings: the bytes are sent once. The window keeps the memory of a stream below 2 MB.
const BROTLI: BrotliOptions = {
  params: { [constants.BROTLI_PARAM_QUALITY]: 4, [constants.BROTLI_PARAM_LGWIN]: 19 },
}
const GZIP: ZlibOptions = { level: 5 }

/** Undefined if the response must be sent as it is. Files have been compressed before, and events must arrive at once. */
export function encodingOf(request: FastifyRequest, { body, headers }: HttpResponse): Encoding | undefined {
  const accepted = request.headers['accept-encoding']
  if (accepted === undefined || body === undefined || Buffer.isBuffer(body) || request.method === 'HEAD')
    return undefined
  if (body instanceof Readable && String(headers?.['content-type']).startsWith(EVENT_STREAM)) return undefined
  return preferredEncoding(accepted)
}

/** RFC 9110, section 12.5.3: names with an optional weight, where 0 means not acceptable. */
function preferredEncoding(accepted: string): Encoding | undefined {
  let isGzipAccepted = false
  for (const entry of accepted.toLowerCase().split(',')) {
    const [name = '', ...parameters] = entry.split(';').map((part) => part.trim())
    if (parameters.some((parameter) => /^q=0(\.0*)?$/.test(parameter))) continue
    if (name === 'br') return 'br'
    if (name === 'gzip') isGzipAccepted = true
  }
  return isGzipAccepted ? 'gzip' : undefined
}

export function compressText(
  text: string,
  encoding: Encoding,
  done: (error: Error | null, bytes: Buffer) => void,
): void {
  if (encoding === 'br') brotliCompress(text, BROTLI, done)
  else gzip(text, GZIP, done)
}

export function createCompressor(encoding: Encoding): Transform {
  return encoding === 'br' ? createBrotliCompress(BROTLI) : createGzip(GZIP)
}

export function encodingHeaders(encoding: Encoding): Record<string, string> {
  return { 'content-encoding': encoding, vary: 'accept-encoding' }
}
