import type { IncomingHttpHeaders } from 'node:http'
import { Readable } from 'node:stream'
import type { Static, TObject, TSchema } from 'typebox'
import type { Clock } from '../base/clock.ts'
import type { AppError } from '../base/errors.ts'
import type { NewId } from '../base/ids.ts'
import type { Extent, Listing, Page } from '../base/page.ts'
import type { Caller, Principal, Role } from '../base/principal.ts'
import type { Db, DbOutsideTransaction } from '../storage/db.ts'
import { EVENT_STREAM } from './event-stream.ts'
import { PreparedBody } from './prepared-body.ts'

export type Method = 'GET' | 'POST' | 'PATCH' | 'PUT' | 'DELETE'

/**
 * Who may call a route. There is no default: a route that does not declare it does not compile, and the server does not start.
 * `header`: the workspace of the API key, or the one in the X-AI-Application-Id header of a session. `path`: the one in the URL.
 */
export type Access =
  | { auth: 'none'; reason: string }
  | { auth: 'session' }
  | {
      auth: 'session' | 'key-or-session'
      workspace: 'header' | 'path'
      role: Role
      /** Also accepts Basic authentication with an API key as the password, which SDKs of other telemetry services send. */
      basic?: 'password-is-key'
    }

export type Credentials = {
  authorization: string | undefined
  cookie: string | undefined
  applicationId: string | undefined
  /** The client address, by which failed attempts are counted. */
  address: string
}

/** Injected, so that this folder does not depend on keys or sessions. */
export type Authenticator = {
  /** The id of a credential that was accepted before, without a query; undefined for all others. */
  recognize(credentials: Credentials): string | undefined
  /** This and the next methods throw 401 or 403. */
  identify(access: Access, credentials: Credentials): Promise<Caller | Principal>
  authorize(caller: Caller, access: Access, workspaceId: string): Promise<Principal>
  /** Of a principal that another route has authenticated. */
  requireRole(principal: Principal, access: Access): Principal
}

/** A request that was rejected with 401 or 403: the caller, as far as known, and the credentials. */
export type Denial = {
  error: AppError
  caller: Caller | Principal | undefined
  /** The route as declared: `GET /components/:componentId`. */
  target: string
  authorization: string | undefined
  userAgent: string | undefined
  address: string
  requestId: string
}

/** What every handler receives in addition to the request. */
export type Context = {
  db: Db
  clock: Clock
  newId: NewId
  requestId: string
  /** The address of the caller, for the audit log and for limits. */
  address: string
  /** Aborted when the client disconnects, on cancellable routes; never on others. */
  signal: AbortSignal
}

/** The same before a transaction of the request has begun. */
export type PrepareContext = Omit<Context, 'db'> & { db: DbOutsideTransaction }

/** The body is sent as JSON unless it is a buffer or a stream. */
export type HttpResponse = {
  status: number
  body?: unknown
  headers?: Record<string, string | string[]>
  /** Of a paged route: the length of the list, from which the server writes X-Total-Count and Link. */
  extent?: Extent
}

/** Whether the credentials of this request would be accepted now: access may be revoked during a long response. */
type IsStillAllowed = () => Promise<boolean>

type CallerOf<A extends Access> = A extends { workspace: string }
  ? { principal: Principal; isStillAllowed: IsStillAllowed }
  : A extends { auth: 'session' }
    ? { caller: Caller }
    : Record<never, never>

type Input<P, B, Q> = (P extends TObject ? { params: Static<P> } : Record<never, never>) &
  (B extends TSchema ? { body: Static<B> } : Record<never, never>) &
  (Q extends TObject ? { query: Static<Q> } : Record<never, never>)

/** A body that is a file and not JSON; the handler receives its bytes. */
export type Upload = { mediaTypes: readonly string[]; bytesMax: number }
export type Uploaded = { mediaType: string; bytes: Buffer }

type Request<A extends Access, P, B, Q> = CallerOf<A> &
  Input<P, B, Q> & { page: Page; upload?: Uploaded; headers?: IncomingHttpHeaders }

export type RouteDefinition<A extends Access, P, B, Q, R> = {
  method: Method
  path: string
  access: A
  /** One line, shown in the API reference. */
  summary: string
  tag: string
  params?: P
  body?: B
  /** The body may be omitted: see `optionalBody`. */
  isBodyOptional?: boolean
  /** The query parameters, all of them strings; others are rejected. */
  query?: Q
  /** Other query parameters are ignored instead, as endpoints of the specification do. */
  ignoresOtherParameters?: boolean
  upload?: Upload
  /** Accepts `limit` and `offset` and returns a list. */
  paged?: boolean
  /** Of a response with status 200, for the API reference. */
  headers?: Record<string, { description: string; schema: TSchema }>
  /** The response contains a secret, so it must not be stored for a repeated Idempotency-Key. */
  returnsSecret?: boolean
  responses: Record<number, TSchema | null>
  /** The handler stops when the client disconnects, which aborts `signal`. */
  isCancellable?: boolean
  /** A POST that does no more if it is repeated, so that it ignores an Idempotency-Key. */
  isRepeatable?: boolean
  /** Media types that the route streams instead of returning JSON. */
  streams?: readonly string[]
  /** The data of each kind of server-sent event that the route streams, for the API reference. */
  events?: Record<string, TSchema>
  /**
   * The route serves another protocol than the API: its handler receives the headers of the request, and browsers on other sites are
   * rejected even with a key.
   */
  servesProtocol?: boolean
  /**
   * Runs before `handle`, never inside a transaction: the only step of a route that may wait for anything but the database. It must not
   * change anything, because a request that is repeated after a crash prepares again.
   */
  prepare?(input: PrepareContext & Request<A, P, B, Q>): Promise<R>
  /** With an Idempotency-Key, it runs in one transaction. `prepared` is the result of `prepare`. */
  handle(input: Context & Request<A, P, B, Q> & { prepared: R }): Promise<HttpResponse>
}

