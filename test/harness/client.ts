import { Agent, request } from 'node:http'
import { checkAgainstDescription } from './description-check.ts'

/** `body` is the answer read as JSON (an empty object if there is none); `text` is what was sent, byte for byte. */
export type Answer = { status: number; headers: Headers; text: string; body: Record<string, unknown> }

export type Sent = { body?: unknown; headers?: Record<string, string> }

export type Client = {
  /** Paths below /api/v1 are written without it; others begin with /api, /health or /ready. */
  send(method: string, path: string, sent?: Sent): Promise<Answer>
  get(path: string, headers?: Record<string, string>): Promise<Answer>
  post(path: string, body: unknown, headers?: Record<string, string>): Promise<Answer>
  patch(path: string, body: unknown): Promise<Answer>
  delete(path: string): Promise<Answer>
  /** Sends a POST that must succeed and answers the id of what it created; of a list, that of the first. */
  create(path: string, body: unknown): Promise<string>
  /** The `data` of a list that must succeed. */
  list(path: string): Promise<Record<string, unknown>[]>
}

/** Talks to a server over HTTP. Every answer is checked against the published description, in every test. */
export function createClient(url: string, credentials: Record<string, string>): Client {
  async function send(method: string, path: string, { body, headers = {} }: Sent = {}): Promise<Answer> {
    const fullPath = /^\/(api\/|health|ready|v1\/)/.test(path) ? path : `/api/v1${path}`
    const isRaw = typeof body === 'string' || body instanceof Uint8Array
    const bytes = body === undefined ? undefined : Buffer.from(isRaw ? body : JSON.stringify(body))
    const about = bytes && { 'content-type': 'application/json', 'content-length': String(bytes.length) }
    const received = await exchange(method, `${url}${fullPath}`, { ...credentials, ...about, ...headers }, bytes)
    const answer = { ...received, body: readObject(received.text) }
    checkAgainstDescription(method, fullPath, answer)
    return answer
  }
  const client: Client = {
    send,
    get: (path, headers = {}) => send('GET', path, { headers }),
    post: (path, body, headers = {}) => send('POST', path, { body, headers }),
    patch: (path, body) => send('PATCH', path, { body }),
    delete: (path) => send('DELETE', path),
    async create(path, body) {
      const answer = await send('POST', path, { body })
      if (answer.status !== 201 && answer.status !== 202)
        throw new Error(`POST ${path}: ${answer.status} ${answer.text}`)
      const { data } = answer.body
      const { id }: { id?: unknown } = Array.isArray(data) ? Object(data[0]) : answer.body
      if (typeof id !== 'string') throw new Error(`POST ${path}: there is no id in ${answer.text}`)
      return id
    },
    async list(path) {
      const { status, text, body } = await send('GET', path)
      if (status !== 200 || !Array.isArray(body.data)) throw new Error(`GET ${path}: ${status} ${text}`)
      return body.data
    },
  }
  return client
}

const agent = new Agent({ keepAlive: true })

/**
 * What `fetch` would do, and fails as it does, with a TypeError, if there is no answer. It is a third of the work of `fetch`, which
 * is more than the server has with most of the requests of tests.
 */
function exchange(
  method: string,
  url: string,
  headers: Record<string, string>,
  body: Buffer | undefined,
): Promise<Omit<Answer, 'body'>> {
  return new Promise((resolve, reject) => {
    const fail = (error: Error) => reject(new TypeError(`${method} ${url}: ${error.message}`, { cause: error }))
    // Its first event has to be enough.
    const isEndless = /^\/api\/v1\/(served-prompts\/)?events$/.test(new URL(url).pathname)
    const sent = request(url, { method, headers, agent }, (response) => {
      const pieces: Buffer[] = []
      response.on('data', (piece: Buffer) => {
        pieces.push(piece)
        if (isEndless && response.statusCode === 200) response.destroy()
      })
      response.on('error', fail)
      response.on(isEndless ? 'close' : 'end', () => {
        const { rawHeaders, statusCode = 0 } = response
        const received = new Headers()
        for (let place = 0; place < rawHeaders.length; place += 2)
          received.append(rawHeaders[place] ?? '', rawHeaders[place + 1] ?? '')
        resolve({ status: statusCode, headers: received, text: new TextDecoder().decode(Buffer.concat(pieces)) })
      })
    })
    sent.on('error', fail)
    sent.end(body)
  })
}

function readObject(text: string): Record<string, unknown> {
  if (text === '') return {}
  try {
    return { ...Object(JSON.parse(text)) }
  } catch {
    return {}
  }
}
