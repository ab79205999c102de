import { fetchOrThrow } from './api-client.ts'

/** Calls the authentication library, which has its own paths (/api/auth) and is not part of the API description. */
export async function requestAuth<Body>(path: string, options: AuthRequest = {}): Promise<Body> {
  const headers = new Headers({ Accept: 'application/json' })
  if (options.body) headers.set('Content-Type', 'application/json')
  const request = new Request(`/api/auth${path}`, {
    method: options.body ? 'POST' : 'GET',
    headers,
    body: options.body ? JSON.stringify(options.body) : null,
    signal: options.signal ?? null,
  })
  const response = await fetchOrThrow(request)
  return response.json()
}

interface AuthRequest {
  /** Sent by POST; without a body, the request is a GET. */
  body?: object
  signal?: AbortSignal
}
