/**
 * Serves the Model Context Protocol over standard input and output, for clients that start a program, by passing each message on to the
 * `/mcp` of a server. It knows nothing of tools or revisions: it adds the headers that HTTP requires, and turns failures of HTTP into
 * errors of JSON-RPC.
 */
import { createInterface } from 'node:readline'
import type { Readable } from 'node:stream'

export type McpBridge = {
  /** Of the server, without `/mcp`. */
  url: string
  apiKey: string
  send: typeof fetch
  input: Readable
  write(text: string): void
}

/** Ends when the input has ended and every request has its response. */
export async function runMcpBridge({ url, apiKey, send, input, write: print }: McpBridge): Promise<void> {
  const endpoint = `${url}/mcp`
  const running = new Map<Id, AbortController>()
  /** Of a client that begins with a handshake; later clients name their revision in each message. */
  let handshakeVersion: string | undefined

  const write = (message: object) => print(`${JSON.stringify(message)}\n`)

  async function passOn(message: Message): Promise<void> {
    const abort = new AbortController()
    const id = message.id ?? undefined
    if (id !== undefined) running.set(id, abort)
    try {
      const headers = { ...headersOf(message, handshakeVersion), authorization: `Bearer ${apiKey}` }
      // A key must not follow a redirect to another server.
      const request = { method: 'POST', headers, body: JSON.stringify(message), redirect: 'error' } as const
      const response = await send(endpoint, { ...request, signal: abort.signal })
      const replies = readReplies(await response.text(), response.headers.get('content-type') ?? '')
      for (const reply of replies) {
        if (message.method === 'initialize') handshakeVersion = versionIn(reply.result) ?? handshakeVersion
        if ('jsonrpc' in reply) write(withRequestId(message, reply))
      }
      const hasReply = replies.some((reply) => 'jsonrpc' in reply)
      if (!hasReply && id !== undefined) write(failure(id, httpError(response.status, replies[0])))
    } catch (error) {
      // A request that the client has canceled gets no response.
      if (abort.signal.aborted || id === undefined) return
      write(failure(id, `The server at ${endpoint} cannot be reached: ${causeOf(error)}`))
    } finally {
      if (id !== undefined) running.delete(id)
    }
  }

  const pending = new Set<Promise<void>>()
  for await (const line of createInterface({ input })) {
    if (line.trim() === '') continue
    const message = parse(line)
    if (!message) {
      write(failure(null, 'Not a JSON-RPC message', PARSE_ERROR))
      continue
    }
    if (message.method === 'notifications/cancelled') {
      const canceled = message.params?.requestId
      if (typeof canceled === 'string' || typeof canceled === 'number') running.get(canceled)?.abort()
      continue
    }
    const passing = passOn(message).finally(() => pending.delete(passing))
    pending.add(passing)
    // Messages after a handshake depend on its response.
    if (message.method === 'initialize') await passing
  }
  await Promise.all(pending)
}

type Id = string | number

type Message = { id?: Id | null; method?: string; params?: Record<string, unknown>; result?: unknown; error?: unknown }

const PARSE_ERROR = -32_700
const SERVER_ERROR = -32_000
const VERSION_KEY = 'io.modelcontextprotocol/protocolVersion'

/** An error of a request that the server could not read has no id, but this bridge knows which request it was. */
function withRequestId({ id }: Message, reply: Message): Message {
  return 'error' in reply && (reply.id ?? undefined) === undefined && id !== undefined ? { ...reply, id } : reply
}

/** The headers that the revision of the message requires over HTTP. */
function headersOf({ method, params = {} }: Message, handshakeVersion: string | undefined): Record<string, string> {
  const own: unknown = Object(params._meta)[VERSION_KEY]
  const version = typeof own === 'string' ? own : method === 'initialize' ? undefined : handshakeVersion
  const name = params.name ?? params.uri
  return {
    'content-type': 'application/json',
    accept: 'application/json, text/event-stream',
    ...(version === undefined ? {} : { 'mcp-protocol-version': version }),
    ...(typeof own === 'string' && method !== undefined ? { 'mcp-method': method } : {}),
    ...(typeof own === 'string' && typeof name === 'string' ? { 'mcp-name': headerText(name) } : {}),
  }
}

/** As the protocol encodes text that is not allowed in a header. */
function headerText(text: string): string {
  const isPlain = /^[\x21-\x7e]([\x20-\x7e]*[\x21-\x7e])?$/.test(text) && !text.startsWith('=?base64?')
  return isPlain ? text : `=?base64?${Buffer.from(text).toString('base64')}?=`
}

/** One message as JSON, or several as server-sent events. Other bodies, such as the page of a proxy, are none. */
function readReplies(text: string, contentType: string): Message[] {
  const bodies = contentType.startsWith('text/event-stream') ? eventsIn(text) : [text]
  return bodies.flatMap((body) => parse(body) ?? [])
}

function eventsIn(text: string): string[] {
  const events = text.split(/\r?\n\r?\n/)
  return events.map((event) =>
    event
      .split(/\r?\n/)
      .filter((line) => line.startsWith('data:'))
      .map((line) => line.slice('data:'.length).trimStart())
      .join('\n'),
  )
}

function parse(text: string): Message | undefined {
  try {
    const value: unknown = JSON.parse(text)
    return typeof value === 'object' && value !== null && !Array.isArray(value) ? value : undefined
  } catch {
    // Not a message: the caller reports it.
    return undefined
  }
}

function versionIn(result: unknown): string | undefined {
  const version: unknown = Object(result).protocolVersion
  return typeof version === 'string' ? version : undefined
}

/** The server sends `{"error": "<message>"}` for what happens before the protocol begins, such as a wrong key. */
function httpError(status: number, body: Message | undefined): string {
  return typeof body?.error === 'string' ? `${body.error} (HTTP ${status})` : `The server responded with HTTP ${status}`
}

function causeOf(error: unknown): string {
  const cause = error instanceof Error ? (error.cause ?? error) : error
  return cause instanceof Error ? cause.message : String(cause)
}

function failure(id: Id | null, message: string, code = SERVER_ERROR): object {
  return { jsonrpc: '2.0', id, error: { code, message } }
}
