import type { ClientSettings } from './client-options.ts'
import { acceptsIdempotencyKey, isTransientStatus, readRetryAfter, retryDelayMs } from './retry-policy.ts'
import { type ApiError, apiErrorOf, ConnectionError, ResponseError, TimeoutError } from './sdk-errors.ts'
import { SDK_VERSION } from './sdk-version.ts'
import { sleep } from './sleep.ts'

/** Options that every call accepts. */
export interface CallOptions {
  signal?: AbortSignal | undefined
  timeoutMs?: number | undefined
  maxRetries?: number | undefined
  /** Of a POST: repeating it with the same key does its work once. The client creates one for every POST that has none. */
  idempotencyKey?: string | undefined
  headers?: Record<string, string> | undefined
}

export interface HttpRequest extends CallOptions {
  method: string
  /** As in the description of the API, for example `/components/{componentId}`. */
  path: string
  params?: Record<string, unknown> | undefined
  query?: Record<string, unknown> | undefined
  body?: unknown
}

export interface HttpSender {
  baseUrl: string
  /** Resolves with a successful response whose body was read, as JSON or as text. */
  send(request: HttpRequest): Promise<{ body: unknown; headers: Headers }>
  /** Resolves with a successful response whose body was not read. The timeout ends with its headers. */
  open(request: HttpRequest): Promise<Response>
}

/** Waiting and chance, so that tests need neither. */
export interface Pauses {
  sleep(ms: number, signal: AbortSignal | undefined): Promise<void>
  random(): number
}

/** Sends requests with the key, and again after transient failures. The key stays in this closure: no object has it as a property. */
export function createHttpSender(
  settings: ClientSettings,
  pauses: Pauses = { sleep, random: Math.random },
): HttpSender {
  const { apiKey, baseUrl } = settings
  const redact = (text: string) => text.replaceAll(apiKey, '[API key]')

  async function withRetries<Result>(request: HttpRequest, read: (response: Response) => Promise<Result>) {
    const key = request.idempotencyKey ?? newIdempotencyKey(request)
    // Outside of the attempts: an invalid argument is the caller's error and no failure of the connection.
    const url = urlOf(baseUrl, request)
    const init = { method: request.method, headers: headersOf(request, key), ...bodyOf(request) }
    const maxRetries = request.maxRetries ?? settings.maxRetries
    for (let attempt = 0; ; attempt++) {
      const outcome = await attemptOnce({ url, init, request }, read)
      if ('result' in outcome) return outcome.result
      const { error } = outcome
      const isRepeatable = request.method !== 'POST' || key !== undefined
      const delayMs = retryDelayMs(attempt, 'status' in error ? error.retryAfter : undefined, pauses.random)
      if (attempt >= maxRetries || !isRepeatable || !isTransient(error) || delayMs === undefined) throw error
      await pauses.sleep(delayMs, request.signal)
    }
  }

  async function attemptOnce<Result>(
    { url, init, request }: { url: string; init: RequestInit; request: HttpRequest },
    read: (response: Response) => Promise<Result>,
  ): Promise<{ result: Result } | { error: ApiError | ConnectionError | ResponseError }> {
    const timeoutMs = request.timeoutMs ?? settings.timeoutMs
    const limit = startTimeLimit(timeoutMs, request.signal)
    try {
      // A key must not follow a redirect to another server, and a POST must not become a GET.
      const response = await settings.fetch(url, { ...init, signal: limit.signal, redirect: 'error' })
      // Only a request with `If-None-Match` gets 304, and expects it.
      if (!response.ok && response.status !== 304) return { error: await readError(response) }
      return { result: await read(response) }
    } catch (error) {
      request.signal?.throwIfAborted()
      if (error instanceof SyntaxError) return { error: new ResponseError(`The response of ${baseUrl} is not JSON.`) }
      if (limit.isExceeded()) return { error: new TimeoutError(`No response within ${timeoutMs} ms.`) }
      return { error: new ConnectionError(`No response from ${baseUrl}: ${redact(describeFailure(error))}`) }
    } finally {
      limit.end()
    }
  }

  function headersOf({ body, headers }: HttpRequest, idempotencyKey: string | undefined): Headers {
    const all = new Headers({ accept: 'application/json', 'user-agent': `touchstone-sdk-typescript/${SDK_VERSION}` })
    if (body !== undefined) all.set('content-type', 'application/json')
    if (idempotencyKey !== undefined) all.set('idempotency-key', idempotencyKey)
    for (const [name, value] of Object.entries({ ...settings.headers, ...headers })) all.set(name, value)
    all.set('authorization', `Bearer ${apiKey}`)
    return all
  }

  async function readError(response: Response): Promise<ApiError> {
    return apiErrorOf(redact(await readErrorMessage(response)), {
      status: response.status,
      requestId: response.headers.get('x-request-id') ?? undefined,
      retryAfter: readRetryAfter(response.headers.get('retry-after'), Date.now()),
    })
  }

  return {
    baseUrl,
    send: (request) =>
      withRetries(request, async (response) => ({ body: await readBody(response), headers: response.headers })),
    open: (request) => withRetries(request, async (response) => response),
  }
}

