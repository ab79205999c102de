/** The endpoints under /api/auth, with which users sign in. */
import { AppError, unauthorized } from '../../base/errors.ts'
import { findActiveSession } from '../accounts/session-queries.ts'
import type { Origin } from '../audit/security-events.ts'
import type { AuthOptions, Endpoint } from './auth-endpoint.ts'
import { createEndpoints } from './auth-endpoints.ts'
import { json, readFields, readSessionToken } from './auth-requests.ts'

/** Browsers of other sites have been rejected. Never throws: every error becomes a response. `origin.address` is the client address, after trusted proxies. */
export type AuthHandler = { handle(request: Request, origin: Origin): Promise<Response> }

const PREFIX = '/api/auth/'

export function createAuthHandler(options: AuthOptions): AuthHandler {
  const { db, clock, log } = options
  const endpoints = createEndpoints(options)

  async function dispatch(request: Request, origin: Origin): Promise<Response> {
    const { pathname } = new URL(request.url)
    const endpoint = pathname.startsWith(PREFIX) ? endpoints.get(pathname.slice(PREFIX.length)) : undefined
    if (!endpoint) return json(404, { error: 'Not found' })
    if (request.method !== endpoint.method)
      return json(405, { error: 'Method not allowed' }, { allow: endpoint.method })
    const token = readSessionToken(request.headers, options)
    const session = token === undefined ? undefined : await findActiveSession(db.read, clock, token)
    if (endpoint.for === 'anyone') {
      return endpoint.run({ request, ...origin, token, session, fields: await fieldsOf(request, endpoint) })
    }
    if (!session) throw unauthorized('Sign in first')
    return endpoint.run({ request, ...origin, token, session, fields: await fieldsOf(request, endpoint) })
  }

  return {
    async handle(request, origin) {
      try {
        return await dispatch(request, origin)
      } catch (error) {
        if (error instanceof AppError) {
          if (error.status >= 500) log.error({ err: error, cause: error.cause }, error.message)
          return json(error.status, { error: error.message }, error.headers)
        }
        log.error({ err: error }, 'authentication request failed')
        return json(500, { error: 'Internal server error' })
      }
    },
  }
}

function fieldsOf(request: Request, { body }: Endpoint) {
  return body ? readFields(request, body) : {}
}
