import type { FastifyRequest } from 'fastify'
import { AppError } from '../base/errors.ts'
import type { ClientRequest } from './client-address.ts'
import { rejectForeignBrowser } from './csrf.ts'
import { ANONYMOUS_BODY_BYTES_MAX, type Bodies, type Receiving, readBytes, reserveBody } from './request-body.ts'
import type { HttpResponse } from './route.ts'
import type { Mount } from './server-options.ts'

const METHODS: Mount['methods'] = ['GET', 'POST', 'PUT', 'PATCH', 'DELETE']

/** Handles web-standard requests, as the endpoints of `src/auth` do. */
export type FetchHandler = {
  handle(request: Request, origin: { address: string; requestId: string }): Promise<Response>
}

/** Mounts the endpoints with which users sign in. */
export function authMount(handler: FetchHandler, bodies: Bodies): Mount {
  return {
    path: '/api/auth/*',
    methods: METHODS,
    reason: 'callers have no credentials before they sign in; its endpoints check them where they are needed',
    async serve(request, client) {
      if (request.method !== 'GET' && request.method !== 'HEAD') rejectForeignBrowser(request.raw.headers, client.host)
      const { address, place } = client
      const reservation = reserveBody(bodies, request.raw, { address })
      try {
        const origin = { address, requestId: request.id }
        const response = await handler.handle(
          await toWebRequest(request, client, reservation && { reservation, place }),
          origin,
        )
        return await toHttpResponse(response, client)
      } finally {
        reservation?.release()
      }
    },
  }
}

async function toWebRequest(
  request: FastifyRequest,
  { scheme = 'http', host }: ClientRequest,
  receiving: Receiving | undefined,
): Promise<Request> {
  const { raw, method } = request
  const headers = new Headers()
  for (const [name, values] of Object.entries(raw.headersDistinct))
    for (const value of values ?? []) headers.append(name, value)
  const url = URL.parse(`${scheme}://${host}${raw.url}`)
  if (!url) throw new AppError(400, 'Malformed URL')
  if (method === 'GET' || method === 'HEAD') return new Request(url, { method, headers })
  const body = receiving ? await readBytes(raw, receiving, ANONYMOUS_BODY_BYTES_MAX) : Buffer.alloc(0)
  return new Request(url, { method, headers, body })
}

async function toHttpResponse(response: Response, { scheme }: ClientRequest): Promise<HttpResponse> {
  const headers: Record<string, string | string[]> = Object.fromEntries(response.headers)
  const cookies = response.headers.getSetCookie()
  if (cookies.length > 0) headers['set-cookie'] = scheme === 'https' ? cookies.map(withSecureFlag) : cookies
  // The server sets the length of the bytes that it sends.
  delete headers['content-length']
  return {
    status: response.status,
    headers: { 'cache-control': 'no-store', ...headers },
    body: Buffer.from(await response.arrayBuffer()),
  }
}

/** A cookie set over HTTPS must not be sent over HTTP later, even if the public URL is not HTTPS. */
function withSecureFlag(cookie: string): string {
  return /;\s*secure/i.test(cookie) ? cookie : `${cookie}; Secure`
}
