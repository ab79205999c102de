import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import { PassThrough } from 'node:stream'
import { text } from 'node:stream/consumers'
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio'
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest'
import { runMcpBridge } from '../../packages/cli/src/mcp-bridge.ts'
import { createTestDatabase, type TestDatabase } from '../harness/each-engine.ts'
import { launch, SERVER_KEY, type ServerProcess, startServer } from '../harness/server-process.ts'
import { agentOf, clientOf, REVISIONS, type Revision } from '../mcp/mcp-client.ts'

const PROGRAM = join(import.meta.dirname, '../../packages/cli/dist/touchstone.js')

describe('touchstone mcp', () => {
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

  const environment = (key = '') => ({
    PATH: process.env['PATH'] ?? '',
    // No file of the user.
    XDG_CONFIG_HOME: '/nonexistent',
    TOUCHSTONE_API_KEY: key,
  })

  async function connect(revision: Revision) {
    const args = [PROGRAM, 'mcp', '--url', server?.url ?? '']
    const transport = new StdioClientTransport({ command: process.execPath, args, env: environment(SERVER_KEY) })
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
    expect(await agent.fail('list_runs', {})).toBe('The field component is required.')
  })

  /** What the bridge writes for these lines until its input ends. */
  async function bridge(lines: string[], { url = server?.url ?? '', apiKey = SERVER_KEY } = {}) {
    const input = new PassThrough()
    const written: string[] = []
    input.end(lines.map((line) => `${line}\n`).join(''))
    await runMcpBridge({ url, apiKey, send: fetch, input, write: (line) => written.push(line) })
    return written.map((line) => Object(JSON.parse(line)))
  }

  const LIST = JSON.stringify({ jsonrpc: '2.0', id: 7, method: 'tools/list' })

  it('responds to every request before it exits, and to no notification', async () => {
    const notification = JSON.stringify({ jsonrpc: '2.0', method: 'notifications/initialized' })
    const replies = await bridge([notification, LIST, LIST.replace('7', '"eight"'), ''])
    expect(replies.map(({ id }) => id).sort()).toEqual([7, 'eight'])
    for (const { result } of replies) expect(result.tools.length).toBeGreaterThan(10)
  })

  it('turns a rejected key, an unreachable server and an invalid line into errors', async () => {
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

  it('is the only reason to load the library: a server without agents starts without it', {
    tags: 'deep',
  }, async () => {
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

  it('needs a key, and prints nothing on the output of the protocol without one', async () => {
    const child = spawn(process.execPath, [PROGRAM, 'mcp'], { env: environment() })
    const [output, errors, [code]] = await Promise.all([text(child.stdout), text(child.stderr), once(child, 'exit')])
    expect({ code, output }).toEqual({ code: 3, output: '' })
    expect(errors).toMatch(/^touchstone: There is no API key for /)
  })

  it('ends on SIGTERM, although its input is still open', async () => {
    const args = [PROGRAM, 'mcp', '--url', server?.url ?? '']
    const child = spawn(process.execPath, args, { env: environment(SERVER_KEY) })
    child.stdin.write(`${LIST}\n`)
    await once(child.stdout, 'data')
    child.kill('SIGTERM')
    expect(await once(child, 'exit')).toEqual([130, null])
  })
})
