/** The steps that process a request to a route, in a fixed order. */
import type { IncomingMessage } from 'node:http'
import type { Socket } from 'node:net'
import { Readable } from 'node:stream'
import type { FastifyRequest } from 'fastify'
import type { BodyReservation } from '../base/body-budget.ts'
import { AppError } from '../base/errors.ts'
import type { NewId } from '../base/ids.ts'
import type { Page } from '../base/page.ts'
import type { Caller, Principal } from '../base/principal.ts'
import { type ClientRequest, countHeader } from './client-address.ts'
import { rejectCrossSite, rejectForeignBrowser } from './csrf.ts'
import type { Place } from './fair-share.ts'
import { pageHeaders } from './paging.ts'
import { ANONYMOUS_BODY_BYTES_MAX, type Bodies, readJsonBody, readUpload, reserveBody } from './request-body.ts'
import {
  type Authenticator,
  type Context,
  type Credentials,
  type Denial,
  type HttpResponse,
  type PrepareContext,
  type Route,
  type RouteInput,
  streamsEvents,
} from './route.ts'
import { inputCheck } from './validation.ts'

/** Who sends a request, as far as its headers show, and its place among those in progress. */
type Sender = ClientRequest & { credentials: Credentials; place: Place }

export type Serve = (request: FastifyRequest, sender: Sender) => Promise<HttpResponse>

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
  /** Counts a request that needs no credentials. */
  countAnonymous(address: string): void
  /** Counts an event stream; returns the function to call when it ends. */
  openStream(caller: Caller): () => void
}

