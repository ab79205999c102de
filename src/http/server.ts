/**
 * Mounts routes on Fastify.
 *
 * A request passes, in this order: host, route (404) and method (405), authentication (401) and role (403), forgery (403),
 * media type and size of the body (415, 413), JSON (400), ids in the path (400), the body's schema (400), and then its handler.
 * All of that happens in our own `onRequest` hook, because the framework would read and parse a body before anybody
 * has been authenticated. Fastify gives us the router, the life cycle and the graceful end.
 */
import fastify, { type FastifyInstance, type FastifyReply, type FastifyRequest } from 'fastify'
import { AppError } from '../base/errors.ts'
import type { NewId } from '../base/ids.ts'
import { invariant } from '../base/invariant.ts'
import type { Logger } from '../base/log.ts'
import { type Caller, isRole, type Principal } from '../base/principal.ts'
import { errorAnswer } from './error-response.ts'
import { refuseForgery } from './forgery.ts'
import { refuseHost } from './host-check.ts'
import { hasBody, readJsonBody } from './json-body.ts'
import { readPage } from './page-query.ts'
import { answerClientError, answerExpectations } from './raw-errors.ts'
import type { Access, Answer, Authenticator, Context, Credentials, Method, Route, RouteInput } from './route.ts'
import { bodyCheck, type Check, paramsCheck } from './validation.ts'

export const API_PREFIX = '/api/v1'

export type AnswerOnce = (
  request: { key: string; route: Route; principal: Caller | Principal; target: string; body: unknown },
  db: Context['db'],
  handle: (db: Context['db']) => Promise<Answer>,
) => Promise<Answer>

/** A surface that is not ours to describe route by route, such as the authentication library or the interface's files. */
export type Mount = {
  paths: string[]
  methods: Method[]
  reason: string
  serve(request: FastifyRequest, reply: FastifyReply): Promise<Answer>
}

export type ServerOptions = {
  routes: readonly Route[]
  mounts: readonly Mount[]
  authenticator: Authenticator
  answerOnce: AnswerOnce
  context: Pick<Context, 'db' | 'clock'>
  newId: NewId
  log: Logger
  isAllowedHost(host: string): boolean
  bodyBytesMax: number
  requestTimeoutMs: number
  /** What answers a GET that no route takes; undefined leaves it a 404. */
  fallback(request: FastifyRequest): Promise<Answer | undefined>
}

const REQUEST_ID = /^[A-Za-z0-9._-]{1,128}$/
const CONNECTIONS_MAX = 10_000

export function createServer(options: ServerOptions): FastifyInstance {
  const { log, newId, routes, mounts } = options
  let isClosing = false
  const app = fastify({
    logger: false,
    genReqId: (req) => {
      const given = req.headers['x-request-id']
      return typeof given === 'string' && REQUEST_ID.test(given) ? given : newId()
    },
    requestTimeout: options.requestTimeoutMs,
    maxRequestsPerSocket: 1_000,
    return503OnClosing: false,
    clientErrorHandler: answerClientError,
    frameworkErrors: (error, request, reply) => send(reply, errorAnswer(error, log, request.id)),
    // Node looks for slow requests only every 30 s unless told otherwise.
    http: { requireHostHeader: false, maxHeaderSize: 16_384, connectionsCheckingInterval: 1_000 },
    routerOptions: { maxParamLength: 16_384 },
  })
  app.server.maxConnections = CONNECTIONS_MAX
  answerExpectations(app.server)
  app.addHook('preClose', async () => {
    isClosing = true
  })
  app.addHook('onRequest', async (request, reply) => {
    try {
      refuseHost(request.raw, options.isAllowedHost)
      if (isClosing)
        throw new AppError(503, 'The server is shutting down', { headers: { 'retry-after': '2', connection: 'close' } })
    } catch (error) {
      return send(reply, errorAnswer(error, log, request.id))
    }
  })
  app.setErrorHandler((error, request, reply) => send(reply, errorAnswer(error, log, request.id)))

  for (const route of routes) {
    refuseUndeclared(route)
    const serve = prepare(route, options)
    mount(app, log, { methods: [route.method], paths: [`${pathPrefix(route)}${route.path}`], serve })
  }
  for (const part of mounts) mount(app, log, part)
  setNotFound(app, options)
  return app
}

/** The types ask for it too; but a route that slips past them must not be served to everybody. */
function refuseUndeclared({ method, path, access }: Route): void {
  invariant(access?.auth, `${method} ${path} must declare its authentication`)
  invariant(!('workspace' in access) || isRole(access.role), `${method} ${path} must declare the role that it needs`)
}

/** Liveness and readiness are asked for by machines that know no version of the API. */
export function pathPrefix(route: Pick<Route, 'path'>): string {
  return route.path === '/health' || route.path === '/ready' ? '' : API_PREFIX
}

function mount(
  app: FastifyInstance,
  log: Logger,
  { methods, paths, serve }: Pick<Mount, 'methods' | 'paths' | 'serve'>,
): void {
  for (const url of paths) {
    app.route({
      method: methods,
      url,
      onRequest: async (request, reply) => {
        let answer: Answer
        try {
          answer = await serve(request, reply)
        } catch (error) {
          answer = errorAnswer(error, log, request.id)
          // What was not read would otherwise be read to its end and thrown away, however long it is.
          if (hasBody(request.raw) && !request.raw.readableEnded) reply.header('connection', 'close')
        }
        return send(reply, answer)
      },
      handler: () => {
        throw new Error('every request is answered in onRequest')
      },
    })
  }
}

