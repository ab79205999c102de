import { createGunzip, createInflate, createInflateRaw, gunzipSync, inflateRawSync, inflateSync } from 'node:zlib'
import { AppError, badRequest, codeOf } from '../../base/errors.ts'

export type BodyLimits = {
  bytesMax: number
  /** Called with the number of bytes so far. Throws to stop decompression. */
  onSize(bytes: number): void
}

export type Coding = 'identity' | 'gzip' | 'deflate' | 'raw-deflate'

/** Below this size, a thread costs more than it saves. Input that expands to the limit needs about 20 ms. */
const SYNC_BYTES_MAX = 64 * 1024
const CHUNK_BYTES = 256 * 1024

/** Parses the Content-Encoding header. */
export function codingOf(header = 'identity'): Coding {
  const name = header.trim().toLowerCase()
  if (name === 'gzip' || name === 'x-gzip') return 'gzip'
  if (name === 'deflate') return name
  if (name === 'identity' || name === '') return 'identity'
  throw new AppError(415, 'The request body may be compressed by gzip or deflate, once, or not at all')
}

/** Never decompresses more than the limit: a megabyte of gzip can expand to a gigabyte of zeros. */
export async function decompress(bytes: Buffer, coding: Coding, limits: BodyLimits): Promise<Buffer> {
  if (coding === 'identity' || bytes.length === 0) return bytes
  const exact = coding === 'deflate' && !hasZlibHeader(bytes) ? 'raw-deflate' : coding
  try {
    const whole = bytes.length < SYNC_BYTES_MAX ? unpackNow(bytes, exact, limits) : undefined
    return whole ?? (await unpackInThread(bytes, exact, limits))
  } catch (error) {
    const code = codeOf(error)
    if (code === 'ERR_BUFFER_TOO_LARGE') throw tooLarge(limits.bytesMax)
    if (code.startsWith('Z_')) throw badRequest(`The request body is not valid ${coding}`)
    throw error
  }
}

/** Returns undefined if data follows the end, which may be a second gzip member or garbage. */
function unpackNow(bytes: Buffer, coding: Coding, { bytesMax, onSize }: BodyLimits): Buffer | undefined {
  const options = { maxOutputLength: bytesMax, chunkSize: CHUNK_BYTES, rejectGarbageAfterEnd: true }
  const unpack = coding === 'gzip' ? gunzipSync : coding === 'deflate' ? inflateSync : inflateRawSync
  try {
    const whole = unpack(bytes, options)
    onSize(whole.length)
    return whole
  } catch (error) {
    if (codeOf(error) === 'ERR_TRAILING_JUNK_AFTER_STREAM_END') return undefined
    throw error
  }
}

async function unpackInThread(bytes: Buffer, coding: Coding, { bytesMax, onSize }: BodyLimits): Promise<Buffer> {
  const create = coding === 'gzip' ? createGunzip : coding === 'deflate' ? createInflate : createInflateRaw
  const unpacker = create({ chunkSize: CHUNK_BYTES })
  const chunks: Buffer[] = []
  let size = 0
  unpacker.end(bytes)
  for await (const chunk of unpacker) {
    chunks.push(chunk)
    size += chunk.length
    if (size > bytesMax) throw tooLarge(bytesMax)
    onSize(size)
  }
  if (unpacker.bytesWritten < bytes.length)
    throw badRequest('The request body has more behind the end of what is compressed')
  return Buffer.concat(chunks)
}

/** RFC 9110 defines `deflate` as the zlib format. Some clients send raw deflate data, which has no zlib header. */
function hasZlibHeader(bytes: Buffer): boolean {
  const [first = 0, second = 0] = bytes
  return (first & 0x0f) === 8 && ((first << 8) | second) % 31 === 0
}

export function tooLarge(bytesMax: number): AppError {
  return new AppError(413, `The request body is larger than ${bytesMax} bytes; send it in several requests`)
}
