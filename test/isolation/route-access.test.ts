import { fastify } from 'fastify'
import { describe, expect, it } from 'vitest'
import { generateApiKey } from '../../src/auth/api-keys/api-key-format.ts'
import { idGenerator } from '../../src/base/ids.ts'
import { createLogger } from '../../src/base/log.ts'
import { sharedReportMount } from '../../src/decisions/shared-report-mount.ts'
import { authMount } from '../../src/http/auth-mount.ts'
import { API_PREFIX, pathOf, type Route } from '../../src/http/route.ts'
import { createServer } from '../../src/http/server.ts'
import type { ServerOptions } from '../../src/http/server-options.ts'
import { otlpMounts } from '../../src/ingestion/otlp/otlp-mounts.ts'
import { DEFAULT_LIMITS } from '../../src/ingestion/otlp/receive-traces.ts'
import { mcpMount } from '../../src/mcp-mount.ts'
import type { DbOutsideTransaction } from '../../src/storage/db.ts'
import type { Client } from '../harness/client.ts'
import { describeEachEngine } from '../harness/each-engine.ts'
import { noLimits } from '../harness/no-limits.ts'
import { rawRequest, sendRaw } from '../harness/raw-socket.ts'
import { visible } from './foreign-requests.ts'
import { type Ids, MISSING, missingIds, nameOf, ROUTES, requestOf } from './route-requests.ts'

/** Routes without authentication. A route joins this list only on purpose. */
const PUBLIC = [
  'GET /health',
  'GET /ready',
  'GET /openapi.json',
  'GET /instance',
  'POST /setup',
  'POST /invitations/lookup',
  'POST /invitations/sign-up',
  'POST /password-resets',
  'POST /password-resets/lookup',
]

const ANY_IDS: Ids = missingIds(MISSING)

/** What a caller gets who is let in, with ids of nothing; the second to create something may find its name taken. */
const SUCCEEDED_OR_MISSING = [200, 201, 202, 204, 404, 409]

/** The endpoints of the OpenTelemetry protocol, in addition to the routes. */
const OTLP_PATHS = ['traces', 'logs', 'metrics'].flatMap((signal) =>
  ['/v1', '/api/v1', '/api/public/otel/v1'].map((prefix) => `${prefix}/${signal}`),
)

/** One of each kind of credentials: how they are read does not depend on the route. Section B of the bad input has all spellings. */
const ON_EVERY_ROUTE = [
  'nothing',
  'a key that was never made',
  'a key in a cookie',
  'a forged signature',
  'a wrong key with a valid cookie',
  'a broken header with a valid cookie',
]

/** Who has left is no member for the next request: see the tests of roles. Allowed addresses need the role in all applications. */
const WITH_OWN_TESTS = ['DELETE /members/me', 'PUT /instance/allowed-targets']

const guarded = ROUTES.filter(({ access }) => access.auth !== 'none')

describe('the list of routes', () => {
  it('declares for every route who may call it', () => {
    for (const route of ROUTES) {
      const { access } = route
      expect(['none', 'session', 'key-or-session'], nameOf(route)).toContain(access.auth)
      if ('reason' in access) expect(access.reason.length, nameOf(route)).toBeGreaterThan(10)
      if (access.auth === 'key-or-session') expect(access, nameOf(route)).toHaveProperty('role')
    }
  })

  it('requires credentials for all but the intentionally public routes', () => {
    const open = ROUTES.filter(({ access }) => access.auth === 'none').map(nameOf)
    expect(open.sort()).toEqual([...PUBLIC].sort())
  })

  it('has no two routes for one method and path', () => {
    expect(new Set(ROUTES.map(nameOf)).size).toBe(ROUTES.length)
  })
})

describe('start-up', () => {
  const [first] = guarded.filter((route) => 'role' in route.access)

  it('fails if a route does not declare its access', () => {
    expect(() => createServer(serverOptions([without(first, 'access')]))).toThrow()
  })

  it('fails if a route does not declare how its caller is authenticated', () => {
    expect(() => createServer(serverOptions([withAccessLacking(first, 'auth')]))).toThrow()
  })

  it('fails if a route inside a workspace does not declare the required role', () => {
    expect(() => createServer(serverOptions([withAccessLacking(first, 'role')]))).toThrow()
  })

  it('succeeds with the routes as they are', async () => {
    const app = createServer(serverOptions(ROUTES))
    await app.ready()
    await app.close()
  })
})