function newIdempotencyKey({ method, path }: HttpRequest): string | undefined {
  return acceptsIdempotencyKey(method, path) ? globalThis.crypto.randomUUID() : undefined
}

function isTransient(error: ApiError | ConnectionError | ResponseError): boolean {
  if (!('status' in error)) return error instanceof ConnectionError
  if (isTransientStatus(error.status)) return true
  // An attempt whose response was lost is still being handled.
  return error.status === 409 && error.message.includes('Idempotency-Key')
}

function urlOf(baseUrl: string, { path, params = {}, query = {} }: HttpRequest): string {
  const filled = path.replace(/\{(\w+)\}/g, (_, name: string) => encodeURIComponent(pathValue(name, params[name])))
  const search = new URLSearchParams()
  for (const [name, value] of Object.entries(query)) {
    if (value !== undefined) search.append(name, String(value))
  }
  return `${baseUrl}/api/v1${filled}${search.size > 0 ? `?${search}` : ''}`
}

/** Rejects what would address another resource: an empty id is the list, and `..` the level above. */
function pathValue(name: string, value: unknown): string {
  const text = value === undefined || value === null ? '' : String(value)
  if (text === '' || text === '.' || text === '..') throw new TypeError(`${name} must be an id.`)
  return text
}

/** With a content type of its own, a text is sent as it is. */
function bodyOf({ body, headers = {} }: HttpRequest): { body?: string } {
  if (body === undefined) return {}
  const isRaw = Object.keys(headers).some((name) => name.toLowerCase() === 'content-type')
  if (isRaw && typeof body === 'string') return { body }
  return { body: JSON.stringify(body) }
}

async function readBody(response: Response): Promise<unknown> {
  if (response.status === 204 || response.status === 304) return undefined
  // Not every type that begins so: `application/jsonl` is text.
  const isJson = /^application\/json(;|$)/.test(response.headers.get('content-type') ?? '')
  return isJson ? response.json() : response.text()
}

async function readErrorMessage(response: Response): Promise<string> {
  // A proxy in between may respond with HTML; only the status is then useful.
  const body: unknown = await response.json().catch(() => undefined)
  if (typeof body === 'object' && body !== null && 'error' in body && typeof body.error === 'string') return body.error
  return `The server responded with status ${response.status}.`
}

/** `fetch` hides the reason in the cause. Only texts are read: the error object itself may contain the headers. */
function describeFailure(error: unknown): string {
  if (!(error instanceof Error)) return 'the request failed'
  const { cause } = error
  if (!(cause instanceof Error)) return error.message
  return cause.message || ('code' in cause ? String(cause.code) : error.message)
}

interface TimeLimit {
  signal: AbortSignal
  isExceeded(): boolean
  end(): void
}

/** Not `AbortSignal.any`: in Node 20 a signal that lives long keeps everything that was combined with it. */
function startTimeLimit(timeoutMs: number, signal: AbortSignal | undefined): TimeLimit {
  const controller = new AbortController()
  let isExceeded = false
  const timer = setTimeout(() => {
    isExceeded = true
    controller.abort()
  }, timeoutMs)
  const abort = () => controller.abort(signal?.reason)
  if (signal?.aborted) abort()
  signal?.addEventListener('abort', abort)
  return {
    signal: controller.signal,
    isExceeded: () => isExceeded,
    end() {
      clearTimeout(timer)
      signal?.removeEventListener('abort', abort)
    },
  }
}
