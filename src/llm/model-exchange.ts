import { type Agent, request as httpRequest, type IncomingHttpHeaders, type IncomingMessage } from 'node:http'
import { request as httpsRequest } from 'node:https'

export type ExchangeOptions = {
  url: URL
  agent: Agent
  headers: Record<string, string>
  /** Sent with POST; without a body, the request is a GET. */
  body?: string
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

/** A response whose body is not read yet. */
export type OpenResponse = {
  status: number
  headers: IncomingHttpHeaders
  pieces: AsyncIterable<Buffer>
  readWhole(bytesMax: number): Promise<ProviderResponse>
}

/** Sends one request and reads the response. Does not follow redirects. */
export async function exchange({
  responseBytesMax,
  ...options
}: ExchangeOptions & { responseBytesMax: number }): Promise<ProviderResponse> {
  return (await openExchange(options)).readWhole(responseBytesMax)
}

/** Sends one request and waits for the head of the response. */
export async function openExchange(options: ExchangeOptions): Promise<OpenResponse> {
  const { url, agent, headers, body, signal, onSent } = options
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
  const head = { status: response.statusCode ?? 0, headers: response.headers }
  return {
    ...head,
    pieces: response,
    async readWhole(bytesMax) {
      const read = await readBounded(response, bytesMax)
      if (read === 'too-long') request.destroy()
      return { ...head, body: read }
    },
  }
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
