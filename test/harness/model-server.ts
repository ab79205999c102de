/** A model provider on its own port with the API of OpenAI: returns what the test decides, and misbehaves on request. */
import { once } from 'node:events'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { Socket } from 'node:net'
import { judgeBySchema, vectorOf } from './model-answers.ts'
import { type Misbehaviour, misbehave } from './model-misbehaviour.ts'

export type AskedRequest = {
  method: string
  path: string
  headers: IncomingMessage['headers']
  /** Empty for GET. */
  body: Record<string, unknown>
  /** What the messages of a conversation say, and how the answer is to look. */
  system: string
  user: string
  format: string | undefined
}

/** Parameters that a server rejects with 400 and their name, as older and smaller servers do. */
export type Unknown = 'json_schema' | 'json_object' | 'temperature' | 'seed' | 'max_completion_tokens' | 'max_tokens'

export type ModelServerOptions = {
  /** The content of the answer: text as it is, everything else as JSON. */
  answer?: (request: AskedRequest) => unknown
  embed?: (text: string) => unknown
  /** Called for every request; `misbehave` has precedence. */
  misbehaviour?: (request: AskedRequest) => Misbehaviour | undefined
  unknown?: readonly Unknown[]
}

export type ModelServer = {
  url: string
  baseUrl: string
  /** In the order in which they came. */
  requests: readonly AskedRequest[]
  /** How many were being answered at the same time, at most. */
  readonly concurrentMax: number
  readonly socketsOpen: number
  /** How many bytes were written to sockets that are closed by now. */
  readonly bytesWritten: number
  /** For the next requests. */
  misbehave(how: Misbehaviour, times?: number): void
  close(): Promise<void>
}

export async function startModelServer(options: ModelServerOptions = {}): Promise<ModelServer> {
  const requests: AskedRequest[] = []
  const planned: Misbehaviour[] = []
  const sockets = new Set<Socket>()
  let concurrent = 0
  let concurrentMax = 0
  let bytesWritten = 0

  const server = createServer(async (req, res) => {
    concurrent += 1
    concurrentMax = Math.max(concurrentMax, concurrent)
    res.on('close', () => (concurrent -= 1))
    try {
      const request = await readRequest(req)
      requests.push(request)
      const how = planned.shift() ?? options.misbehaviour?.(request)
      if (how) await misbehave(how, res)
      else await answer(request, res, options)
    } catch (error) {
      // A test that gives up closes its connection in the middle of a request.
      if (!req.destroyed || !res.destroyed) send(res, 500, { error: { message: String(error) } })
    }
  })
  server.on('connection', (socket) => {
    sockets.add(socket)
    socket.on('close', () => {
      sockets.delete(socket)
      bytesWritten += socket.bytesWritten
    })
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const address = server.address()
  if (address === null || typeof address === 'string') throw new Error('the model server has no port')
  const url = `http://127.0.0.1:${address.port}`

  return {
    url,
    baseUrl: `${url}/v1`,
    requests,
    get concurrentMax() {
      return concurrentMax
    },
    get socketsOpen() {
      return sockets.size
    },
    get bytesWritten() {
      return bytesWritten
    },
    misbehave(how, times = 1) {
      for (let count = 0; count < times; count += 1) planned.push(how)
    },
    async close() {
      server.close()
      for (const socket of sockets) socket.destroy()
      await once(server, 'close')
    },
  }
}

async function readRequest(req: IncomingMessage): Promise<AskedRequest> {
  const pieces: Buffer[] = []
  for await (const piece of req) pieces.push(piece)
  const body = pieces.length === 0 ? {} : JSON.parse(Buffer.concat(pieces).toString('utf8'))
  const messages: { role: string; content: string }[] = body.messages ?? []
  const said = (role: string) =>
    messages
      .filter((message) => message.role === role)
      .map(({ content }) => content)
      .join('\n')
  return {
    method: req.method ?? '',
    path: req.url ?? '',
    headers: req.headers,
    body,
    system: said('system'),
    user: said('user'),
    format: body.response_format?.type,
  }
}

async function answer(request: AskedRequest, res: ServerResponse, options: ModelServerOptions): Promise<void> {
  const path = `${request.method} ${request.path.split('?', 1)[0]}`
  if (path === 'GET /v1/models') {
    send(res, 200, { object: 'list', data: [{ id: 'judge-1', object: 'model', owned_by: 'test' }] })
    return
  }
  if (path === 'POST /v1/embeddings') {
    const texts = [request.body.input].flat()
    const embed = options.embed ?? vectorOf
    const data = texts.map((text, index) => ({ object: 'embedding', index, embedding: embed(String(text)) }))
    const tokens = tokensOf(texts.join(''))
    const usage = { prompt_tokens: tokens, total_tokens: tokens }
    send(res, 200, { object: 'list', model: request.body.model, data, usage })
    return
  }
  if (path !== 'POST /v1/chat/completions') {
    send(res, 404, { error: { message: `Invalid URL (${path})` } })
    return
  }
  const rejected = options.unknown?.find((name) => name in request.body || name === request.format)
  if (rejected) {
    const name = rejected.startsWith('json_') ? `response_format ${rejected}` : rejected
    send(res, 400, { error: { message: `Unsupported parameter: ${name}`, type: 'invalid_request_error' } })
    return
  }
  const content = await (options.answer ?? judgeBySchema)(request)
  const text = typeof content === 'string' ? content : JSON.stringify(content)
  send(res, 200, completion({ role: 'assistant', content: text }, request, tokensOf(text)))
}

function completion(message: unknown, { body, system, user }: AskedRequest, tokens: number): Record<string, unknown> {
  const prompt = tokensOf(system) + tokensOf(user)
  return {
    id: 'chatcmpl-1',
    object: 'chat.completion',
    model: body.model,
    choices: [{ index: 0, message, finish_reason: 'stop' }],
    usage: { prompt_tokens: prompt, completion_tokens: tokens, total_tokens: prompt + tokens },
  }
}

function tokensOf(text: string): number {
  return Math.ceil(text.length / 4)
}

function send(res: ServerResponse, status: number, body: unknown): void {
  res.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body))
}
