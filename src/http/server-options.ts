import type { FastifyRequest } from 'fastify'
import type { Connections } from '../base/connection-limits.ts'
import type { Logger } from '../base/log.ts'
import type { TlsCertificate } from '../base/tls-certificate.ts'
import type { IsTrustedProxy } from './client-address.ts'
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

export type ServerOptions = RouteServices & {
  routes: readonly Route[]
  mounts: readonly Mount[]
  log: Logger
  isAllowedHost(host: string): boolean
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
  /** Handles a GET request that matches no route; undefined means 404. */
  fallback(request: FastifyRequest): Promise<HttpResponse | undefined>
}