describe('the mounted handlers', () => {
  it('are the routes, the authentication library, the two endpoints for spans, shared reports, MCP, and nothing else', async () => {
    const app = createServer(serverOptions(ROUTES))
    await app.ready()
    // The router prints a tree of its own making, so the expected one is printed by a router, too.
    const expected = fastify({ routerOptions: { maxParamLength: 16_384 } })
    const handler = async () => ''
    for (const route of ROUTES) expected.route({ method: route.method, url: pathOf(route), handler })
    expected.route({ method: ['GET', 'POST', 'PUT', 'PATCH', 'DELETE'], url: '/api/auth/*', handler })
    for (const url of OTLP_PATHS) expected.route({ method: 'POST', url, handler })
    expected.route({ method: 'GET', url: '/shared/*', handler })
    expected.route({ method: 'POST', url: '/mcp', handler })
    await expected.ready()
    expect(app.printRoutes({ commonPrefix: false })).toBe(expected.printRoutes({ commonPrefix: false }))
    for (const route of ROUTES) {
      const url = pathOf(route)
      expect(app.hasRoute({ method: route.method, url }), nameOf(route)).toBe(true)
    }
    await app.close()
    await expected.close()
  })
})

describeEachEngine(
  'a request without good credentials',
  (app) => {
    it.each(guarded.map((route) => [nameOf(route), route] as const))(
      '%s returns 401 without credentials, for garbage of every kind, and for a key in the wrong place',
      async (_name, route) => {
        const { method, path, body } = requestOf(route, ANY_IDS)
        for (const [kind, headers] of (await badCredentials()).filter(([name]) => ON_EVERY_ROUTE.includes(name))) {
          const { status, text, headers: given } = await app().anonymous.send(method, path, { body, headers })
          expect({ kind, status, text }).toEqual({ kind, status: 401, text: '{"error":"Invalid or missing API key"}' })
          expect(given.get('www-authenticate'), kind).toBe('Bearer')
        }
        // HEAD is guarded as GET is.
        if (method === 'GET') expect((await app().anonymous.send('HEAD', path)).status).toBe(401)
      },
    )

    it.each(OTLP_PATHS)('POST %s returns 401 in the format of OTLP, also for a valid session', async (path) => {
      const { workspaceId } = await app().newWorkspace()
      const owner = await app().newPerson([{ workspaceId, role: 'owner' }])
      const sessions: [string, Record<string, string>][] = [
        ['a session', { cookie: owner.cookie, origin: app().url, 'x-ai-application-id': workspaceId }],
        ['a session as a token', { authorization: `Bearer ${owner.token}`, 'x-ai-application-id': workspaceId }],
      ]
      // Here a key may also be the password of Basic authentication.
      const bad = (await badCredentials()).filter(([kind]) => kind !== 'a key by another scheme')
      for (const [kind, headers] of [...bad, ...sessions]) {
        const {
          status,
          body,
          headers: given,
        } = await app().anonymous.send('POST', path, { body: '{"not json', headers })
        const message = 'Invalid or missing API key'
        expect({ kind, status, body }).toEqual({ kind, status: 401, body: { code: 16, message, error: message } })
        expect(given.get('www-authenticate'), kind).toBe('Bearer')
      }
      expect(await app().asPerson(owner, workspaceId).list('/traces')).toEqual([])
    })

    it('gets a response before the ids and the body are read', async () => {
      for (const route of guarded) {
        const malformed = Object.fromEntries(Object.keys(ANY_IDS).map((name) => [name, 'malformed']))
        const { method, path, body } = requestOf(route, malformed)
        const sent = body === undefined ? {} : { body: '{"not json' }
        const { status } = await app().anonymous.send(method, path, sent)
        expect(status, nameOf(route)).toBe(401)
      }
    })

    it('gets from every path that exists the methods that it takes, and from others 404', async () => {
      for (const path of new Set(ROUTES.map((route) => route.path))) {
        const methods: string[] = ROUTES.filter((route) => route.path === path).map(({ method }) => method)
        if (OTLP_PATHS.includes(`${API_PREFIX}${path}`)) methods.push('POST')
        const target = path.replace(/:[A-Za-z]+/g, MISSING)
        const foreign = ['PUT', 'PATCH', 'DELETE'].find((method) => !methods.includes(method)) ?? ''
        const { status, headers } = await app().anonymous.send(foreign, target)
        const allowed = methods.includes('GET') ? [...methods, 'HEAD'] : methods
        expect(status, path).toBe(405)
        expect(headers.get('allow')?.split(', ').sort(), path).toEqual(allowed.sort())
      }
      for (const method of ['GET', 'PUT', 'DELETE']) {
        const { status, headers } = await app().anonymous.send(method, '/v1/traces')
        expect([status, headers.get('allow')]).toEqual([405, 'POST'])
      }
      expect((await app().anonymous.get('/no-such-thing')).status).toBe(404)
    })

    it('gets 405 from a path such as /members/me for methods that only /members/:userId has', async () => {
      const paths = [...new Set(ROUTES.map((route) => route.path))]
      const shadowed = paths.filter((path) => paths.some((other) => isMatchedBy(path, other)))
      expect(shadowed).toContain('/members/me')
      for (const path of shadowed) {
        const own: string[] = ROUTES.filter((route) => route.path === path).map(({ method }) => method)
        const allowed = own.includes('GET') ? [...own, 'HEAD'] : own
        for (const method of ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE'].filter(
          (name) => !allowed.includes(name),
        )) {
          const target = path.replace(/:[A-Za-z]+/g, MISSING)
          const request = rawRequest(`${method} ${API_PREFIX}${target}`, ['Host: localhost', 'Content-Length: 0'])
          const { status, headers } = await sendRaw(app().url, request, method === 'HEAD' ? { method } : {})
          expect(status, `${method} ${path}`).toBe(405)
          expect(headers.get('allow')?.split(', ').sort(), `${method} ${path}`).toEqual(allowed.sort())
        }
      }
    })

    it('may be a wrong set-up link: the description declares the response', async () => {
      const body = { token: 'wrong', name: 'Ann', email: 'ann@example.com', password: 'correct horse, charged battery' }
      const { status } = await app().anonymous.post('/setup', body)
      expect(status).toBe(401)
    })

    let prepared: [string, Record<string, string>][] | undefined

    /** Everything that must not open anything, made once: hashing passwords takes its time. */
    async function badCredentials(): Promise<[string, Record<string, string>][]> {
      if (prepared) return prepared
      const { key, workspaceId } = await app().newWorkspace()
      const stranger = await app().newPerson()
      const application = { 'x-ai-application-id': workspaceId, origin: app().url }
      const typo = `${key.slice(0, -1)}${key.endsWith('0') ? '1' : '0'}`
      prepared = [
        ['nothing', {}],
        ['no key after Bearer', { authorization: 'Bearer ' }],
        ['garbage', { authorization: 'Bearer garbage' }],
        ['a key that was never made', { authorization: `Bearer ${generateApiKey()}` }],
        ['a mistyped key', { authorization: `Bearer ${typo}` }],
        ['a key in another case', { authorization: `Bearer ${key.toUpperCase()}` }],
        ['a key and more', { authorization: `Bearer ${key} ${key}` }],
        ['a key without Bearer', { authorization: key }],
        ['a key by another scheme', { authorization: `Basic ${btoa(`key:${key}`)}` }],
        ['a very long key', { authorization: `Bearer ${'x'.repeat(5_000)}` }],
        ['SQL', { authorization: "Bearer '--or'1'='1" }],
        ['a key in the wrong header', { 'x-api-key': key, 'api-key': key, 'x-authorization': `Bearer ${key}` }],
        ['a key in a cookie', { cookie: `session=${key}; __Host-session=${key}`, ...application }],
        ['an empty cookie', { cookie: 'session=', ...application }],
        ['a token in a cookie without its signature', { cookie: `session=${stranger.token}`, ...application }],
        ['a forged signature', { cookie: `${stranger.cookie.slice(0, -6)}AAAA%3D`, ...application }],
        ['a wrong key with a valid cookie', { authorization: 'Bearer wrong', cookie: stranger.cookie, ...application }],
        ['a broken header with a valid cookie', { authorization: 'Bearer', cookie: stranger.cookie, ...application }],
      ]
      return prepared
    }
  },
  { works: false },
)

