import type { FastifyRequest } from 'fastify'
import type { Connections } from '../base/connection-limits.ts'
import type { Logger } from '../base/log.ts'
import type { TlsCertificate } from '../base/tls-certificate.ts'
import type { IsTrustedProxy } from './client-address.ts'
import type { FairShare } from './fair-share.ts'
import type { HttpResponse, Method, Route } from './route.ts'
import type { RouteServices, Serve } from './serve-route.ts'

/** Endpoints that are not declared as routes, such as those of the authentication library. */
export type Mount = {
  path: string
  methods: Method[]
  reason: string
  serve: Serve
  /** For a protocol with its own error format. The default is the format of the API. */
  toErrorResponse?(error: unknown, request: FastifyRequest): HttpResponse
}

/** A request after its response was sent, or after the client has disconnected. */
export type ServedRequest = {
  id: string
  method: string
  /** The path as it was declared, such as `/api/v1/components/:componentId`; undefined if none matches. */
  route: string | undefined
  status: number
  durationMs: number
  /** Of the response, with its headers. Responses to pipelined requests may be counted together. */
  sentBytes: number
}

export type ServerOptions = RouteServices & {
  routes: readonly Route[]
  mounts: readonly Mount[]
  log: Logger
  isAllowedHost(host: string): boolean
  /** The turns of callers, if they are shared with another port. */
  share?: FairShare
  requestTimeoutMs: number
  /** Undefined for plain HTTP. */
  tls?: TlsCertificate | undefined
  /** The public URL of this server; with https, responses have an HSTS header. */
  publicUrl: string
  /** Forwarding headers are accepted only from these. */
  isTrustedProxy: IsTrustedProxy
  connections: Connections
  /** Requests wait until it resolves; if it rejects, they fail with that error. */
  opened: Promise<void>
  /** Called for each request. Undefined costs nothing. */
  onServed?: ((served: ServedRequest) => void) | undefined
  /** Handles a GET request that matches no route; undefined means 404. */
  fallback(request: FastifyRequest): Promise<HttpResponse | undefined>
}