type Serve = (request: FastifyRequest) => Promise<Answer>

/** Compiles what a route declares, once, into the function that serves it. */
function prepare(route: Route, options: ServerOptions): Serve {
  const checkParams = route.params ? paramsCheck(route.params) : undefined
  const checkBody = route.body ? bodyCheck(route.body) : undefined
  const { access } = route
  return async (request) => {
    const { raw } = request
    const params: Record<string, unknown> = Object(request.params)
    // A path that ends in a slash would match with an empty id.
    if (Object.values(params).includes('')) throw new AppError(404, 'Not found')
    const caller =
      access.auth === 'none' ? undefined : await options.authenticator.identify(access, credentialsOf(request))
    if (caller?.credential === 'cookie' && route.method !== 'GET') refuseForgery(raw.headers)
    const sent = await readJsonBody(raw, options.bodyBytesMax)
    const checkedParams = checkParams?.(params)
    const body = checkedBody(checkBody, sent)
    const input: RouteInput = {
      ...options.context,
      newId: options.newId,
      requestId: request.id,
      address: request.ip,
      page: route.paged ? readPage(Object(request.query)) : { limit: 0, offset: 0 },
      params: checkedParams,
      body,
    }
    if (caller) input.caller = caller
    const principal = await principalOf(access, caller, checkedParams, options.authenticator)
    if (principal) input.principal = principal
    const key = request.headers['idempotency-key']
    if (key === undefined || route.method !== 'POST' || !caller) return route.handle(input)
    const once = {
      key: String(key),
      route,
      principal: principal ?? caller,
      target: targetOf(route, checkedParams),
      body,
    }
    return options.answerOnce(once, input.db, (db) => route.handle({ ...input, db }))
  }
}

/** The path with its ids as checked: another spelling of the same URL is the same request. */
function targetOf({ path }: Route, params: Record<string, unknown> = {}): string {
  return path.replace(/:([A-Za-z]+)/g, (_, name: string) => String(params[name]))
}

async function principalOf(
  access: Access,
  caller: Caller | Principal | undefined,
  params: Record<string, unknown> | undefined,
  authenticator: Authenticator,
): Promise<Principal | undefined> {
  if (!caller || !('workspace' in access)) return undefined
  if ('workspaceId' in caller) return caller
  return authenticator.enter(caller, access, String(params?.workspaceId))
}

function checkedBody(check: Check | undefined, sent: unknown): unknown {
  if (check) {
    if (sent === undefined) throw new AppError(400, 'A request body is required')
    return check(sent)
  }
  if (sent !== undefined) throw new AppError(400, 'This request takes no body')
  return undefined
}

/** Read here and nowhere else. A header sent twice is joined by Node with a comma, and so matches nothing. */
function credentialsOf({ headers, raw }: FastifyRequest): Credentials {
  const isRepeated = (raw.headersDistinct.authorization?.length ?? 0) > 1
  const applicationId = headers['x-ai-application-id'] ?? headers['x-workspace-id']
  return {
    authorization: isRepeated ? '' : headers.authorization,
    cookie: headers.cookie,
    applicationId: typeof applicationId === 'string' ? applicationId : undefined,
  }
}

const API_HEADERS = {
  'content-type': 'application/json; charset=utf-8',
  'cache-control': 'no-store',
  'x-content-type-options': 'nosniff',
  'content-security-policy': "default-src 'none'; frame-ancestors 'none'",
}

function send(reply: FastifyReply, { status, body, headers }: Answer): FastifyReply {
  reply.code(status).header('x-request-id', reply.request.id)
  if (headers) reply.headers(headers)
  if (Buffer.isBuffer(body)) return reply.send(body)
  if (body === undefined) return reply.header('cache-control', 'no-store').send()
  return reply.headers(API_HEADERS).send(JSON.stringify(body))
}

function setNotFound(app: FastifyInstance, options: ServerOptions): void {
  const known = knownPaths(options)
  app.setNotFoundHandler(async (request, reply) => {
    try {
      const path = request.url.split('?', 1)[0] ?? ''
      const allowed = known.find(({ pattern }) => pattern.test(path))?.methods
      if (allowed)
        throw new AppError(405, `This path takes ${allowed.join(', ')}`, { headers: { allow: allowed.join(', ') } })
      const answer = request.method === 'GET' || request.method === 'HEAD' ? await options.fallback(request) : undefined
      if (!answer) throw new AppError(404, 'Not found')
      return send(reply, answer)
    } catch (error) {
      return send(reply, errorAnswer(error, options.log, request.id))
    }
  })
}

/** Which methods each path takes: the router knows only that the one asked for is not among them. */
function knownPaths({ routes, mounts }: ServerOptions): { pattern: RegExp; methods: string[] }[] {
  const methods = new Map<string, Set<string>>()
  const add = (path: string, method: string) => {
    const known = methods.get(path) ?? new Set()
    known.add(method)
    if (method === 'GET') known.add('HEAD')
    methods.set(path, known)
  }
  for (const route of routes) add(`${pathPrefix(route)}${route.path}`, route.method)
  for (const part of mounts) for (const path of part.paths) for (const method of part.methods) add(path, method)
  return [...methods].map(([path, names]) => ({
    pattern: new RegExp(`^${path.replace(/:[A-Za-z]+/g, '[^/]+').replace(/\*$/, '.*')}$`),
    methods: [...names].sort(),
  }))
}
