import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { describe, expect, it } from 'vitest'
import { createTestDatabase } from '../harness/each-engine.ts'
import { PROGRAM, SERVER_KEY, waitFor } from '../harness/server-process.ts'

const PATH = process.env['PATH']

/** As from a shell: without the channel by which the other tests control the processes that they start. */
function open(commandLine: readonly string[], environment: Record<string, string> = {}) {
  return run(process.execPath, commandLine, environment)
}

function run(command: string, commandLine: readonly string[], environment: Record<string, string>) {
  return spawn(command, commandLine, {
    cwd: join(import.meta.dirname, '../..'),
    env: { PATH, PORT: '0', TOUCHSTONE_OTLP_GRPC_PORT: 'off', ...environment },
    stdio: ['ignore', 'pipe', 'pipe'],
  })
}

describe('the entry point', () => {
  // npm start runs node touchstone.mjs.
  it('starts a server by npm start that serves requests and ends on SIGTERM', () => expectServer('npm', ['start']))
  it('starts a server by node touchstone.mjs that serves requests and ends on SIGTERM', { tags: 'deep' }, () =>
    expectServer(process.execPath, [PROGRAM]),
  )

  async function expectServer(command: string, commandLine: string[]): Promise<void> {
    const { url: database } = await createTestDatabase('sqlite')
    const child = run(command, commandLine, { DATABASE_URL: database, TOUCHSTONE_API_KEY: SERVER_KEY })
    const ended = once(child, 'exit')
    // The server holds the other end of the pipe, whichever process started it.
    const outputEnded = once(child.stdout, 'end')
    try {
      let output = ''
      child.stdout.on('data', (piece: Buffer) => {
        output += piece
      })
      const url = await waitFor('the greeting', async () => /Open\s+(http:\S+)/.exec(output)?.[1])
      const response = await fetch(`${url}/api/v1/workspace`, { headers: { authorization: `Bearer ${SERVER_KEY}` } })
      expect(response.status).toBe(200)
    } finally {
      child.kill('SIGTERM')
    }
    await outputEnded
    expect(await ended).toEqual([0, null])
  }

  it('passes on every argument, of the program and of Node, and ends with its exit code and its message', async () => {
    const child = open(['--stack-trace-limit=7', PROGRAM, 'no such', '--', '--command'])
    const [errors, [code]] = await Promise.all([text(child.stderr), once(child, 'exit')])
    expect({ code, errors }).toEqual({ code: 1, errors: expect.stringContaining('no such') })
    expect(await text(open([PROGRAM, '--version']).stdout)).toMatch(/^\d+\.\d+\.\d+\n$/)
  })
})
