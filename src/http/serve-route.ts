/** The staircase that every request to a route climbs, one step after the other, in a fixed order. */
import type { Socket } from 'node:net'
import type { FastifyRequest } from 'fastify'
import { AppError } from '../base/errors.ts'
import type { NewId } from '../base/ids.ts'
import type { Caller, Principal } from '../base/principal.ts'
import type { ClientRequest } from './client-address.ts'
import { refuseForgery } from './forgery.ts'
import { hasBody, readJsonBody, readUpload } from './json-body.ts'
import { pageHeaders } from './page-headers.ts'
import { PAGE_PARAMETERS, readPage } from './page-query.ts'
import type {
  Access,
  Answer,
  Authenticator,
  Context,
  Credentials,
  Denial,
  OutsideContext,
  Route,
  RouteInput,
} from './route.ts'
import { bodyCheck, type Check, paramsCheck, queryCheck } from './validation.ts'

export type Serve = (request: FastifyRequest, client: ClientRequest) => Promise<Answer>

export type AnswerOnce = (
  request: { key: string; route: Route; principal: Caller | Principal; target: string; body: unknown; query: unknown },
  db: OutsideContext['db'],
  work: {
    /** Undefined where there is nothing to prepare. */
    prepare: (() => Promise<unknown>) | undefined
    handle(db: Context['db'], prepared: unknown): Promise<Answer>
  },
) => Promise<Answer>

export type RouteServices = {
  authenticator: Authenticator
  onDenied(denial: Denial): void
  answerOnce: AnswerOnce
  context: Pick<OutsideContext, 'db' | 'clock'>
  newId: NewId
  bodyBytesMax: number
}

/** Compiles what a route declares, once, into the function that serves it. */
export function serveRoute(route: Route, options: RouteServices): Serve {
  const checkParams = route.params ? paramsCheck(route.params) : undefined
  const checkBody = route.body ? bodyCheck(route.body) : undefined
  const checkQuery = route.query ? queryCheck(route.query, route.paged ? PAGE_PARAMETERS : []) : undefined
  const { access } = route
  const identifyAgain = async (request: FastifyRequest, params: Record<string, unknown> | undefined) => {
    const caller = await options.authenticator.identify(access, credentialsOf(request))
    await principalOf(access, caller, params, options.authenticator)
  }
  const target = `${route.method} ${route.path}`
  return async (request, client) => {
    const known: { caller?: Caller | Principal } = {}
    try {
      return await serve(request, client, known)
    } catch (error) {
      if (error instanceof AppError && (error.status === 401 || error.status === 403)) {
        const { authorization } = request.headers
        const { address } = client
        options.onDenied({ error, caller: known.caller, target, authorization, address, requestId: request.id })
      }
      throw error
    }
  }

  async function serve(request: FastifyRequest, client: ClientRequest, known: { caller?: Caller | Principal }) {
    const { raw } = request
    const params: Record<string, unknown> = Object(request.params)
    // A path that ends in a slash would match with an empty id.
    if (Object.values(params).includes('')) throw new AppError(404, 'Not found')
    const caller =
      access.auth === 'none' ? undefined : await options.authenticator.identify(access, credentialsOf(request))
    if (caller) known.caller = caller
    if (caller?.credential === 'cookie' && route.method !== 'GET') refuseForgery(raw.headers, client.host)
    const upload = route.upload ? await readUpload(raw, route.upload) : undefined
    const sent = !upload && hasBody(raw) ? await readJsonBody(raw, options.bodyBytesMax) : undefined
    const checkedParams = checkParams?.(params)
    const body = checkedBody(checkBody, sent)
    const input: RouteInput & Pick<OutsideContext, 'db'> = {
      ...options.context,
      newId: options.newId,
      requestId: request.id,
      address: client.address,
      signal: NEVER_ABORTED,
      page: route.paged ? readPage(Object(request.query)) : { limit: 0, offset: 0 },
      params: checkedParams,
      body,
    }
    if (checkQuery) input.query = checkQuery(Object(request.query))
    if (upload) input.upload = upload
    if (caller) input.caller = caller
    const principal = await principalOf(access, caller, checkedParams, options.authenticator)
    if (principal) {
      known.caller = principal
      input.principal = principal
      input.isStillAllowed = () => isAccepted(() => identifyAgain(request, checkedParams))
    }
    const key = request.headers['idempotency-key']
    const { prepare } = route
    const withPages = (answer: Answer): Answer => {
      if (answer.extent === undefined) return answer
      return { ...answer, headers: { ...answer.headers, ...pageHeaders(request.url, input.page, answer.extent) } }
    }
    if (route.isCancellable) {
      return withPages(await untilClosed(raw.socket, (signal) => route.handle({ ...input, signal })))
    }
    if (key === undefined || route.method !== 'POST' || !caller) {
      if (prepare) input.prepared = await prepare(input)
      return withPages(await route.handle(input))
    }
    const once = {
      key: String(key),
      route,
      principal: principal ?? caller,
      target: targetOf(route, checkedParams),
      body: upload ? upload.bytes.toString('base64') : body,
      query: input.query,
    }
    return options.answerOnce(once, input.db, {
      prepare: prepare && (() => prepare(input)),
      handle: (db, prepared) => route.handle({ ...input, db, prepared }),
    })
  }
}

const NEVER_ABORTED = new AbortController().signal

/** The connection may serve other requests afterwards: it is watched only for so long. */
async function untilClosed<Result>(socket: Socket, work: (signal: AbortSignal) => Promise<Result>): Promise<Result> {
  const closed = new AbortController()
  const abort = () => closed.abort()
  socket.once('close', abort)
  try {
    return await work(closed.signal)
  } finally {
    socket.off('close', abort)
  }
}

/** The path with its ids as checked: another spelling of the same URL is the same request. */
function targetOf({ path }: Route, params: Record<string, unknown> = {}): string {
  return path.replace(/:([A-Za-z]+)/g, (_, name: string) => String(params[name]))
}

/** Only a refusal is one: a database that cannot be asked right now takes nobody's rights away. */
async function isAccepted(identify: () => Promise<void>): Promise<boolean> {
  try {
    await identify()
    return true
  } catch (error) {
    return !(error instanceof AppError && error.status < 500)
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
  const isRepeated = countHeader(raw.rawHeaders, 'authorization') > 1
  const applicationId = headers['x-ai-application-id'] ?? headers['x-workspace-id']
  return {
    authorization: isRepeated ? '' : headers.authorization,
    cookie: headers.cookie,
    applicationId: typeof applicationId === 'string' ? applicationId : undefined,
  }
}

/** Node keeps only the first of some repeated headers; `headersDistinct` would tell, but sorts all of them for that. */
function countHeader(rawHeaders: string[], name: string): number {
  let count = 0
  for (let at = 0; at < rawHeaders.length; at += 2) {
    const given = rawHeaders[at]
    if (given?.length === name.length && given.toLowerCase() === name) count += 1
  }
  return count
}