describeEachEngine(
  'a good session',
  (app) => {
    it('opens no route of an application unless it names one that its person is in', async () => {
      const { workspaceId } = await app().newWorkspace()
      const other = await app().newWorkspace()
      const person = await app().newPerson([{ workspaceId, role: 'owner' }])
      const inHeader = guarded.filter(({ access }) => 'workspace' in access && access.workspace === 'header')
      for (const [place, route] of inHeader.entries()) {
        const { method, path, body } = requestOf(route, ANY_IDS)
        const none = await app().asPerson(person).send(method, path, { body })
        expect(none.status, nameOf(route)).toBe(401)
        const spellings =
          place === 0 ? ['malformed', '', "' OR 1=1 --", `${workspaceId}, ${workspaceId}`] : ['malformed']
        const named: Record<string, string>[] = [
          ...[other.workspaceId, MISSING, ...spellings].map((id) => ({ 'x-ai-application-id': id })),
          { 'x-workspace-id': other.workspaceId },
        ]
        for (const headers of named) {
          const answer = await app().asPerson(person).send(method, path, { body, headers })
          expect(visible(answer), `${nameOf(route)} ${JSON.stringify(headers)}`).toEqual(visible(none))
        }
      }
    })

    it('has the same access in every way to send it, like an API key, which has no access to the account of a person', async () => {
      const { workspaceId, client } = await app().newWorkspace()
      const owner = await app().newPerson([{ workspaceId, role: 'owner' }])
      for (const route of guarded.filter((one) => !WITH_OWN_TESTS.includes(nameOf(one)))) {
        const { method, path, ...sent } = requestOf(route, ANY_IDS)
        const { access } = route
        const isForKeys = access.auth === 'key-or-session' && !['admin', 'owner'].includes(access.role)
        const byKey = await client.send(method, path, sent)
        if (isForKeys) expect(SUCCEEDED_OR_MISSING, `${nameOf(route)} by key: ${byKey.text}`).toContain(byKey.status)
        else expect(byKey.status, nameOf(route)).toBe(access.auth === 'session' ? 401 : 403)
        const isInApplication = 'workspace' in access && access.workspace === 'header'
        const ways: [string, Client, Record<string, string>][] = [
          ['cookie', app().asPerson(owner), isInApplication ? { 'x-ai-application-id': workspaceId } : {}],
          ['cookie and older name', app().asPerson(owner), { 'x-workspace-id': workspaceId }],
          ['token', app().withKey(owner.token), { 'x-ai-application-id': workspaceId }],
        ]
        for (const [way, person, headers] of ways) {
          const { status, text } = await person.send(method, path, {
            ...sent,
            headers: { ...sent.headers, ...headers },
          })
          expect(SUCCEEDED_OR_MISSING, `${nameOf(route)} by ${way}: ${text}`).toContain(status)
        }
      }
    })

    it('rejects requests of another web site with its cookie', async () => {
      const { workspaceId } = await app().newWorkspace()
      const owner = await app().newPerson([{ workspaceId, role: 'owner' }])
      for (const route of guarded.filter(({ method }) => method !== 'GET')) {
        const { method, path, body } = requestOf(route, { ...ANY_IDS, workspaceId })
        const foreign = { origin: 'https://evil.example', 'sec-fetch-site': 'cross-site' }
        const { status } = await app().asPerson(owner, workspaceId).send(method, path, { body, headers: foreign })
        expect(status, nameOf(route)).toBe(403)
      }
    })
  },
  { works: false },
)

