import { Readable } from 'node:stream'
import type { Static, TObject, TSchema } from 'typebox'
import type { Clock } from '../base/clock.ts'
import type { AppError } from '../base/errors.ts'
import type { NewId } from '../base/ids.ts'
import type { Extent, Listing, Page } from '../base/page.ts'
import type { Caller, Principal, Role } from '../base/principal.ts'
import type { Db, OutsideDb } from '../storage/db.ts'

export type Method = 'GET' | 'POST' | 'PATCH' | 'PUT' | 'DELETE'

/**
 * Who may call a route. There is no default: a route that does not say so does not compile, and does not start.
 * `header`: the API key's workspace, or the one that a session names in X-AI-Application-Id. `path`: the one in the URL.
 */
export type Access =
  | { auth: 'none'; reason: string }
  | { auth: 'session' }
  | {
      auth: 'session' | 'key-or-session'
      workspace: 'header' | 'path'
      role: Role
      /** Also accepts Basic authentication whose password is an API key, as clients of other telemetry services send it. */
      basic?: 'password-is-key'
    }

export type Credentials = {
  authorization: string | undefined
  cookie: string | undefined
  applicationId: string | undefined
  /** Where they come from: failed attempts are counted by it. */
  address: string
}

/** Passed in: this folder knows neither keys nor sessions. Each throws 401 or 403. */
export type Authenticator = {
  identify(access: Access, credentials: Credentials): Promise<Caller | Principal>
  enter(caller: Caller, access: Access, workspaceId: string): Promise<Principal>
}

/** A request that was answered 401 or 403: who it was, as far as known, and what they sent as a key. */
export type Denial = {
  error: AppError
  caller: Caller | Principal | undefined
  /** The route, as it is declared: `GET /components/:componentId`. */
  target: string
  authorization: string | undefined
  address: string
  requestId: string
}

/** What every handler is given besides the request itself. */
export type Context = {
  db: Db
  clock: Clock
  newId: NewId
  requestId: string
  /** The address of the caller, for the audit log and for limits. */
  address: string
  /** Aborted when the client has left, on routes that are cancellable; never on others. */
  signal: AbortSignal
}

/** The same before any transaction of the request has begun. */
export type OutsideContext = Omit<Context, 'db'> & { db: OutsideDb }

/** A body is sent as JSON, unless it is bytes, or a stream of text, which is sent as it comes. */
export type HttpResponse = {
  status: number
  body?: unknown
  headers?: Record<string, string | string[]>
  /** Of a paged route: how long the list is, from which the server writes X-Total-Count and Link. */
  extent?: Extent
}

/** Whether the credentials of this request would be accepted now: for answers that take longer than a right may last. */
type IsStillAllowed = () => Promise<boolean>

type CallerOf<A extends Access> = A extends { workspace: string }
  ? { principal: Principal; isStillAllowed: IsStillAllowed }
  : A extends { auth: 'session' }
    ? { caller: Caller }
    : Record<never, never>

type Input<P, B, Q> = (P extends TObject ? { params: Static<P> } : Record<never, never>) &
  (B extends TSchema ? { body: Static<B> } : Record<never, never>) &
  (Q extends TObject ? { query: Static<Q> } : Record<never, never>)

/** A body that is not JSON but a file, handed to the handler as it came. */
export type Upload = { mediaTypes: readonly string[]; bytesMax: number }
export type Uploaded = { mediaType: string; bytes: Buffer }

type Request<A extends Access, P, B, Q> = CallerOf<A> & Input<P, B, Q> & { page: Page; upload?: Uploaded }

export type RouteDefinition<A extends Access, P, B, Q, R> = {
  method: Method
  path: string
  access: A
  /** One line for people, shown in the reference. */
  summary: string
  tag: string
  params?: P
  body?: B
  /** What the handler understands of the query string, all of it text; any other name is refused. Without it, a query is ignored. */
  query?: Q
  upload?: Upload
  /** Takes `limit` and `offset` and answers a list. */
  paged?: boolean
  /** The answer holds a secret, so it may not be kept for a repeated Idempotency-Key. */
  returnsSecret?: boolean
  responses: Record<number, TSchema | null>
  /** Ends its work when the client has left: `signal` is aborted then. */
  isCancellable?: boolean
  /** Media type of what a route streams instead of answering JSON. */
  streams?: readonly string[]
  /**
   * Runs before `handle`, never inside a transaction: the only place of a route to wait for anything but the database. It must change
   * nothing, because a request that is repeated after a crash prepares again.
   */
  prepare?(input: OutsideContext & Request<A, P, B, Q>): Promise<R>
  /** With an Idempotency-Key all of it is one transaction. `prepared` is what `prepare` returned. */
  handle(input: Context & Request<A, P, B, Q> & { prepared: R }): Promise<HttpResponse>
}

/** A route as the server sees it, its exact types forgotten: what it is given has been checked against its schemas. */
export type Route = Omit<RouteDefinition<Access, TObject, TSchema, TObject, unknown>, 'prepare' | 'handle'> & {
  prepare?(input: RouteInput & { db: OutsideDb }): Promise<unknown>
  handle(input: RouteInput): Promise<HttpResponse>
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
}

/** Declares a route. It is data: the server mounts it, the description prints it, the tests enumerate it. */
export function route<
  const A extends Access,
  P extends TObject | undefined = undefined,
  B extends TSchema | undefined = undefined,
  Q extends TObject | undefined = undefined,
  R = undefined,
>(definition: RouteDefinition<A, P, B, Q, R>): Route
export function route(definition: Route): Route {
  return definition
}

export const API_PREFIX = '/api/v1'

/** The path as it is served. Liveness and readiness are asked for by machines that know no version of the API. */
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

/** Sends text piece by piece, as fast as the receiver takes it, so that nothing large is ever held in memory. */
export function streamed(
  mediaType: string,
  pieces: AsyncIterable<string>,
  headers: Record<string, string> = {},
): HttpResponse {
  return { status: 200, body: Readable.from(pieces), headers: { 'content-type': mediaType, ...headers } }
}

/**
 * The same for a source that may have nothing to send for long: it is told whether anybody still reads, and should end soon after nobody
 * does. Left alone, it would go on until it has something to send.
 */
export function streamedWhileRead(
  mediaType: string,
  source: (isRead: () => boolean) => AsyncIterable<string>,
): HttpResponse {
  const body: Readable = Readable.from(source(() => !body.destroyed))
  return { status: 200, body, headers: { 'content-type': mediaType, 'cache-control': 'no-cache' } }
}
