/** A model provider on its own port with the API of its kind: returns what the test decides, and misbehaves on request. */
import { once } from 'node:events'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { Socket } from 'node:net'
import type { ProviderKind } from '../../src/llm/chat.ts'
import { judgeBySchema, vectorOf } from './model-answers.ts'
import { type AskedTexts, MODEL_FORMS, type ModelForm } from './model-forms.ts'
import { type Misbehaviour, misbehave } from './model-misbehaviour.ts'

export type AskedRequest = AskedTexts & {
  method: string
  path: string
  headers: IncomingMessage['headers']
  /** Empty for GET. */
  body: Record<string, unknown>
}

/** Parameters that a server rejects with 400 and their name, as older and smaller servers do. */
export type Unknown = 'json_schema' | 'json_object' | 'temperature' | 'seed' | 'max_completion_tokens' | 'max_tokens'

export type ModelServerOptions = {
  /** Default: `openai`. */
  kind?: ProviderKind
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
  const form = MODEL_FORMS[options.kind ?? 'openai']
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
      const request = await readRequest(req, form)
      requests.push(request)
      const how = planned.shift() ?? options.misbehaviour?.(request)
      if (how) await misbehave(how, res)
      else await answer(request, res, { ...options, form })
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
    baseUrl: `${url}${form.basePath}`,
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

async function readRequest(req: IncomingMessage, form: ModelForm): Promise<AskedRequest> {
  const pieces: Buffer[] = []
  for await (const piece of req) pieces.push(piece)
  const body = pieces.length === 0 ? {} : JSON.parse(Buffer.concat(pieces).toString('utf8'))
  return { method: req.method ?? '', path: req.url ?? '', headers: req.headers, body, ...form.read(body) }
}

type Answering = ModelServerOptions & { form: ModelForm }

async function answer(request: AskedRequest, res: ServerResponse, { form, ...options }: Answering): Promise<void> {
  const path = request.path.split('?', 1)[0] ?? ''
  const asked = form.asks(path)
  if (asked === 'models' && request.method === 'GET') {
    send(res, 200, form.models(['judge-1']))
    return
  }
  if (asked === 'embeddings' && request.method === 'POST') {
    const texts = form.texts?.(request.body) ?? []
    const vectors = texts.map(options.embed ?? vectorOf)
    send(res, 200, form.vectors?.(vectors, tokensOf(texts.join('')), request.body))
    return
  }
  if (asked !== 'chat' || request.method !== 'POST') {
    send(res, 404, { error: { message: `Invalid URL (${request.method} ${path})` } })
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
  const tokens = { input: tokensOf(request.system) + tokensOf(request.user), output: tokensOf(text) }
  send(res, 200, form.answer(text, tokens, request.body))
}

function tokensOf(text: string): number {
  return Math.ceil(text.length / 4)
}

function send(res: ServerResponse, status: number, body: unknown): void {
  res.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body))
}
