/**
 * Mounts routes on Fastify.
 *
 * A request passes, in this order: host, route (404) and method (405), authentication (401) and role (403), forgery (403),
 * media type and size of the body (415, 413), JSON (400), ids in the path (400), the body's schema (400), and then its handler.
 * All of that happens in our own `onRequest` hook, because the framework would read and parse a body before anybody
 * has been authenticated. Fastify gives us the router, the life cycle and the graceful end.
 */
import { pipeline, Readable } from 'node:stream'
import fastify, { type FastifyInstance, type FastifyReply, type FastifyRequest } from 'fastify'
import type { Connections } from '../base/connection-limits.ts'
import { AppError } from '../base/errors.ts'
import { invariant } from '../base/invariant.ts'
import { JsonText } from '../base/json.ts'
import type { Logger } from '../base/log.ts'
import { isRole } from '../base/principal.ts'
import { type IsTrustedProxy, readClientRequest } from './client-address.ts'
import { drainRequest } from './drain-request.ts'
import { errorResponse } from './error-response.ts'
import { rejectUnknownHost } from './host-check.ts'
import { hasBody } from './json-body.ts'
import { exceptOwnPaths, serveNotFound } from './not-found.ts'
import { createClientErrorHandler, createExpectationHandler } from './raw-errors.ts'
import { type HttpResponse, type Method, pathOf, type Route } from './route.ts'
import { type SecurityHeaders, securityHeaders } from './security-headers.ts'
import { type RouteServices, type Serve, serveRoute } from './serve-route.ts'
import { createWriteTimeouts, type WriteTimeouts } from './write-timeout.ts'

/** A surface that is not ours to describe route by route, such as the authentication library. */
export type Mount = {
  path: string
  methods: Method[]
  reason: string
  serve: Serve
  /** For a protocol whose errors have a form of their own; left out, they have ours. */
  toErrorResponse?(error: unknown, request: FastifyRequest): HttpResponse
}

export type ServerOptions = RouteServices & {
  routes: readonly Route[]
  mounts: readonly Mount[]
  log: Logger
  isAllowedHost(host: string): boolean
  requestTimeoutMs: number
  /** Where people reach this server; with https, browsers are told to use nothing else. */
  publicUrl: string
  /** Only these may say on whose behalf they send a request. */
  isTrustedProxy: IsTrustedProxy
  connections: Connections
  /** Until it resolves, requests wait; if it rejects, they are answered with that error. */
  opened: Promise<void>
  /** What answers a GET that no route takes; undefined leaves it a 404. */
  fallback(request: FastifyRequest): Promise<HttpResponse | undefined>
}

const REQUEST_ID = /^[A-Za-z0-9._-]{1,128}$/
/** Headers are sent at once; who takes longer does so on purpose, or is gone. */
const HEADERS_TIMEOUT_MAX_MS = 10_000