/** A route without its type parameters, as the server uses it. The input has been validated against the schemas. */
export type Route = Omit<RouteDefinition<Access, TObject, TSchema, TObject, unknown>, 'prepare' | 'handle'> & {
  prepare?(input: RouteInput & { db: DbOutsideTransaction }): Promise<unknown>
  handle(input: RouteInput): Promise<HttpResponse>
}

/** Whether the response is stored for a repeated Idempotency-Key. */
export function storesResponse(route: Route): boolean {
  const { method, access, isCancellable, isRepeatable, returnsSecret } = route
  const isStored = !isCancellable && !isRepeatable && !returnsSecret && !streamsEvents(route)
  return method === 'POST' && access.auth !== 'none' && isStored
}

export function streamsEvents({ streams }: Pick<Route, 'streams'>): boolean {
  return streams?.includes(EVENT_STREAM) ?? false
}

export type RouteInput = Context & {
  page: Page
  caller?: Caller
  principal?: Principal
  isStillAllowed?: IsStillAllowed
  params?: unknown
  body?: unknown
  query?: unknown
  upload?: Uploaded
  prepared?: unknown
  /** Only if the route serves another protocol. */
  headers?: IncomingHttpHeaders
}

/** A request within the server. Query parameters are strings, as in a URL. */
export type RouteCall = { params?: Record<string, unknown>; query?: Record<string, string>; body?: unknown }

/** Who calls, and in which request. */
export type CallOrigin = Pick<Context, 'requestId' | 'address' | 'signal'> & {
  principal: Principal
  headers: IncomingHttpHeaders
}

/** Runs a route by its name, such as `GET /traces/:traceId`, and returns its body as parsed JSON. */
export type CallRoute = (name: string, origin: CallOrigin, call: RouteCall) => Promise<Record<string, unknown>>

/** Declares a route. It is data: the server mounts it, the OpenAPI document describes it, the tests enumerate it. */
export function route<
  const A extends Access,
  P extends TObject | undefined = undefined,
  B extends TSchema | undefined = undefined,
  Q extends TObject | undefined = undefined,
  R = undefined,
>(definition: RouteDefinition<A, P, B, Q, R>): Route {
  // The server calls the handler only with input that it has checked against `access`, `params`, `body` and `query` of the same route.
  return definition as unknown as Route
}

export const API_PREFIX = '/api/v1'

/** The path as served. Health probes are independent of the API version, so their paths have no prefix. */
export function pathOf({ path }: Pick<Route, 'path'>): string {
  return path === '/health' || path === '/ready' ? path : `${API_PREFIX}${path}`
}

export function ok(body: unknown): HttpResponse {
  return { status: 200, body }
}

export function list({ rows, count, total }: Listing): HttpResponse {
  return { status: 200, body: { data: rows }, extent: { count, total } }
}

export const EMPTY_LIST: Listing = { rows: [], count: 0, total: 0 }

export function created(body: unknown): HttpResponse {
  return { status: 201, body }
}

export function accepted(body: unknown): HttpResponse {
  return { status: 202, body }
}

export function noContent(): HttpResponse {
  return { status: 204 }
}

/** Shorter texts are not worth compressing. */
const COMPRESSED_BYTES_MIN = 1_024

/** JSON that clients keep: they get 304 as long as it is the same. The ETag begins with `version`. It may be sent again. */
export function cached(
  body: unknown,
  { version, cacheControl }: { version: number; cacheControl: string },
): { response: HttpResponse; bytes: number } {
  const content = Buffer.from(JSON.stringify(body))
  const isCompressible = content.length >= COMPRESSED_BYTES_MIN
  const headers = {
    'content-type': 'application/json; charset=utf-8',
    'cache-control': cacheControl,
    vary: 'accept-encoding, authorization, cookie, x-ai-application-id',
  }
  const prepared = new PreparedBody(content, { isCompressible, etagPrefix: `${version}.` })
  return { response: { status: 200, headers, body: prepared }, bytes: content.length }
}

/** Sends text in chunks as fast as the client reads it, so that a large response is never in memory as a whole. */
export function streamed(
  mediaType: string,
  pieces: AsyncIterable<string>,
  headers: Record<string, string> = {},
): HttpResponse {
  return { status: 200, body: Readable.from(pieces), headers: { 'content-type': mediaType, ...headers } }
}

/**
 * The same for a source that may have nothing to send for a long time: `isRead` returns false once the client has disconnected, when
 * `left` is aborted, and the source should then end. Without this check, it would run until it has something to send.
 */
export function streamedWhileRead(
  mediaType: string,
  source: (isRead: () => boolean, left: AbortSignal) => AsyncIterable<string>,
): HttpResponse {
  const leaving = new AbortController()
  const body: Readable = Readable.from(source(() => !body.destroyed, leaving.signal))
  // Not on `close`, which waits until the source has something to send.
  const close = body._destroy
  body._destroy = (error, closed) => {
    leaving.abort()
    close.call(body, error, closed)
  }
  return { status: 200, body, headers: { 'content-type': mediaType, 'cache-control': 'no-cache' } }
}
