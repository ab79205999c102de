/** A load generator on plain sockets: it must cost less than the server it loads, and run without installed tools. */
import { once } from 'node:events'
import { connect, type Socket } from 'node:net'

const CONNECTIONS = 32

export type RawAnswer = { status: number; headers: Record<string, string>; body: string }

export type RawRequest = { method: 'GET' | 'POST' | 'DELETE'; path: string; key: string; body?: unknown }

/** The bytes of a request as a typical client sends it. */
export function encodeRequest({ method, path, key, body }: RawRequest): Buffer {
  const content = body === undefined ? '' : JSON.stringify(body)
  const lines = [
    `${method} ${path} HTTP/1.1`,
    'Host: localhost',
    `Authorization: Bearer ${key}`,
    'Accept: application/json',
    ...(body === undefined ? [] : ['Content-Type: application/json', `Content-Length: ${Buffer.byteLength(content)}`]),
  ]
  return Buffer.from(`${lines.join('\r\n')}\r\n\r\n${content}`)
}

/** Sends one request and returns the response. */
export async function sendOne(port: number, request: Buffer): Promise<RawAnswer> {
  const socket = await open(port)
  try {
    const { head, body } = await exchange(socket, request)
    const [statusLine = '', ...lines] = head.split('\r\n')
    const headers = lines.map((line): [string, string] => {
      const [name = '', ...rest] = line.split(': ')
      return [name.toLowerCase(), rest.join(': ')]
    })
    return { status: Number(statusLine.split(' ')[1]), headers: Object.fromEntries(headers), body }
  } finally {
    socket.destroy()
  }
}

/** Sends one request and returns the body of the response, which must be a success. */
export async function sendText(
  { port, key }: { port: number; key: string },
  request: Omit<RawRequest, 'key'>,
): Promise<string> {
  const { status, body } = await sendOne(port, encodeRequest({ ...request, key }))
  if (status >= 300) throw new Error(`${request.method} ${request.path}: ${status} ${body}`)
  return body
}

export type Load = {
  port: number
  requests: readonly Buffer[]
  count: number
  status: number
  /** Default: 32. */
  connections?: number | undefined
}

/** Sends the requests in turn, `count` in total, over persistent connections. Returns the duration in seconds. */
export async function sendMany({ port, requests, count, status, connections = CONNECTIONS }: Load): Promise<number> {
  const startedAt = performance.now()
  let next = 0
  const wanted = `HTTP/1.1 ${status} `
  const work = async () => {
    let socket = await open(port)
    while (next < count) {
      const request = requests[next % requests.length]
      if (!request) throw new Error('there is nothing to send')
      next += 1
      const { head, body } = await exchange(socket, request)
      if (!head.startsWith(wanted)) throw new Error(`expected ${status}, got ${head}\n\n${body}`)
      if (/\r\nconnection: close/i.test(head)) {
        socket.destroy()
        socket = await open(port)
      }
    }
    socket.destroy()
  }
  await Promise.all(Array.from({ length: connections }, work))
  return (performance.now() - startedAt) / 1_000
}

export async function open(port: number): Promise<Socket> {
  const socket = connect({ port, host: '127.0.0.1', noDelay: true })
  await once(socket, 'connect')
  return socket
}

const LAST_CHUNK = Buffer.from('0\r\n\r\n')

/** Writes a request and reads the response, which has a content length or ends with an empty chunk. */
export function exchange(socket: Socket, request: Buffer): Promise<{ head: string; body: string }> {
  return new Promise((resolve, reject) => {
    let received: Buffer | undefined
    const onData = (chunk: Buffer) => {
      received = received ? Buffer.concat([received, chunk]) : chunk
      const headEnd = received.indexOf('\r\n\r\n')
      if (headEnd < 0) return
      const head = received.toString('latin1', 0, headEnd)
      const length = Number(/\r\ncontent-length: (\d+)/i.exec(head)?.[1] ?? 0)
      const isWhole = /\r\ntransfer-encoding: chunked/i.test(head)
        ? received.subarray(-LAST_CHUNK.length).equals(LAST_CHUNK)
        : received.length >= headEnd + 4 + length
      if (!isWhole) return
      settle()
      resolve({ head, body: received.toString('utf8', headEnd + 4) })
    }
    const onEnd = () => {
      settle()
      reject(new Error('the server closed the connection before it answered'))
    }
    const settle = () => {
      socket.off('data', onData).off('error', onEnd).off('close', onEnd)
    }
    socket.on('data', onData).on('error', onEnd).on('close', onEnd)
    socket.write(request)
  })
}
