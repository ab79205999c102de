/** Talks to a server in bytes, for what no HTTP client is willing to send. */
import { connect } from 'node:net'

export type RawAnswer = {
  status: number
  headers: Headers
  text: string
  /** Statuses below 200 that came before. */
  interim: number[]
}

export type Sending = {
  /** Whether we close our side once everything is written; otherwise it stays open until the answer has come. */
  afterwards?: 'close-our-side' | 'stay-open'
  /** The answer to HEAD announces a length and has no body. */
  method?: 'HEAD'
}

/** Sends bytes and answers the first complete answer; rejects if the connection ends without one. */
export async function sendRaw(url: string, bytes: string | Uint8Array, sending: Sending = {}): Promise<RawAnswer> {
  const [answer] = await exchange(url, bytes, { ...sending, until: 'first-answer' })
  if (!answer) throw new Error('the connection ended without an answer')
  return answer
}

/** Sends bytes and answers everything that came back until the server closed the connection. */
export function sendRawUntilClosed(
  url: string,
  bytes: string | Uint8Array,
  sending: Sending = {},
): Promise<RawAnswer[]> {
  return exchange(url, bytes, { ...sending, until: 'closed' })
}

/** The lines of a request; headers of the same name may be repeated. */
export function rawRequest(line: string, headers: string[], body = ''): string {
  return [`${line} HTTP/1.1`, ...headers, '', body].join('\r\n')
}

function exchange(
  url: string,
  bytes: string | Uint8Array,
  { afterwards = 'stay-open', method, until }: Sending & { until: 'first-answer' | 'closed' },
): Promise<RawAnswer[]> {
  const { hostname, port } = new URL(url)
  return new Promise((resolve, reject) => {
    const received: Buffer[] = []
    const socket = connect(Number(port), hostname, () => {
      if (afterwards === 'close-our-side') socket.end(bytes)
      else socket.write(bytes)
    })
    const finish = () => {
      socket.destroy()
      try {
        resolve(readAnswers(Buffer.concat(received), method))
      } catch (error) {
        reject(error)
      }
    }
    socket.on('data', (chunk) => {
      received.push(chunk)
      if (until === 'first-answer' && readAnswers(Buffer.concat(received), method).length > 0) finish()
    })
    socket.on('close', finish)
    // A server resets the connection to stop reading a rejected request; `close` follows and returns what arrived.
    socket.on('error', () => {})
  })
}

/** The complete responses among the bytes, without an incomplete one at the end. */
function readAnswers(bytes: Buffer, method: Sending['method']): RawAnswer[] {
  const answers: RawAnswer[] = []
  let interim: number[] = []
  let rest = bytes
  for (;;) {
    const end = rest.indexOf('\r\n\r\n')
    if (end < 0) return answers
    const [first = '', ...lines] = rest.toString('latin1', 0, end).split('\r\n')
    const [, code] = /^HTTP\/1\.[01] (\d{3}) /.exec(first) ?? []
    if (code === undefined) throw new Error(`not an HTTP answer: ${first.slice(0, 200)}`)
    const status = Number(code)
    const headers = new Headers()
    for (const line of lines) headers.append(line.slice(0, line.indexOf(':')), line.slice(line.indexOf(':') + 1).trim())
    const isEmpty = status < 200 || status === 204 || status === 304 || method === 'HEAD'
    const body = isEmpty ? { bytes: Buffer.alloc(0), size: 0 } : readBody(headers, rest.subarray(end + 4))
    if (!body) return answers
    rest = rest.subarray(end + 4 + body.size)
    if (status < 200) interim.push(status)
    else {
      // What follows an answer to HEAD is a body that must not be there: it is shown, not skipped.
      const text = method === 'HEAD' ? rest.toString() : body.bytes.toString()
      answers.push({ status, headers, text, interim })
      interim = []
      if (method === 'HEAD') return answers
    }
  }
}

/** The body and how many bytes it took on the wire; undefined while some of it has not come. */
function readBody(headers: Headers, wire: Buffer): { bytes: Buffer; size: number } | undefined {
  if (headers.get('transfer-encoding') !== 'chunked') {
    const size = Number(headers.get('content-length') ?? 0)
    return wire.length < size ? undefined : { bytes: wire.subarray(0, size), size }
  }
  const chunks: Buffer[] = []
  let at = 0
  for (;;) {
    const lineEnd = wire.indexOf('\r\n', at)
    if (lineEnd < 0) return undefined
    const size = Number.parseInt(wire.toString('latin1', at, lineEnd), 16)
    const end = lineEnd + 2 + size + 2
    if (wire.length < end) return undefined
    if (size === 0) return { bytes: Buffer.concat(chunks), size: end }
    chunks.push(wire.subarray(lineEnd + 2, end - 2))
    at = end
  }
}
