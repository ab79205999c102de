/**
 * Mounts routes on Fastify.
 *
 * The checks of a request, in order: host, route (404) and method (405), authentication (401) and role (403), CSRF (403),
 * media type and size of the body (415, 413), JSON (400), ids in the path (400), the schema of the body (400); then the handler runs.
 * All of this happens in the `onRequest` hook, because Fastify would read and parse the body before the caller is
 * authenticated. Fastify provides the router, the life cycle and graceful shutdown.
 */
import { once } from 'node:events'
import type { IncomingMessage, ServerResponse } from 'node:http'
import type { Socket } from 'node:net'
import fastify, { type FastifyInstance, type FastifyReply, type FastifyRequest } from 'fastify'
import { addressGroup } from '../base/address-ranges.ts'
import { AppError, badRequest } from '../base/errors.ts'
import { invariant } from '../base/invariant.ts'
import { pairSockets } from '../base/pair-sockets.ts'
import { isRole } from '../base/principal.ts'
import { TLS_OPTIONS, type TlsCertificate, tlsServerOptions } from '../base/tls-certificate.ts'
import { watchRequests } from './access-log.ts'
import { readClientRequest, rejectUnknownHost } from './client-address.ts'
import { createClientErrorHandler, createExpectationHandler, errorResponse } from './error-response.ts'
import { createFairShare, type Place } from './fair-share.ts'
import { exceptOwnPaths, knownPaths, serveNotFound } from './not-found.ts'
import { discardBody } from './request-body.ts'
import { type HttpResponse, pathOf, type Route } from './route.ts'
import { createSender, securityHeaders } from './send-response.ts'
import { credentialsOf, type Serve, serveRoute } from './serve-route.ts'
import type { ServerOptions } from './server-options.ts'

const REQUEST_ID = /^[A-Za-z0-9._-]{1,128}$/
/** Clients send headers at once; a slower client is malicious or disconnected. */
const HEADERS_TIMEOUT_MAX_MS = 10_000