/** A server that is never asked anything. */
function serverOptions(routes: readonly Route[]): ServerOptions {
  const unused = () => {
    throw new Error('no request is made')
  }
  const db: DbOutsideTransaction = {
    inTransaction: false,
    get read() {
      return unused()
    },
    bulk: unused,
    inReadWorker: unused,
    search: unused,
    transaction: unused,
  }
  const clock = { now: () => 0 }
  const log = createLogger('silent')
  const services = {
    authenticator: { recognize: () => undefined, identify: unused, authorize: unused, requireRole: unused },
    onDenied: unused,
    withIdempotency: unused,
    context: { db, clock },
    newId: idGenerator(clock),
    bodyBytesMax: 1_024,
    ...noLimits(),
  }
  return {
    ...services,
    routes,
    mounts: [
      authMount({ handle: unused }, services.bodies),
      ...otlpMounts({
        limits: DEFAULT_LIMITS,
        authenticate: unused,
        admit: unused,
        store: unused,
        storeLogs: unused,
        failure: unused,
      }),
      sharedReportMount({ db, clock, countAnonymous: unused }),
      mcpMount(routes, services, log),
    ],
    log,
    isAllowedHost: () => true,
    isTrustedProxy: () => false,
    publicUrl: 'http://localhost',
    requestTimeoutMs: 1_000,
    fallback: async () => undefined,
  }
}

function without<Given extends object>(given: Given | undefined, part: keyof Given): Given {
  if (!given) throw new Error('there must be a route to take something from')
  const copy = { ...given }
  Reflect.deleteProperty(copy, part)
  return copy
}

function withAccessLacking(route: Route | undefined, part: 'auth' | 'role'): Route {
  const access = without<Record<string, unknown>>({ ...route?.access }, part) as Route['access']
  return { ...without(route, 'access'), access }
}

/** Whether a path has text where the other one has a parameter, and is like it otherwise. */
function isMatchedBy(path: string, other: string): boolean {
  const [own, others] = [path.split('/'), other.split('/')]
  if (path === other || own.length !== others.length) return false
  return own.every((segment, place) => segment === others[place] || others[place]?.startsWith(':'))
}
