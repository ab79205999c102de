import { type Agent, request as httpRequest, type IncomingHttpHeaders, type IncomingMessage } from 'node:http'
import { request as httpsRequest } from 'node:https'

export type Sending = {
  url: URL
  agent: Agent
  headers: Record<string, string>
  /** Sent by POST; without one it is a GET. */
  body?: string
  answerBytesMax: number
  /** Ends the exchange wherever it is, also in the middle of a body that never ends. */
  signal: AbortSignal
}

export type ProviderAnswer = {
  status: number
  headers: IncomingHttpHeaders
  /** `too-long`: reading stopped at the bound, and the connection was closed. */
  body: Buffer | 'too-long'
}

/** Sends one request and reads its answer. Redirects are answers like others: nobody follows them. */
export async function exchange({
  url,
  agent,
  headers,
  body,
  answerBytesMax,
  signal,
}: Sending): Promise<ProviderAnswer> {
  const open = url.protocol === 'https:' ? httpsRequest : httpRequest
  const bytes = body === undefined ? undefined : Buffer.from(body)
  const request = open(url, {
    method: bytes ? 'POST' : 'GET',
    agent,
    signal,
    // Without compression the bound on what is read is a bound on what it becomes, too.
    headers: {
      ...headers,
      'accept-encoding': 'identity',
      ...(bytes ? { 'content-length': String(bytes.length) } : {}),
    },
  })
  const arrives = new Promise<IncomingMessage>((resolve, reject) => {
    request.on('response', resolve)
    // Stays: an error after the answer began is told by reading it, and must not be an uncaught one here.
    request.on('error', reject)
  })
  request.end(bytes)
  const response = await arrives
  const read = await readBounded(response, answerBytesMax)
  if (read === 'too-long') request.destroy()
  return { status: response.statusCode ?? 0, headers: response.headers, body: read }
}

async function readBounded(response: IncomingMessage, bytesMax: number): Promise<Buffer | 'too-long'> {
  const pieces: Buffer[] = []
  let length = 0
  for await (const piece of response) {
    length += piece.length
    if (length > bytesMax) return 'too-long'
    pieces.push(piece)
  }
  return Buffer.concat(pieces)
}