export function createServer(options: ServerOptions): FastifyInstance {
  const { log, newId, requestTimeoutMs, connections, tls, share = createFairShare() } = options
  const baseHeaders = securityHeaders(options.publicUrl)
  const send = createSender(baseHeaders, requestTimeoutMs)
  const ownScheme = tls ? 'https' : undefined
  const untilPreviousIsSent = createResponseOrder()
  const watch = options.onServed && watchRequests(options.context.clock, options.onServed)
  let isClosing = false
  let isOpen = false
  void options.opened.then(
    () => {
      isOpen = true
    },
    // The requests that wait for it fail with this error.
    () => {},
  )
  const common = {
    logger: false,
    genReqId: (req: IncomingMessage) => {
      const given = req.headers['x-request-id']
      return typeof given === 'string' && REQUEST_ID.test(given) ? given : newId()
    },
    requestTimeout: requestTimeoutMs,
    maxRequestsPerSocket: 1_000,
    return503OnClosing: false,
    clientErrorHandler: createClientErrorHandler(newId, baseHeaders),
    frameworkErrors: (error: Error, request: FastifyRequest, reply: FastifyReply) => {
      watch?.(request, reply, undefined)
      send(reply, errorResponse(error, log, request.id))
    },
    routerOptions: { maxParamLength: 16_384 },
  }
  const http = {
    requireHostHeader: false,
    maxHeaderSize: 16_384,
    // Node's default is to check every 30 s.
    headersTimeout: Math.min(requestTimeoutMs, HEADERS_TIMEOUT_MAX_MS),
    connectionsCheckingInterval: 1_000,
  }
  function createTlsServer(certificate: TlsCertificate): FastifyInstance {
    const secured = fastify({ ...common, https: { ...http, ...tlsServerOptions(certificate) } })
    certificate.onChange((pem) => secured.server.setSecureContext({ ...pem, minVersion: TLS_OPTIONS.minVersion }))
    return secured
  }
  const app = tls ? createTlsServer(tls) : fastify({ ...common, http })
  const connectionOf = tls ? pairSockets(app.server) : (socket: Socket) => socket
  app.server.on('checkExpectation', createExpectationHandler(newId, baseHeaders))
  app.server.on('connection', (socket) => connections.add(socket))
  app.server.on('request', ({ socket }, res) => {
    const connection = connectionOf(socket)
    connections.begin(connection)
    // Emitted once; `once` would wrap the listener for nothing.
    res.on('close', () => connections.end(connection))
  })
  app.addHook('preClose', async () => {
    isClosing = true
  })
  app.setErrorHandler((error, request, reply) => send(reply, errorResponse(error, log, request.id)))

  const defaultErrorResponse = (error: unknown, request: FastifyRequest) => errorResponse(error, log, request.id)

  /** Runs the checks that apply to every request, then serves it and sends the response. */
  function requestHandler(serve: Serve, path: string | undefined, toErrorResponse = defaultErrorResponse) {
    return async (request: FastifyRequest, reply: FastifyReply): Promise<void> => {
      watch?.(request, reply, path)
      const { raw } = request
      let response: HttpResponse
      let place: Place | undefined
      let caller: string | undefined
      try {
        const client = readClientRequest(raw.socket.remoteAddress, raw.headers, options.isTrustedProxy, ownScheme)
        await untilPreviousIsSent(raw.socket, reply.raw)
        rejectUnknownHost(raw, client, options.isAllowedHost)
        if (!isOpen) await options.opened
        if (isClosing) throw shuttingDown()
        const credentials = credentialsOf(raw, client.address)
        caller = options.authenticator.recognize(credentials)
        place = share(caller ?? addressGroup(client.address), { isAnonymous: caller === undefined })
        await place.enter()
        if (raw.socket.destroyed) throw badRequest('The client has disconnected')
        response = await serve(request, { ...client, credentials, place })
      } catch (error) {
        response = toErrorResponse(error, request)
        if (!discardBody(raw, caller ? 'caller' : 'anonymous'))
          response = { ...response, headers: { ...response.headers, connection: 'close' } }
      }
      send(reply, response)
      place?.leave()
    }
  }

  const known = knownPaths(options)
  const notFound = serveNotFound(known, options)
  for (const route of options.routes) {
    assertAccessDeclared(route)
    const path = pathOf(route)
    const onRequest = requestHandler(exceptOwnPaths(known, path, serveRoute(route, options), notFound), path)
    app.route({ method: route.method, url: path, onRequest, handler: unreachableHandler })
  }
  for (const { methods, path, serve, toErrorResponse } of options.mounts) {
    app.route({
      method: methods,
      url: path,
      onRequest: requestHandler(serve, path, toErrorResponse),
      handler: unreachableHandler,
    })
  }
  // In its own scope, so that the hook runs for requests that match no route, before Fastify reads the body.
  app.register(async (scope) => {
    scope.addHook('onRequest', requestHandler(notFound, undefined))
    scope.setNotFoundHandler(unreachableHandler)
  })
  return app
}

/**
 * Pipelined requests start one after the other, each when the response before it is sent: a client that does not read would otherwise
 * have any number of responses prepared for it.
 */
function createResponseOrder(): (socket: Socket, res: ServerResponse) => Promise<unknown> | undefined {
  const latest = new WeakMap<Socket, ServerResponse>()
  return (socket, res) => {
    const previous = latest.get(socket)
    latest.set(socket, res)
    return previous && !previous.closed ? once(previous, 'close') : undefined
  }
}

/** The types require this too, but a route without access rules must never be served. */
function assertAccessDeclared({ method, path, access }: Route): void {
  invariant(access?.auth, `${method} ${path} must declare its authentication`)
  invariant(!('workspace' in access) || isRole(access.role), `${method} ${path} must declare the role that it needs`)
}

function unreachableHandler(): never {
  throw new Error('every request is answered in onRequest')
}

function shuttingDown(): AppError {
  return new AppError(503, 'The server is shutting down', { headers: { 'retry-after': '2', connection: 'close' } })
}
