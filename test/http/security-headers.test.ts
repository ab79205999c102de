import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { createClient } from '../harness/client.ts'
import { createTestDatabase, type TestDatabase } from '../harness/each-engine.ts'
import { freePort } from '../harness/free-port.ts'
import { rawRequest, sendRaw } from '../harness/raw-socket.ts'
import { startTestApp, type TestApp } from '../harness/test-app.ts'
import { missingIds, nameOf, ROUTES, requestOf } from '../isolation/route-requests.ts'

describe('every response of a server that people reach by https', () => {
  let app: TestApp
  let database: TestDatabase
  let url: string
  const host = 'Host: touchstone.example'

  beforeAll(async () => {
    database = await createTestDatabase('sqlite', 'migrated')
    const port = await freePort()
    url = `http://127.0.0.1:${port}`
    app = await startTestApp(database.url, {
      environment: { PORT: String(port), TOUCHSTONE_PUBLIC_URL: 'https://touchstone.example' },
    })
  })
  afterAll(async () => {
    await app.close()
    database.remove()
  })

  function expectHeaders(what: string, headers: Headers): void {
    expect(headers.get('strict-transport-security'), `${what}: HSTS`).toBe('max-age=31536000')
    expect(headers.get('x-content-type-options'), `${what}: nosniff`).toBe('nosniff')
    expect(headers.get('content-security-policy') ?? '', `${what}: CSP`).toMatch(
      /^default-src 'none';.*frame-ancestors 'none'/,
    )
    expect(headers.get('referrer-policy'), `${what}: referrer policy`).toBe('no-referrer')
    expect(headers.get('cache-control'), `${what}: cache`).not.toBeNull()
  }

  it('has HSTS, nosniff, a content security policy and a referrer policy: every route, without and with a key', async () => {
    const { workspaceId, key } = await app.newWorkspace()
    const callers = { anonymous: createClient(url, {}), key: createClient(url, { authorization: `Bearer ${key}` }) }
    for (const route of ROUTES) {
      const { method, path, body, headers } = requestOf(route, missingIds(workspaceId))
      for (const [name, client] of Object.entries(callers)) {
        const sent = { ...(body === undefined ? {} : { body }), ...(headers ? { headers } : {}) }
        const answer = await client.send(method, path, sent)
        expectHeaders(`${nameOf(route)} (${name}) ${answer.status}`, answer.headers)
      }
    }
  })

  it('has them outside of routes: errors, sign-in, OTLP, pages, and requests that the parser rejects', async () => {
    const client = createClient(url, {})
    const odd: [string, string, Parameters<typeof client.send>[2]?][] = [
      ['GET', '/api/v1/nothing'],
      ['DELETE', '/api/v1/workspace'],
      ['GET', '/api/v1/components/%E0%A4%A'],
      ['HEAD', '/api/v1/openapi.json'],
      ['GET', '/api/auth/get-session'],
      ['GET', '/api/auth/nothing'],
      ['PUT', '/api/auth/sign-in/email'],
      ['POST', '/api/auth/sign-in/email', { body: { email: 'ann@example.com', password: 'wrong wrong wrong' } }],
      ['POST', '/api/auth/sign-in/email', { body: '{' }],
      ['POST', '/api/auth/sign-out', { headers: { 'sec-fetch-site': 'cross-site' } }],
      ['POST', '/v1/traces', { body: '{}' }],
      ['POST', '/api/v1/traces', { body: '', headers: { 'content-type': 'application/x-protobuf' } }],
      ['GET', '/api/v1/workspace', { headers: { host: 'evil.example' } }],
      ['GET', '/v1/nothing', { headers: { accept: 'text/html' } }],
    ]
    for (const [method, path, sent] of odd) {
      const answer = await client.send(method, path, sent)
      expectHeaders(`${method} ${path} ${answer.status}`, answer.headers)
    }
    const raw: [string, string][] = [
      ['malformed', 'NONSENSE\r\n\r\n'],
      ['too long', rawRequest('GET /health', [host, `X-Long: ${'x'.repeat(20_000)}`])],
      ['expectation', rawRequest('GET /health', [host, 'Expect: tea'])],
      ['no host', rawRequest('GET /health', [])],
      ['a page', rawRequest('GET /', [host, 'Accept: text/html'])],
      ['a compressed page', rawRequest('GET /components', [host, 'Accept: text/html', 'Accept-Encoding: br'])],
      ['a file that is not there', rawRequest('GET /assets/none.js', [host])],
    ]
    for (const [what, bytes] of raw) {
      const answer = await sendRaw(url, bytes)
      expectHeaders(`${what} ${answer.status}`, answer.headers)
    }
  })

  it('has them when it is a stream or has no body', async () => {
    const { key: secret } = await app.newWorkspace()
    const key = createClient(url, { authorization: `Bearer ${secret}` })
    const component = await key.create('/components', { name: 'Streamed' })
    const dataset = await key.create(`/components/${component}/datasets`, { name: 'D', traceIds: ['t'] })
    const below = `/components/${component}/datasets/${dataset}`
    expectHeaders('export', (await key.get(`${below}/export?format=jsonl`)).headers)
    expectHeaders('deletion', (await key.delete(`/components/${component}`)).headers)
  })
})

describe('a server that people reach by http', () => {
  it('does not require https of browsers, which it does not serve', async () => {
    const database = await createTestDatabase('sqlite', 'migrated')
    const app = await startTestApp(database.url)
    const { headers } = await app.anonymous.get('/health')
    expect(headers.get('strict-transport-security')).toBeNull()
    expect(headers.get('x-content-type-options')).toBe('nosniff')
    await app.close()
    database.remove()
  })
})
