/** The steps that process a request to a route, in a fixed order. */
import type { Socket } from 'node:net'
import { Readable } from 'node:stream'
import type { FastifyRequest } from 'fastify'
import type { BodyReservation } from '../base/body-budget.ts'
import { AppError } from '../base/errors.ts'
import type { NewId } from '../base/ids.ts'
import type { Caller, Principal } from '../base/principal.ts'
import type { ClientRequest } from './client-address.ts'
import { rejectCrossSite, rejectForeignBrowser } from './csrf.ts'
import { EVENT_STREAM } from './event-stream.ts'
import { pageHeaders } from './paging.ts'
import { ANONYMOUS_BODY_BYTES_MAX, type Bodies, readJsonBody, readUpload, reserveBody } from './request-body.ts'
import type {
  Access,
  Authenticator,
  Context,
  Credentials,
  Denial,
  HttpResponse,
  PrepareContext,
  Route,
  RouteInput,
} from './route.ts'
import { inputCheck } from './validation.ts'

export type Serve = (request: FastifyRequest, client: ClientRequest) => Promise<HttpResponse>

export type WithIdempotency = (
  request: { key: string; route: Route; principal: Caller | Principal; target: string; body: unknown; query: unknown },
  db: PrepareContext['db'],
  work: {
    /** Undefined if the route has nothing to prepare. */
    prepare: (() => Promise<unknown>) | undefined
    handle(db: Context['db'], prepared: unknown): Promise<HttpResponse>
  },
) => Promise<HttpResponse>

export type RouteServices = {
  authenticator: Authenticator
  onDenied(denial: Denial): void
  withIdempotency: WithIdempotency
  context: Pick<PrepareContext, 'db' | 'clock'>
  newId: NewId
  bodyBytesMax: number
  bodies: Bodies
  limits: CallerLimits
}

/** Injected, as authentication is. Each method throws 429. */
type CallerLimits = {
  /** Counts a call of a route within a request; authentication counts the request itself. */
  countRequest(caller: Caller): void
  /** Counts a write request that needs no credentials. */
  countAnonymous(address: string): void
  /** Counts an event stream; returns the function to call when it ends. */
  openStream(caller: Caller): () => void
}

/** Compiles a route declaration into the function that serves it. */
export function serveRoute(route: Route, options: RouteServices): Serve {
  const checkInput = inputCheck(route)
  const { access } = route
  const identifyAgain = async (
    { request, address }: Pick<AuthenticatedRequest, 'request' | 'address'>,
    params: Record<string, unknown> | undefined,
  ) => {
    const caller = await options.authenticator.identify(access, credentialsOf(request, address))
    await principalOf(access, caller, params, options.authenticator)
  }
  const target = `${route.method} ${route.path}`
  const anonymousBytesMax = Math.min(options.bodyBytesMax, ANONYMOUS_BODY_BYTES_MAX)
  const isEventStream = route.streams?.includes(EVENT_STREAM) ?? false
  const handle = (input: RouteInput) =>
    isEventStream && input.caller ? handleStream(route, input, input.caller, options.limits) : route.handle(input)

  return async (request, client) => {
    const identity: RequestIdentity = {}
    const { raw } = request
    const { address } = client
    try {
      const params: Record<string, unknown> = Object(request.params)
      // A path with a trailing slash would match with an empty id.
      if (Object.values(params).includes('')) throw new AppError(404, 'Not found')
      const caller =
        access.auth === 'none'
          ? undefined
          : await options.authenticator.identify(access, credentialsOf(request, address))
      if (caller) identity.caller = caller
      if (caller?.credential === 'cookie' && route.method !== 'GET') rejectCrossSite(raw.headers, client.host)
      else if (route.servesProtocol) rejectForeignBrowser(raw.headers, client.host)
      if (!caller && route.method !== 'GET') options.limits.countAnonymous(address)
      const reservation = reserveBody(options.bodies, { raw, address, caller })
      try {
        return await serve({ request, address, params, caller, identity, reservation })
      } finally {
        reservation?.release()
      }
    } catch (error) {
      if (error instanceof AppError && (error.status === 401 || error.status === 403)) {
        const { authorization, 'user-agent': userAgent } = request.headers
        const origin = { authorization, userAgent, address, requestId: request.id }
        options.onDenied({ error, caller: identity.caller, target, ...origin })
      }
      throw error
    }
  }

  async function serve({
    request,
    address,
    params,
    caller,
    identity,
    reservation,
  }: AuthenticatedRequest): Promise<HttpResponse> {
    const { raw } = request
    const upload = route.upload ? await readUpload(raw, reservation, route.upload) : undefined
    const bytesMax = caller ? options.bodyBytesMax : anonymousBytesMax
    const sent = !upload && reservation ? await readJsonBody(raw, reservation, bytesMax) : undefined
    const checked = checkInput({ params, query: Object(request.query), body: sent })
    const checkedParams: Record<string, unknown> | undefined = checked.params && Object(checked.params)
    const input: RouteInput & Pick<PrepareContext, 'db'> = {
      ...options.context,
      newId: options.newId,
      requestId: request.id,
      address,
      signal: NEVER_ABORTED,
      ...checked,
    }
    if (route.servesProtocol) input.headers = raw.headers
    if (upload) input.upload = upload
    if (caller) input.caller = caller
    const principal = await principalOf(access, caller, checkedParams, options.authenticator)
    if (principal) {
      identity.caller = principal
      input.principal = principal
      input.isStillAllowed = () => isAccepted(() => identifyAgain({ request, address }, checkedParams))
    }
    const key = request.headers['idempotency-key']
    const { prepare } = route
    const withPages = (response: HttpResponse): HttpResponse => {
      if (response.extent === undefined) return response
      return { ...response, headers: { ...response.headers, ...pageHeaders(request.url, input.page, response.extent) } }
    }
    if (route.isCancellable) {
      return withPages(await withAbortOnClose(raw.socket, (signal) => route.handle({ ...input, signal })))
    }
    if (key === undefined || route.method !== 'POST' || !caller) {
      if (prepare) input.prepared = await prepare(input)
      return withPages(await handle(input))
    }
    const idempotent = {
      key: String(key),
      route,
      principal: principal ?? caller,
      target: targetOf(route, checkedParams),
      body: upload ? upload.bytes.toString('base64') : checked.body,
      query: input.query,
    }
    return options.withIdempotency(idempotent, input.db, {
      prepare: prepare && (() => prepare(input)),
      handle: (db, prepared) => route.handle({ ...input, db, prepared }),
    })
  }
}

