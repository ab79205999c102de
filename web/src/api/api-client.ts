import { ApiError } from './api-error.ts'

export interface ApiCall {
  method?: 'GET' | 'POST' | 'PATCH' | 'DELETE'
  path: string
  /** Sessions send their application in a header, so that two tabs can use two applications. */
  applicationId?: string
  body?: unknown
  signal?: AbortSignal
}

/**
 * Returns the JSON of a successful response; throws `ApiError` otherwise. The body is trusted to have the documented
 * shape: it comes from the same origin and release, and the server's tests check it against the description of these
 * types.
 */
export async function requestJson<Body>(call: ApiCall): Promise<Body> {
  const response = await send(call)
  return response.json()
}

/** For responses without a body. */
export async function requestNothing(call: ApiCall): Promise<void> {
  await send(call)
}

async function send(call: ApiCall): Promise<Response> {
  const response = await fetchOrExplain(call)
  if (response.ok) return response
  throw new ApiError(await readErrorMessage(response), {
    status: response.status,
    requestId: response.headers.get('X-Request-Id') ?? undefined,
    retryAfterSeconds: readRetryAfter(response.headers.get('Retry-After')),
  })
}

async function fetchOrExplain(call: ApiCall): Promise<Response> {
  const headers = new Headers({ Accept: 'application/json' })
  if (call.applicationId) headers.set('X-AI-Application-Id', call.applicationId)
  if (call.body !== undefined) headers.set('Content-Type', 'application/json')
  try {
    return await fetch(call.path, {
      method: call.method ?? 'GET',
      headers,
      body: call.body === undefined ? null : JSON.stringify(call.body),
      signal: call.signal ?? null,
    })
  } catch (error) {
    if (call.signal?.aborted) throw error
    const message = 'The server did not answer. Check that it is running and reachable, then try again.'
    throw new ApiError(message, { status: 0, cause: error })
  }
}

async function readErrorMessage(response: Response): Promise<string> {
  // A proxy in between may respond with HTML; only the status is then useful.
  const body: unknown = await response.json().catch(() => undefined)
  if (typeof body === 'object' && body !== null && 'error' in body && typeof body.error === 'string') return body.error
  return `The server answered with status ${response.status}.`
}

function readRetryAfter(header: string | null): number | undefined {
  if (header === null) return undefined
  const seconds = /^\d+$/.test(header) ? Number(header) : (Date.parse(header) - Date.now()) / 1000
  return Number.isFinite(seconds) ? Math.max(0, Math.ceil(seconds)) : undefined
}
