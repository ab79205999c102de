import { IncomingMessage, ServerResponse, STATUS_CODES } from 'node:http'
import type { Socket } from 'node:net'
import { AppError, codeOf } from '../base/errors.ts'
import type { NewId } from '../base/ids.ts'
import type { Logger } from '../base/log.ts'
import type { HttpResponse } from './route.ts'

/** Converts any error to the response body `{"error": "<message>"}`. No other code does this. */
export function errorResponse(error: unknown, log: Logger, requestId: string): HttpResponse {
  if (error instanceof AppError) {
    if (error.status >= 500) log.error({ err: error, cause: error.cause, requestId }, error.message)
    return { status: error.status, headers: error.headers, body: { error: error.message } }
  }
  const routing = routerErrorResponse(error)
  if (routing) return routing
  // A bug. The caller gets only the request id; the log has the details.
  log.error({ err: error, requestId }, 'request failed')
  return { status: 500, body: { error: 'Internal server error' } }
}

/** Errors that the router raises before it finds a route. */
function routerErrorResponse(error: unknown): HttpResponse | undefined {
  const code = codeOf(error)
  if (code === 'FST_ERR_BAD_URL' || code === 'FST_ERR_MAX_PARAM_LENGTH') {
    return { status: 400, body: { error: 'Malformed URL' } }
  }
  return undefined
}

/** How long the client has to read the error. Without this delay, data that it is still sending would reset the connection first. */
const LINGER_MS = 500

/**
 * Responds to what the HTTP parser rejects, in the same format as every other error. Then closes the connection even if the client does
 * not close its side: an open one would keep the memory of a request that never arrives.
 */
export function createClientErrorHandler(
  newId: NewId,
  baseHeaders: Record<string, string>,
): (error: NodeJS.ErrnoException, socket: Socket) => void {
  return (error, socket) => {
    if (error.code === 'ECONNRESET' || !socket.writable || hasResponseStarted(socket)) {
      socket.destroy()
      return
    }
    const linger = setTimeout(() => socket.destroy(), LINGER_MS)
    socket.once('close', () => clearTimeout(linger))
    const [status, message] = parserError(error.code)
    const { body, headers } = rawResponse(message, newId(), baseHeaders)
    const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}\r\n`)
    socket.end(`HTTP/1.1 ${status} ${STATUS_CODES[status]}\r\n${lines.join('')}\r\n${body}`)
  }
}

/** The client would read bytes after a written response as a part of it, or as the next response. */
function hasResponseStarted(socket: Socket): boolean {
  const response: unknown = Reflect.get(socket, '_httpMessage')
  if (response instanceof ServerResponse) return response.headersSent
  // A request that is still arriving and has no response object: its response was written, and the client does not send the rest.
  const request: unknown = Object(Reflect.get(socket, 'parser')).incoming
  return request instanceof IncomingMessage && !request.complete
}

/** Node responds to an unknown expectation with an empty body; this response contains an error message. */
export function createExpectationHandler(
  newId: NewId,
  baseHeaders: Record<string, string>,
): (req: IncomingMessage, res: ServerResponse) => void {
  return (_req, res) => {
    const { body, headers } = rawResponse('The Expect header supports only 100-continue', newId(), baseHeaders)
    res.writeHead(417, headers).end(body)
  }
}

function rawResponse(message: string, requestId: string, baseHeaders: Record<string, string>) {
  const body = JSON.stringify({ error: message })
  const headers = {
    ...baseHeaders,
    'cache-control': 'no-store',
    'content-type': 'application/json; charset=utf-8',
    'content-length': String(Buffer.byteLength(body)),
    'x-request-id': requestId,
    connection: 'close',
  }
  return { body, headers }
}

function parserError(code: string | undefined): [number, string] {
  if (code === 'HPE_HEADER_OVERFLOW') return [431, 'The URL and the headers together are too long']
  if (code === 'ERR_HTTP_REQUEST_TIMEOUT') return [408, 'The request was not received in time']
  return [400, 'Malformed HTTP request']
}
