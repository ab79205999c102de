import { join } from 'node:path'
import { PassThrough } from 'node:stream'
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio'
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest'
import { runMcpBridge } from '../../src/cli/mcp-bridge.ts'
import { runInProcess } from '../harness/command.ts'
import { createTestDatabase, type TestDatabase } from '../harness/each-engine.ts'
import { launch, PROGRAM, SERVER_KEY, type ServerProcess, startServer } from '../harness/server-process.ts'
import { agentOf, clientOf, REVISIONS, type Revision } from '../mcp/mcp-client.ts'

describe('the command mcp', () => {
  let database: TestDatabase | undefined
  let server: ServerProcess | undefined
  beforeAll(async () => {
    database = await createTestDatabase('sqlite', 'migrated')
    server = await startServer(database.url)
    await server.client.create('/components', { name: 'Greeter' })
  })
  afterAll(async () => {
    await server?.kill()
    database?.remove()
  })

  const settings = (key = SERVER_KEY) => ({ TOUCHSTONE_URL: server?.url ?? '', TOUCHSTONE_API_KEY: key })

  async function connect(revision: Revision) {
    const env = { PATH: process.env['PATH'] ?? '', ...settings() }
    const transport = new StdioClientTransport({ command: process.execPath, args: [PROGRAM, 'mcp'], env })
    const client = clientOf(revision)
    await client.connect(transport)
    onTestFinished(() => client.close())
    return agentOf(client)
  }

  it.each(REVISIONS)('serves a client of the revision %s that starts it as a program', async (revision) => {
    const agent = await connect(revision)
    expect((await agent.client.listTools()).tools.length).toBeGreaterThan(10)
    const { rows } = await agent.call('list_components')
    expect(rows.map(({ name }) => name)).toEqual(['Greeter'])
    expect(await agent.fail('list_runs', {})).toBe('The field componentId is required.')
  })

  /** What the bridge writes for these lines until its input ends. */
  async function bridge(lines: string[], { url = server?.url ?? '', apiKey = SERVER_KEY } = {}) {
    const input = new PassThrough()
    const output = new PassThrough()
    input.end(lines.map((line) => `${line}\n`).join(''))
    await runMcpBridge({ url, apiKey, input, output })
    output.end()
    const text = Buffer.concat(await output.toArray()).toString()
    return text === ''
      ? []
      : text
          .trimEnd()
          .split('\n')
          .map((line) => Object(JSON.parse(line)))
  }

  const LIST = JSON.stringify({ jsonrpc: '2.0', id: 7, method: 'tools/list' })

  it('answers every request before it ends, and none of the notifications', async () => {
    const notification = JSON.stringify({ jsonrpc: '2.0', method: 'notifications/initialized' })
    const replies = await bridge([notification, LIST, LIST.replace('7', '"eight"'), ''])
    expect(replies.map(({ id }) => id).sort()).toEqual([7, 'eight'])
    for (const { result } of replies) expect(result.tools.length).toBeGreaterThan(10)
  })

  it('turns a rejected key, a server that is not there and a line that is no message into errors', async () => {
    const [rejected] = await bridge([LIST], { apiKey: 'x'.repeat(32) })
    expect(rejected).toEqual({
      jsonrpc: '2.0',
      id: 7,
      error: { code: -32000, message: 'Invalid or missing API key (HTTP 401)' },
    })
    const [unreachable] = await bridge([LIST], { url: 'http://127.0.0.1:1' })
    expect(unreachable).toMatchObject({ id: 7, error: { message: expect.stringContaining('cannot be reached') } })
    const [invalid] = await bridge(['no JSON'])
    expect(invalid).toEqual({ jsonrpc: '2.0', id: null, error: { code: -32700, message: 'Not a JSON-RPC message' } })
    const [rejectedByProtocol] = await bridge([JSON.stringify({ jsonrpc: '1.0', id: 7, method: 'tools/list' })])
    expect(rejectedByProtocol).toMatchObject({ id: 7, error: { code: -32600 } })
  })

  it('is the only reason to load the library: a server without agents starts without it', async () => {
    const app = JSON.stringify(join(import.meta.dirname, '../../src/app.ts'))
    const message = JSON.stringify(join(import.meta.dirname, '../../src/mcp/serve-message.ts'))
    const source = `
      import { registerHooks } from 'node:module'
      let count = 0
      registerHooks({
        resolve(name, context, next) {
          if (name.startsWith('@modelcontextprotocol/')) count += 1
          return next(name, context)
        },
      })
      await import(${app})
      process.stdout.write(String(count))
      await import(${message})
      process.stdout.write(count > 0 ? ', then loaded' : ', then not loaded')`
    expect(await launch({ source }).ended).toMatchObject({ code: 0, output: '0, then loaded' })
  })

  it('needs a key, and an address without a path', async () => {
    const withoutKey = await runInProcess(['mcp'])
    expect(withoutKey).toMatchObject({ code: 1, output: '' })
    expect(withoutKey.errors).toMatch(/^Set TOUCHSTONE_API_KEY to a key of the server/)
    const withPath = await runInProcess(['mcp'], { ...settings(), TOUCHSTONE_URL: 'http://127.0.0.1/mcp' })
    expect(withPath).toMatchObject({ code: 1, output: '' })
    expect(withPath.errors).toMatch(/^TOUCHSTONE_URL must be an address/)
  })
})
