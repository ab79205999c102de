/**
 * Writes responses to their connections: security headers, compression, and a limit on the time that clients need to read them.
 *
 * Compressing happens in the thread pool of the process, so it does not block other requests. Responses with secrets, such as a new API key,
 * are shorter than the limit: compressing secrets together with texts of the request could reveal them by the length of the response.
 */
import type { ServerResponse } from 'node:http'
import type { Socket } from 'node:net'
import { pipeline, Readable, type Transform } from 'node:stream'
import {
  type BrotliOptions,
  brotliCompress,
  constants,
  createBrotliCompress,
  createGzip,
  gzip,
  type ZlibOptions,
} from 'node:zlib'
import type { FastifyReply, FastifyRequest } from 'fastify'
import { JsonText } from '../base/json.ts'
import { EVENT_STREAM } from './event-stream.ts'
import { type Encoding, matchesEtag, PreparedBody } from './prepared-body.ts'
import type { HttpResponse } from './route.ts'

type Send = (reply: FastifyReply, response: HttpResponse) => void

/** Smaller texts gain nothing that a network would notice. */
const COMPRESSED_BYTES_MIN = 1_024
/** Smaller responses fit into the buffers of the operating system, so a slow client does not matter. */
const WATCHED_BYTES_MIN = 16 * 1024

/** Writes to the socket directly, because Fastify's hooks and serializers are not used. */
export function createSender(baseHeaders: Record<string, string>, readTimeoutMs: number): Send {
  // Merged once: merging them for each response would be 5% of the cost of a small one.
  const noStoreHeaders = { 'cache-control': 'no-store', ...baseHeaders }
  const jsonHeaders = { 'content-type': 'application/json; charset=utf-8', ...noStoreHeaders }
  const watchReading = createWriteTimeouts(readTimeoutMs)

  function send(reply: FastifyReply, response: HttpResponse): void {
    const { request, raw: res } = reply
    const { status, body } = response
    const headers = { 'x-request-id': request.id, ...response.headers }
    reply.hijack()
    if (body === undefined) {
      res.writeHead(status, { ...noStoreHeaders, ...headers }).end()
      return
    }
    if (body instanceof PreparedBody) {
      sendPrepared(reply, { ...response, headers }, body)
      return
    }
    const encoding = encodingOf(request, response)
    if (body instanceof Readable) {
      res.writeHead(status, { ...noStoreHeaders, ...headers, ...(encoding && encodingHeaders(encoding)) })
      sendStream(request, res, body, encoding)
      return
    }
    const fixed = Buffer.isBuffer(body) ? baseHeaders : jsonHeaders
    const sendBytes = (content: string | Buffer, length: number, ofEncoding?: Record<string, string>) => {
      res.writeHead(status, { ...fixed, 'content-length': length, ...headers, ...ofEncoding }).end(content)
      if (length >= WATCHED_BYTES_MIN) watchReading(res)
    }
    const content = Buffer.isBuffer(body) ? body : body instanceof JsonText ? body.text : JSON.stringify(body)
    const length = Buffer.byteLength(content)
    if (encoding === undefined || length < COMPRESSED_BYTES_MIN) {
      sendBytes(content, length)
      return
    }
    compress(content, encoding, (error, compressed) => {
      if (error) sendBytes(content, length)
      else sendBytes(compressed, compressed.length, encodingHeaders(encoding))
    })
  }

  /** A client that has the bytes already gets 304. */
  function sendPrepared({ request, raw: res }: FastifyReply, { status, headers }: HttpResponse, body: PreparedBody) {
    const encoding = body.encodingFor(preferredEncoding(request.headers['accept-encoding'] ?? ''))
    const common = { ...baseHeaders, ...headers, etag: body.etag(encoding) }
    if (status === 200 && matchesEtag(request.headers['if-none-match'], common.etag)) {
      res.writeHead(304, common).end()
      return
    }
    const sendBytes = (bytes: Buffer, ofEncoding?: Record<string, string>) => {
      res.writeHead(status, { ...common, 'content-length': bytes.length, ...ofEncoding })
      if (bytes.length < WATCHED_BYTES_MIN) {
        // As a string: Node sends head and body by one write then, and not by a list of two, which costs 5% more for a small response.
        res.end(bytes === body.bytes ? body.latin1 : bytes.toString('latin1'), 'latin1')
        return
      }
      res.end(bytes)
      watchReading(res)
    }
    if (encoding === undefined) sendBytes(body.bytes)
    else
      body.encoded(encoding).then(
        (bytes) => sendBytes(bytes, { 'content-encoding': encoding }),
        () => sendBytes(body.bytes, { etag: body.etag(undefined) }),
      )
  }

  function sendStream(request: FastifyRequest, res: ServerResponse, body: Readable, encoding: Encoding | undefined) {
    // A HEAD response has no body, and producing this one may last as long as an evaluation.
    if (request.method === 'HEAD') {
      body.destroy()
      res.end()
      return
    }
    // A client that disconnects ends the stream, and a failed stream closes the connection: a partial file must not look complete.
    if (encoding) pipeline(body, createCompressor(encoding), res, () => {})
    else pipeline(body, res, () => {})
    watchReading(res)
  }

  return send
}