/** Compiles a route declaration into the function that serves it. */
export function serveRoute(route: Route, options: RouteServices): Serve {
  const { access, method, prepare } = route
  const { authenticator, limits } = options
  const checkInput = inputCheck(route)
  const anonymousBytesMax = Math.min(options.bodyBytesMax, ANONYMOUS_BODY_BYTES_MAX)
  const isEventStream = streamsEvents(route)
  const ignoresKey = method !== 'POST' || route.isRepeatable || isEventStream

  return async (request, sender) => {
    const received: ReceivedRequest = { request, sender, caller: undefined }
    try {
      await authenticate(received)
      const reservation = reserveBody(options.bodies, request.raw, { ...sender, caller: received.caller })
      try {
        return await serve(received, reservation)
      } finally {
        reservation?.release()
      }
    } catch (error) {
      if (error instanceof AppError && (error.status === 401 || error.status === 403)) reportDenial(received, error)
      throw error
    }
  }

  async function authenticate(received: ReceivedRequest): Promise<void> {
    const { request, sender } = received
    const { address, host, credentials } = sender
    // A path with a trailing slash would match with an empty id.
    if (Object.values(Object(request.params)).includes('')) throw new AppError(404, 'Not found')
    if (access.auth !== 'none') received.caller = await authenticator.identify(access, credentials)
    const { caller } = received
    if (caller?.credential === 'cookie' && method !== 'GET') rejectCrossSite(request.headers, host)
    else if (route.servesProtocol) rejectForeignBrowser(request.headers, host)
    if (!caller) limits.countAnonymous(address)
  }

  async function serve(received: ReceivedRequest, reservation: BodyReservation | undefined): Promise<HttpResponse> {
    const { request, sender, caller } = received
    const { address, place } = sender
    const upload = route.upload && (await readUpload(request.raw, { reservation, place }, route.upload))
    const bodyBytesMax = caller ? options.bodyBytesMax : anonymousBytesMax
    const { servesProtocol = false } = route
    const reading = { bodyBytesMax, servesProtocol }
    const body = !upload && reservation ? await readJsonBody(request.raw, { reservation, place }, reading) : undefined
    const checked = checkInput({ params: Object(request.params), query: Object(request.query), body })
    const principal = caller && (await principalOf(caller, checked.params))
    if (principal) received.caller = principal
    const response = await respond(request, {
      ...options.context,
      newId: options.newId,
      requestId: request.id,
      address,
      signal: NEVER_ABORTED,
      ...checked,
      ...(caller && { caller }),
      ...(principal &&
        (method !== 'GET' || checked.page.offset > NEAR_OFFSET_MAX) && {
          db: dbOf(options.context.db, principal, checked.page),
        }),
      ...(principal && { principal, isStillAllowed: () => isStillAllowed(received, checked.params) }),
      ...(upload && { upload }),
      ...(route.servesProtocol && { headers: request.headers }),
    })
    if (response.extent === undefined) return response
    const links = pageHeaders(request.url, checked.page, response.extent)
    return { ...response, headers: { ...response.headers, ...links } }
  }

  async function respond(
    { headers, raw }: FastifyRequest,
    input: RouteInput & Pick<PrepareContext, 'db'>,
  ): Promise<HttpResponse> {
    const { caller } = input
    if (route.isCancellable) return withAbortOnClose(raw.socket, (signal) => route.handle({ ...input, signal }))
    const key = headers['idempotency-key']
    if (key === undefined || ignoresKey || !caller) {
      if (prepare) input.prepared = await prepare(input)
      return isEventStream && caller ? handleStream(route, input, caller, limits) : route.handle(input)
    }
    const idempotent = {
      key: String(key),
      route,
      principal: input.principal ?? caller,
      target: targetOf(route, input.params),
      body: input.upload ? input.upload.bytes.toString('base64') : input.body,
      query: input.query,
    }
    return options.withIdempotency(idempotent, input.db, {
      prepare: prepare && (() => prepare(input)),
      handle: (db, prepared) => route.handle({ ...input, db, prepared }),
    })
  }

  async function principalOf(caller: Caller | Principal, params: unknown): Promise<Principal | undefined> {
    if (!('workspace' in access)) return undefined
    if ('workspaceId' in caller) return caller
    return authenticator.authorize(caller, access, String(Object(params).workspaceId))
  }

  /** Database errors and rate limits do not revoke access. */
  async function isStillAllowed(received: ReceivedRequest, params: unknown): Promise<boolean> {
    try {
      await principalOf(await authenticator.identify(access, received.sender.credentials), params)
      return true
    } catch (error) {
      return !(error instanceof AppError && error.status < 500 && error.status !== 429)
    }
  }

  function reportDenial({ request, sender: { address }, caller }: ReceivedRequest, error: AppError): void {
    const { authorization, 'user-agent': userAgent } = request.headers
    const target = `${method} ${route.path}`
    options.onDenied({ error, caller, target, authorization, userAgent, address, requestId: request.id })
  }
}

/** The database passes over the rows before a page: as many as the main thread may read between two requests of others. */
const NEAR_OFFSET_MAX = 5_000

/** Writes take turns by application, and so do reads of a page that is far from the start of a list. */
export function dbOf(db: PrepareContext['db'], { workspaceId }: Principal, { offset }: Page): PrepareContext['db'] {
  const read = offset > NEAR_OFFSET_MAX ? db.bulk({ application: workspaceId, from: 'request' }) : db.read
  return { ...db, read, transaction: (work) => db.transaction(work, workspaceId) }
}

/** The caller is known as far as the request has been authenticated. */
type ReceivedRequest = { request: FastifyRequest; sender: Sender; caller: Caller | Principal | undefined }

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
function targetOf({ path }: Route, params: unknown): string {
  return path.replace(/:([A-Za-z]+)/g, (_, name: string) => String(Object(params)[name]))
}

/** The only reader of credentials. Node joins a repeated header with commas, so it matches nothing. */
export function credentialsOf({ headers, rawHeaders }: IncomingMessage, address: string): Credentials {
  const isRepeated = countHeader(rawHeaders, 'authorization') > 1
  const applicationId = headers['x-ai-application-id'] ?? headers['x-workspace-id']
  return {
    authorization: isRepeated ? '' : headers.authorization,
    cookie: headers.cookie,
    address,
    applicationId: typeof applicationId === 'string' ? applicationId : undefined,
  }
}
