import { describe, expect, it } from 'vitest'
import { TOOLS } from '../../src/mcp/tools.ts'
import { describedRoutes } from '../../tools/described-routes.ts'
import { describeEachEngine } from '../harness/each-engine.ts'
import { connectAgent, REVISIONS } from './mcp-client.ts'

const LIST = { jsonrpc: '2.0', id: 1, method: 'tools/list' }
const ACCEPT = { accept: 'application/json, text/event-stream' }

describe('the tools', () => {
  it('call only routes that exist, take an API key and belong to its application', () => {
    const routes = new Map(describedRoutes().map((route) => [`${route.method} ${route.path}`, route]))
    for (const { name, routes: called } of TOOLS)
      for (const route of called)
        expect(routes.get(route)?.access, `${name}: ${route}`).toMatchObject({
          auth: 'key-or-session',
          workspace: 'header',
        })
  })

  it('declare an effect exactly if they call a route that writes', () => {
    for (const { name, routes, effect } of TOOLS)
      expect(effect !== undefined, name).toBe(routes.some((route) => !route.startsWith('GET ')))
  })

  it('have compare_runs first, and no name twice', () => {
    expect(TOOLS[0]?.name).toBe('compare_runs')
    expect(new Set(TOOLS.map(({ name }) => name)).size).toBe(TOOLS.length)
  })
})

describeEachEngine('POST /mcp', (app) => {
  async function post(body: unknown, headers: Record<string, string> = {}) {
    const response = await fetch(`${app().url}/mcp`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', ...ACCEPT, ...headers },
      body: typeof body === 'string' ? body : JSON.stringify(body),
    })
    return { status: response.status, text: await response.text(), headers: response.headers }
  }

  it.each(REVISIONS)('serves clients of the revision %s', async (revision) => {
    const { key, client: api } = await app().newWorkspace()
    await api.create('/components', { name: 'Greeter' })
    const agent = await connectAgent(app().url, key, { revision })
    expect(agent.client.getServerVersion()?.name).toBe('touchstone')
    expect(agent.client.getInstructions()).toContain('never instructions')
    const { tools } = await agent.client.listTools()
    expect(tools.map(({ name }) => name)).toEqual(TOOLS.map(({ name }) => name))
    // An agent reads the list before its first call.
    expect(JSON.stringify(tools).length).toBeLessThan(20_000)
    const { rows } = await agent.call('list_components')
    expect(rows.map(({ name }) => name)).toEqual(['Greeter'])
  })

  it('rejects callers without a valid key with 401 before it looks at anything else', async () => {
    for (const [body, headers] of [
      [LIST, {}],
      [LIST, { authorization: 'Bearer wrong' }],
      ['no JSON', { 'content-type': 'text/plain' }],
      [LIST, { origin: 'https://elsewhere.example' }],
    ] as const) {
      const { status, text, headers: received } = await post(body, headers)
      expect({ status, text }).toEqual({ status: 401, text: '{"error":"Invalid or missing API key"}' })
      expect(received.get('www-authenticate')).toBe('Bearer')
    }
  })

  it('rejects invalid messages in the format of the API, or in that of the protocol', async () => {
    const { key } = await app().newWorkspace()
    const authorization = `Bearer ${key}`
    const cases = [
      { body: 'no JSON', status: 400, text: '{"error":"The request body is not valid JSON"}' },
      { body: '"text"', status: 400, text: '{"error":"The request body must be a JSON object"}' },
      { body: '', status: 400, text: '{"error":"A request body is required"}' },
      {
        body: LIST,
        type: 'text/plain',
        status: 415,
        text: '{"error":"The request body must be sent as application/json"}',
      },
      {
        body: `"${'x'.repeat(2 << 20)}"`,
        status: 413,
        text: '{"error":"The request body is larger than 1048576 bytes"}',
      },
    ]
    for (const { body, type = 'application/json', status, text } of cases) {
      const response = await post(body, { authorization, 'content-type': type })
      expect({ status: response.status, text: response.text }).toEqual({ status, text })
    }
    const { status, text } = await post({ some: 'thing' }, { authorization })
    expect(status).toBe(400)
    expect(JSON.parse(text)).toMatchObject({ jsonrpc: '2.0', error: { code: -32600 } })
  })

  it('keeps no session and opens no stream: GET and DELETE are 405, and a subscription is rejected', async () => {
    const { key } = await app().newWorkspace()
    for (const method of ['GET', 'DELETE']) {
      const response = await fetch(`${app().url}/mcp`, {
        method,
        headers: { authorization: `Bearer ${key}`, ...ACCEPT },
      })
      expect(response.status).toBe(405)
      expect(response.headers.get('allow')).toBe('POST')
      await response.body?.cancel()
    }
    const agent = await connectAgent(app().url, key)
    await expect(agent.client.listen({ toolsListChanged: true })).rejects.toThrow()
  })

  it('rejects pages of other sites, even with a key', async () => {
    const { key } = await app().newWorkspace()
    const { status, text } = await post(LIST, { authorization: `Bearer ${key}`, origin: 'https://elsewhere.example' })
    expect({ status, text }).toEqual({ status: 403, text: '{"error":"Cross-site requests are not allowed"}' })
    expect((await post(LIST, { authorization: `Bearer ${key}`, origin: app().url })).status).toBe(200)
  })

  it('works with the session of a member in the application that a header names, and in no other', async () => {
    const { workspaceId, client: api } = await app().newWorkspace()
    await api.create('/components', { name: 'Greeter' })
    const person = await app().newPerson([{ workspaceId, role: 'viewer' }])
    const header = { 'x-ai-application-id': workspaceId }
    const agent = await connectAgent(app().url, person.token, { headers: header })
    expect((await agent.call('list_components')).rows).toHaveLength(1)
    const other = await app().newWorkspace()
    for (const headers of [{}, { 'x-ai-application-id': other.workspaceId }]) {
      const { status } = await post(LIST, { authorization: `Bearer ${person.token}`, ...headers })
      expect(status).toBe(401)
    }
  })
})

describeEachEngine(
  'a batch of messages',
  (app) => {
    it('has no more calls than the key may send requests', async () => {
      const { key } = await app().newWorkspace()
      const params = { name: 'list_components', arguments: {} }
      const batch = Array.from({ length: 60 }, (_, id) => ({ jsonrpc: '2.0', id, method: 'tools/call', params }))
      const response = await fetch(`${app().url}/mcp`, {
        method: 'POST',
        headers: { 'content-type': 'application/json', ...ACCEPT, authorization: `Bearer ${key}` },
        body: JSON.stringify(batch),
      })
      const text = await response.text()
      expect(response.status).toBe(200)
      const rejected = text.match(/Too many requests; the limit is 1 per second/g) ?? []
      expect(rejected.length).toBeGreaterThan(20)
      expect(rejected.length).toBeLessThan(50)
    })
  },
  { environment: { TOUCHSTONE_REQUESTS_PER_SECOND: '1', TOUCHSTONE_REQUESTS_BURST: '20' } },
)
