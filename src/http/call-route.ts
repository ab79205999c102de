/**
 * Runs routes within the server, for a protocol whose requests are not those of the API. A call passes the same checks as a request:
 * rate, role, path parameters, query and body. Only the credentials are not checked again.
 */
import { Readable } from 'node:stream'
import { AppError } from '../base/errors.ts'
import { invariant } from '../base/invariant.ts'
import { JsonText } from '../base/json.ts'
import { PreparedBody } from './prepared-body.ts'
import type { CallOrigin, CallRoute, HttpResponse, Route, RouteCall, RouteInput } from './route.ts'
import { dbOf, type RouteServices } from './serve-route.ts'
import { inputCheck } from './validation.ts'

const NEVER_ABORTED = new AbortController().signal
/** Of a response that is read into memory as a whole. */
const RESPONSE_BYTES_MAX = 32 << 20

export function createRouteCaller(routes: readonly Route[], services: RouteServices): CallRoute {
  const byName = new Map(routes.map((route) => [`${route.method} ${route.path}`, route]))
  const checks = new Map<Route, ReturnType<typeof inputCheck>>()

  /** Compiled on first use: most routes are never called within the server. */
  function checkOf(route: Route): ReturnType<typeof inputCheck> {
    const check = checks.get(route) ?? inputCheck(route)
    checks.set(route, check)
    return check
  }

  function inputOf(route: Route, origin: CallOrigin, { params = {}, query = {}, body }: RouteCall) {
    const { principal, requestId, address } = origin
    const signal = route.isCancellable ? origin.signal : NEVER_ABORTED
    const checked = checkOf(route)({ params, query, body })
    const { context, newId } = services
    const db = dbOf(context.db, principal, checked.page)
    return { ...context, db, newId, requestId, address, signal, caller: principal, principal, ...checked }
  }

  return async (name, origin, call) => {
    const route = byName.get(name)
    invariant(route && 'workspace' in route.access && route.access.workspace === 'header', `${name} must be a route`)
    invariant(!route.streams && !route.upload, `${name} must take and return JSON`)
    const { principal } = origin
    services.limits.countRequest(principal)
    requireRole(services, { route, name }, origin)
    const input = inputOf(route, origin, call)
    const prepared = route.prepare ? await route.prepare(input) : undefined
    const given: RouteInput = { ...input, prepared }
    return readJson(await route.handle(given))
  }
}

/** A denial is recorded as that of a request. */
function requireRole(
  { authenticator, onDenied }: RouteServices,
  { route, name }: { route: Route; name: string },
  { principal, address, requestId, headers }: CallOrigin,
): void {
  try {
    authenticator.requireRole(principal, route.access)
  } catch (error) {
    if (error instanceof AppError) {
      const { authorization, 'user-agent': userAgent } = headers
      onDenied({ error, caller: principal, target: name, authorization, userAgent, address, requestId })
    }
    throw error
  }
}

async function readJson({ body }: HttpResponse): Promise<Record<string, unknown>> {
  if (body instanceof Readable) return Object(JSON.parse(await readText(body)))
  if (body instanceof PreparedBody) return Object(JSON.parse(body.bytes.toString()))
  if (body instanceof JsonText) return Object(JSON.parse(body.text))
  // As a client would get it: without undefined values, and with dates as text.
  return body === undefined ? {} : Object(JSON.parse(JSON.stringify(body)))
}

async function readText(stream: Readable): Promise<string> {
  let text = ''
  for await (const piece of stream) {
    text += piece
    if (text.length > RESPONSE_BYTES_MAX) throw new AppError(413, 'The response is too large to be read as a whole')
  }
  return text
}
