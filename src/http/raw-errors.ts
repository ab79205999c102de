import { type IncomingMessage, type Server, type ServerResponse, STATUS_CODES } from 'node:http'
import type { Socket } from 'node:net'

/** Answers what the HTTP parser refuses, before there is a request: in the same form as every other error. */
export function answerClientError(error: NodeJS.ErrnoException, socket: Socket): void {
  if (error.code === 'ECONNRESET' || !socket.writable) {
    socket.destroy()
    return
  }
  const [status, sentence] = explain(error.code)
  const body = JSON.stringify({ error: sentence })
  socket.end(
    `HTTP/1.1 ${status} ${STATUS_CODES[status]}\r\nContent-Type: application/json; charset=utf-8\r\n` +
      `Content-Length: ${Buffer.byteLength(body)}\r\nConnection: close\r\n\r\n${body}`,
  )
}

/** Node answers an unknown expectation with an empty body; ours says what is wrong. */
export function answerExpectations(server: Server): void {
  server.on('checkExpectation', (_req: IncomingMessage, res: ServerResponse) => {
    res.writeHead(417, { 'content-type': 'application/json; charset=utf-8', connection: 'close' })
    res.end(JSON.stringify({ error: 'The header Expect may only ask for 100-continue' }))
  })
}

function explain(code: string | undefined): [number, string] {
  if (code === 'HPE_HEADER_OVERFLOW') return [431, 'The URL and the headers together are too long']
  if (code === 'ERR_HTTP_REQUEST_TIMEOUT') return [408, 'The request was not received in time']
  return [400, 'Malformed HTTP request']
}
