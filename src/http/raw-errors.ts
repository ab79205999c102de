import { IncomingMessage, ServerResponse, STATUS_CODES } from 'node:http'
import type { Socket } from 'node:net'
import type { NewId } from '../base/ids.ts'
import type { SecurityHeaders } from './security-headers.ts'

/** How long the client has to read the error. Without this delay, data that it is still sending would reset the connection first. */
const LINGER_MS = 500

/**
 * Responds to what the HTTP parser rejects, in the same format as every other error. Then closes the connection even if the client does
 * not close its side: an open one would keep the memory of a request that never arrives.
 */
export function createClientErrorHandler(
  newId: NewId,
  baseHeaders: SecurityHeaders,
): (error: NodeJS.ErrnoException, socket: Socket) => void {
  return (error, socket) => {
    if (error.code === 'ECONNRESET' || !socket.writable || hasResponseStarted(socket)) {
      socket.destroy()
      return
    }
    const linger = setTimeout(() => socket.destroy(), LINGER_MS)
    socket.once('close', () => clearTimeout(linger))
    const [status, message] = explain(error.code)
    const { body, headers } = errorResponse(message, newId(), baseHeaders)
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
  baseHeaders: SecurityHeaders,
): (req: IncomingMessage, res: ServerResponse) => void {
  return (_req, res) => {
    const { body, headers } = errorResponse('The Expect header supports only 100-continue', newId(), baseHeaders)
    res.writeHead(417, headers).end(body)
  }
}

function errorResponse(message: string, requestId: string, baseHeaders: SecurityHeaders) {
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

function explain(code: string | undefined): [number, string] {
  if (code === 'HPE_HEADER_OVERFLOW') return [431, 'The URL and the headers together are too long']
  if (code === 'ERR_HTTP_REQUEST_TIMEOUT') return [408, 'The request was not received in time']
  return [400, 'Malformed HTTP request']
}
