import { type Agent, request as httpRequest, type IncomingHttpHeaders, type IncomingMessage } from 'node:http'
import { request as httpsRequest } from 'node:https'

export type ExchangeOptions = {
  url: URL
  agent: Agent
  headers: Record<string, string>
  /** Sent with POST; without a body, the request is a GET. */
  body?: string
  responseBytesMax: number
  /** Aborts the exchange at any point, even while reading an endless body. */
  signal: AbortSignal
  /** The whole request was sent. */
  onSent?: () => void
}

export type ProviderResponse = {
  status: number
  headers: IncomingHttpHeaders
  /** `too-long`: reading stopped at the limit, and the connection was closed. */
  body: Buffer | 'too-long'
}

/** Sends one request and reads the response. Does not follow redirects. */
export async function exchange({
  url,
  agent,
  headers,
  body,
  responseBytesMax,
  signal,
  onSent,
}: ExchangeOptions): Promise<ProviderResponse> {
  const open = url.protocol === 'https:' ? httpsRequest : httpRequest
  const bytes = body === undefined ? undefined : Buffer.from(body)
  const request = open(url, {
    method: bytes ? 'POST' : 'GET',
    agent,
    signal,
    // Without compression, the limit applies to the decoded body, too.
    headers: {
      ...headers,
      'accept-encoding': 'identity',
      ...(bytes ? { 'content-length': String(bytes.length) } : {}),
    },
  })
  const arrives = new Promise<IncomingMessage>((resolve, reject) => {
    request.on('response', resolve)
    // Not removed: an error after the response has started is thrown by reading it and must not be uncaught here.
    request.on('error', reject)
  })
  if (onSent) request.on('finish', onSent)
  request.end(bytes)
  const response = await arrives
  const read = await readBounded(response, responseBytesMax)
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