export function createServer(options: ServerOptions): FastifyInstance {
  const { log, newId, requestTimeoutMs, connections } = options
  const baseHeaders = securityHeaders(options.publicUrl)
  const writeTimeouts = createWriteTimeouts(requestTimeoutMs)
  const sendOptions = { common: commonHeaders(baseHeaders), writeTimeouts }
  let isClosing = false
  let isOpen = false
  void options.opened.then(
    () => {
      isOpen = true
    },
    // Whoever waits for it is told.
    () => {},
  )
  const app = fastify({
    logger: false,
    genReqId: (req) => {
      const given = req.headers['x-request-id']
      return typeof given === 'string' && REQUEST_ID.test(given) ? given : newId()
    },
    requestTimeout: requestTimeoutMs,
    maxRequestsPerSocket: 1_000,
    return503OnClosing: false,
    clientErrorHandler: createClientErrorHandler(newId, baseHeaders),
    frameworkErrors: (error, request, reply) => send(reply, errorResponse(error, log, request.id), sendOptions),
    http: {
      requireHostHeader: false,
      maxHeaderSize: 16_384,
      // Node looks only every 30 s unless told otherwise.
      headersTimeout: Math.min(requestTimeoutMs, HEADERS_TIMEOUT_MAX_MS),
      connectionsCheckingInterval: 1_000,
    },
    routerOptions: { maxParamLength: 16_384 },
  })
  app.server.on('checkExpectation', createExpectationHandler(newId, baseHeaders))
  app.server.on('connection', (socket) => connections.add(socket))
  app.server.on('request', ({ socket }, res) => {
    connections.begin(socket)
    res.once('close', () => {
      connections.end(socket)
      writeTimeouts.remove(res)
    })
  })
  app.addHook('preClose', async () => {
    isClosing = true
  })
  app.setErrorHandler((error, request, reply) => send(reply, errorResponse(error, log, request.id), sendOptions))

  const defaultErrorResponse = (error: unknown, request: FastifyRequest) => errorResponse(error, log, request.id)

  /** What every request passes, whether a route takes it or none. */
  function requestHandler(serve: Serve, toErrorResponse = defaultErrorResponse) {
    return async (request: FastifyRequest, reply: FastifyReply): Promise<void> => {
      let response: HttpResponse
      try {
        const { raw } = request
        const client = readClientRequest(raw.socket.remoteAddress, raw.headers, options.isTrustedProxy)
        rejectUnknownHost(raw, client.host, options.isAllowedHost)
        if (!isOpen) await options.opened
        if (isClosing) throw shuttingDown()
        response = await serve(request, client)
      } catch (error) {
        response = toErrorResponse(error, request)
        const isUnread = hasBody(request.raw) && !request.raw.readableEnded
        if (isUnread && !drainRequest(request.raw))
          response = { ...response, headers: { ...response.headers, connection: 'close' } }
      }
      send(reply, response, sendOptions)
    }
  }

  for (const route of options.routes) {
    assertAccessDeclared(route)
    const path = pathOf(route)
    const onRequest = requestHandler(exceptOwnPaths(options, path, serveRoute(route, options)))
    app.route({ method: route.method, url: path, onRequest, handler: unreachableHandler })
  }
  for (const { methods, path, serve, toErrorResponse } of options.mounts) {
    app.route({
      method: methods,
      url: path,
      onRequest: requestHandler(serve, toErrorResponse),
      handler: unreachableHandler,
    })
  }
  // In a scope of its own, so that its hook runs for what no route takes, before the framework looks at the body.
  app.register(async (scope) => {
    scope.addHook('onRequest', requestHandler(serveNotFound(options)))
    scope.setNotFoundHandler(unreachableHandler)
  })
  return app
}

/** The types ask for it too; but a route that slips past them must not be served to everybody. */
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

const JSON_HEADERS = { 'content-type': 'application/json; charset=utf-8', 'cache-control': 'no-store' }
const NO_STORE = { 'cache-control': 'no-store' }

/** Headers of responses, put together once: to merge them for each response would be a twentieth of a small one's cost. */
type CommonHeaders = { json: SecurityHeaders; bytes: SecurityHeaders; other: SecurityHeaders }

function commonHeaders(baseHeaders: SecurityHeaders): CommonHeaders {
  return { json: { ...JSON_HEADERS, ...baseHeaders }, bytes: baseHeaders, other: { ...NO_STORE, ...baseHeaders } }
}

type SendOptions = { common: CommonHeaders; writeTimeouts: WriteTimeouts }

/** Smaller responses fit into the buffers of the system, however slowly they are read. */
const WATCHED_BYTES_MIN = 16 * 1024

function send(reply: FastifyReply, response: HttpResponse, { common, writeTimeouts }: SendOptions): void {
  if (write(reply, response, common) >= WATCHED_BYTES_MIN) writeTimeouts.add(reply.raw)
}

/**
 * Writes to the socket itself: of the framework's way out we would use neither the hooks nor the serializers. Returns how many bytes the
 * content has, which nobody knows of a stream.
 */
function write(reply: FastifyReply, { status, body, headers }: HttpResponse, common: CommonHeaders): number {
  const { id } = reply.request
  reply.hijack()
  if (body === undefined) {
    reply.raw.writeHead(status, { ...common.other, 'x-request-id': id, ...headers }).end()
    return 0
  }
  if (body instanceof Readable) {
    reply.raw.writeHead(status, { ...common.other, 'x-request-id': id, ...headers })
    // Nobody asked for what comes out of it, which may take as long as an evaluation does.
    if (reply.request.method === 'HEAD') {
      body.destroy()
      reply.raw.end()
      return 0
    }
    // Whoever goes away ends the stream, and a stream that fails ends the connection: half a file must not look like a whole one.
    pipeline(body, reply.raw, () => {})
    return Number.POSITIVE_INFINITY
  }
  const isBytes = Buffer.isBuffer(body)
  const content = isBytes ? body : body instanceof JsonText ? body.text : JSON.stringify(body)
  const length = Buffer.byteLength(content)
  const fixed = isBytes ? common.bytes : common.json
  // ASCII, as most bodies are, is written a tenth faster if Node need not look for other characters again.
  const encoding = length === content.length ? 'latin1' : 'utf8'
  reply.raw
    .writeHead(status, { ...fixed, 'content-length': length, 'x-request-id': id, ...headers })
    .end(content, encoding)
  return length
}
