/** Requests that the client has no method for: `api`, traces of OpenTelemetry, the checks of `doctor`. */
import { type ApiError, apiErrorOf, ConnectionError } from 'touchstone-sdk/client'
import type { OpenedSettings } from './open-settings.ts'

export interface RawRequest {
  method: string
  /** Absolute, as on the server: `/api/v1/…`. */
  path: string
  body?: string | Uint8Array | undefined
  contentType?: string
  apiKey?: string
  signal: AbortSignal
}

export async function sendRaw({ settings, send }: OpenedSettings, request: RawRequest): Promise<Response> {
  const { method, path, body, contentType = 'application/json', apiKey, signal } = request
  const headers = new Headers()
  if (apiKey !== undefined) headers.set('authorization', `Bearer ${apiKey}`)
  if (body !== undefined) headers.set('content-type', contentType)
  try {
    // A key must not follow a redirect to another server.
    return await send(`${settings.url}${path}`, {
      method,
      headers,
      signal,
      redirect: 'error',
      ...(body !== undefined && { body }),
    })
  } catch (error) {
    signal.throwIfAborted()
    const cause = error instanceof Error && error.cause instanceof Error ? error.cause.message : 'the request failed'
    throw new ConnectionError(`No response from ${settings.url}: ${cause}`)
  }
}

/** The error that the client would throw for this response. */
export async function errorOf(response: Response): Promise<ApiError> {
  const { status, headers } = response
  const body: unknown = await response.json().catch(() => undefined)
  const isError = typeof body === 'object' && body !== null && 'error' in body && typeof body.error === 'string'
  const message = isError ? String(body.error) : `The server responded with status ${status}.`
  return apiErrorOf(message, { status, requestId: headers.get('x-request-id') ?? undefined, retryAfter: undefined })
}
