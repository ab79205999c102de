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
  /** Sends a POST that must succeed and answers its body's id. */
  create(path: string, body: unknown): Promise<string>
  /** The `data` of a list that must succeed. */
  list(path: string): Promise<Record<string, unknown>[]>
}

/** Talks to a server over HTTP. Every answer is checked against the published description, in every test. */
export function createClient(url: string, credentials: Record<string, string>): Client {
  async function send(method: string, path: string, { body, headers = {} }: Sent = {}): Promise<Answer> {
    const fullPath = /^\/(api\/|health|ready|v1\/)/.test(path) ? path : `/api/v1${path}`
    const isRaw = typeof body === 'string' || body instanceof Uint8Array
    const response = await fetch(`${url}${fullPath}`, {
      method,
      headers: { ...credentials, ...(body === undefined ? {} : { 'content-type': 'application/json' }), ...headers },
      ...(body === undefined ? {} : { body: isRaw ? new Blob([body]) : JSON.stringify(body) }),
      redirect: 'manual',
    })
    const text = await response.text()
    const answer = { status: response.status, headers: response.headers, text, body: readObject(text) }
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
      return String(answer.body.id)
    },
    async list(path) {
      const { status, text, body } = await send('GET', path)
      if (status !== 200 || !Array.isArray(body.data)) throw new Error(`GET ${path}: ${status} ${text}`)
      return body.data
    },
  }
  return client
}

function readObject(text: string): Record<string, unknown> {
  if (text === '') return {}
  try {
    return { ...Object(JSON.parse(text)) }
  } catch {
    return {}
  }
}