const NEVER_ABORTED = new AbortController().signal

/** Removes the listener afterwards, because the connection may serve other requests. */
async function withAbortOnClose<Result>(
  socket: Socket,
  work: (signal: AbortSignal) => Promise<Result>,
): Promise<Result> {
  const closed = new AbortController()
  const abort = () => closed.abort()
  socket.once('close', abort)
  // A client that left during authentication: its socket does not report that again.
  if (socket.destroyed) abort()
  try {
    return await work(closed.signal)
  } finally {
    socket.off('close', abort)
  }
}

/** The caller, as far as identified, for the log of denied requests. */
type RequestIdentity = { caller?: Caller | Principal }

/** A request after authentication. `reservation` is undefined if it has no body. */
type AuthenticatedRequest = {
  request: FastifyRequest
  address: string
  identity: RequestIdentity
  params: Record<string, unknown>
  caller: Caller | Principal | undefined
  reservation: BodyReservation | undefined
}

/** Each open stream queries the database several times a second, so their number per caller is limited. */
async function handleStream(
  route: Route,
  input: RouteInput,
  caller: Caller,
  limits: CallerLimits,
): Promise<HttpResponse> {
  const close = limits.openStream(caller)
  try {
    const response = await route.handle(input)
    if (response.body instanceof Readable) response.body.once('close', close)
    else close()
    return response
  } catch (error) {
    close()
    throw error
  }
}

/** The path with validated ids, so that different spellings of a URL are the same request. */
function targetOf({ path }: Route, params: Record<string, unknown> = {}): string {
  return path.replace(/:([A-Za-z]+)/g, (_, name: string) => String(params[name]))
}

/** Database errors and rate limits do not revoke access. */
async function isAccepted(identify: () => Promise<void>): Promise<boolean> {
  try {
    await identify()
    return true
  } catch (error) {
    return !(error instanceof AppError && error.status < 500 && error.status !== 429)
  }
}

async function principalOf(
  access: Access,
  caller: Caller | Principal | undefined,
  params: Record<string, unknown> | undefined,
  authenticator: Authenticator,
): Promise<Principal | undefined> {
  if (!caller || !('workspace' in access)) return undefined
  if ('workspaceId' in caller) return caller
  return authenticator.authorize(caller, access, String(params?.workspaceId))
}

/** The only reader of credentials. Node joins a repeated header with commas, so it matches nothing. */
function credentialsOf(request: FastifyRequest, address: string): Credentials {
  const { headers, raw } = request
  const isRepeated = countHeader(raw.rawHeaders, 'authorization') > 1
  const applicationId = headers['x-ai-application-id'] ?? headers['x-workspace-id']
  return {
    authorization: isRepeated ? '' : headers.authorization,
    cookie: headers.cookie,
    address,
    applicationId: typeof applicationId === 'string' ? applicationId : undefined,
  }
}

/** Node keeps only the first of some repeated headers. `headersDistinct` has all of them, but it processes every header. */
function countHeader(rawHeaders: string[], name: string): number {
  let count = 0
  for (let at = 0; at < rawHeaders.length; at += 2) {
    const given = rawHeaders[at]
    if (given?.length === name.length && given.toLowerCase() === name) count += 1
  }
  return count
}