/** One year, as browsers recommend. Without subdomains: an installation at example.com must not affect hosts that it does not serve. */
const HSTS = 'max-age=31536000'

/** Headers of every response: routes, the authentication library, OTLP, static files and errors of the HTTP parser. */
export function securityHeaders(publicUrl: string): Record<string, string> {
  return {
    'x-content-type-options': 'nosniff',
    // API responses are not pages: nothing in them may load, run or be framed. Static files have their own policy.
    'content-security-policy': "default-src 'none'; frame-ancestors 'none'",
    'referrer-policy': 'no-referrer',
    ...(publicUrl.startsWith('https:') ? { 'strict-transport-security': HSTS } : {}),
  }
}

// Fast settings: the bytes are sent once. The window keeps the memory of a stream below 2 MB.
const BROTLI: BrotliOptions = {
  params: { [constants.BROTLI_PARAM_QUALITY]: 4, [constants.BROTLI_PARAM_LGWIN]: 19 },
}
const GZIP: ZlibOptions = { level: 5 }

/** Undefined if the response must be sent as it is. Files have been compressed before, and events must arrive at once. */
function encodingOf(request: FastifyRequest, { body, headers }: HttpResponse): Encoding | undefined {
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

function compress(
  content: string | Buffer,
  encoding: Encoding,
  done: (error: Error | null, bytes: Buffer) => void,
): void {
  if (encoding === 'br') brotliCompress(content, BROTLI, done)
  else gzip(content, GZIP, done)
}

function createCompressor(encoding: Encoding): Transform {
  return encoding === 'br' ? createBrotliCompress(BROTLI) : createGzip(GZIP)
}

function encodingHeaders(encoding: Encoding): Record<string, string> {
  return { 'content-encoding': encoding, vary: 'accept-encoding' }
}

/** A complete response may need this many times the timeout. */
const WHOLE_RESPONSE_FACTOR = 20

type Watched = { isWhole: boolean; before: string | undefined; checks: number }

/**
 * Closes connections whose clients do not read the response: it stays in memory, and a stream keeps its source open. Node's socket
 * timeout does not work here: it restarts whenever the client sends data, and it ends streams that have nothing to send.
 *
 * Returns the function that watches a response, which has been or is being written. One timer checks all of them: a timer per response
 * would be 10% of the cost of a small one.
 */
function createWriteTimeouts(timeoutMs: number): (res: ServerResponse) => void {
  const watched = new Map<ServerResponse, Watched>()
  let timer: NodeJS.Timeout | undefined

  function checkAll(): void {
    for (const [res, state] of watched) if (isStuck(res, state)) res.socket?.destroy()
    if (watched.size > 0) return
    clearInterval(timer)
    timer = undefined
  }

  return (res) => {
    // The client may have disconnected before the response was written.
    if (res.closed) return
    watched.set(res, { isWhole: res.writableEnded, before: undefined, checks: 0 })
    res.on('close', () => watched.delete(res))
    timer ??= setInterval(checkAll, timeoutMs).unref()
  }
}

function isStuck(res: ServerResponse, state: Watched): boolean {
  state.checks += 1
  // A pipelined response has no socket until the responses before it are sent; those are watched.
  const now = res.socket ? unsent(res.socket) : undefined
  const isSame = now !== undefined && now === state.before
  state.before = now
  // The limit on checks catches a client that reads a byte now and then.
  return isSame || (state.isWhole && state.checks >= WHOLE_RESPONSE_FACTOR)
}

/** The unsent bytes in the stream's queue and in libuv's queue, which holds large chunks. Undefined if there are none. */
function unsent(socket: Socket): string | undefined {
  if (socket.writableLength === 0) return undefined
  const handle: unknown = Reflect.get(socket, '_handle')
  return `${socket.writableLength} ${Object(handle).writeQueueSize}`
}
