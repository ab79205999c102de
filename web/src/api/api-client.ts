import createClient from 'openapi-fetch'
import { ApiError } from './api-error.ts'
import type { paths } from './generated/api.ts'
import { checkServer } from './server-connection.ts'

/**
 * The client of the described API. Bodies are trusted to have the described shape: they come from the same origin and release, and the
 * server's tests check them against the description.
 */
export const api = createClient<paths>({
  baseUrl: '/api/v1',
  headers: { Accept: 'application/json' },
  fetch: fetchOrThrow,
})

/** Sessions send their application in a header, so that two tabs can use two applications. */
export function inApplication(applicationId: string) {
  return { headers: { 'X-AI-Application-Id': applicationId } }
}

/** The body of a response; undefined if it has none. Failed responses have been thrown before. */
export async function dataOf<Data>(response: Promise<{ data?: Data }>): Promise<Data> {
  const { data } = await response
  // The type of a response includes failed ones, which have no data.
  return data as Data
}

/** Throws `ApiError` for every response that is not successful, and for none. */
export async function fetchOrThrow(request: Request): Promise<Response> {
  const response = await fetchOrExplain(request)
  if (response.ok) return response
  // As proxies respond in place of a server that is away.
  if (response.status >= 502 && response.status <= 504) void checkServer()
  throw new ApiError(await readErrorMessage(response), {
    status: response.status,
    requestId: response.headers.get('X-Request-Id') ?? undefined,
    retryAfterSeconds: readRetryAfter(response.headers.get('Retry-After')),
  })
}

async function fetchOrExplain(request: Request): Promise<Response> {
  try {
    return await fetch(request)
  } catch (error) {
    if (request.signal.aborted) throw error
    void checkServer()
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
