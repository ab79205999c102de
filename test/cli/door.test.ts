import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { text } from 'node:stream/consumers'
import { describe, expect, it } from 'vitest'
import { createTestDatabase } from '../harness/each-engine.ts'
import { launch, PROGRAM, SERVER_KEY, waitFor } from '../harness/server-process.ts'

const PATH = process.env['PATH']

/** As from a shell: without the channel by which the other tests hold the processes that they start. */
function open(commandLine: readonly string[], environment: Record<string, string> = {}) {
  return spawn(process.execPath, commandLine, {
    env: { PATH, PORT: '0', TOUCHSTONE_OTLP_GRPC_PORT: 'off', ...environment },
    stdio: ['ignore', 'pipe', 'pipe'],
  })
}

function environmentOf(pid: number | undefined): string[] {
  return readFileSync(`/proc/${pid}/environ`, 'utf8').split('\0')
}

describe('the door', () => {
  it.runIf(process.platform === 'linux')(
    'starts the program with the memory settings that were measured, as the same process, which takes requests and ends when told',
    async () => {
      const { url: database } = await createTestDatabase('sqlite')
      const child = open([PROGRAM], { DATABASE_URL: database, TOUCHSTONE_API_KEY: SERVER_KEY })
      const ended = once(child, 'exit')
      try {
        let output = ''
        child.stdout.on('data', (piece: Buffer) => {
          output += piece
        })
        const url = await waitFor('the greeting', async () => /Open\s+(http:\S+)/.exec(output)?.[1])
        expect(environmentOf(child.pid)).toContain('MALLOC_ARENA_MAX=2')
        const answer = await fetch(`${url}/api/v1/workspace`, { headers: { authorization: `Bearer ${SERVER_KEY}` } })
        expect(answer.status).toBe(200)
      } finally {
        child.kill('SIGTERM')
      }
      expect(await ended).toEqual([0, null])
    },
  )

  it('passes on every argument, of the program and of Node, and answers with its exit code and its message', async () => {
    const child = open(['--stack-trace-limit=7', PROGRAM, 'no such', '--', '--command'])
    const [errors, [code]] = await Promise.all([text(child.stderr), once(child, 'exit')])
    expect({ code, errors }).toEqual({ code: 1, errors: expect.stringContaining('no such') })
    expect(await text(open([PROGRAM, '--version']).stdout)).toMatch(/^\d+\.\d+\.\d+\n$/)
  })

  it('leaves settings alone that somebody has chosen, and a process that its parent talks to as it is', async () => {
    const environment = { DATABASE_URL: (await createTestDatabase('sqlite')).url }
    const chosen = open([PROGRAM], { ...environment, MALLOC_ARENA_MAX: '7' })
    const ended = once(chosen, 'exit')
    try {
      await once(chosen.stdout, 'data')
      if (process.platform === 'linux') expect(environmentOf(chosen.pid)).toContain('MALLOC_ARENA_MAX=7')
    } finally {
      chosen.kill('SIGTERM')
      await ended
    }
    const held = launch({ environment })
    await waitFor('the greeting', async () => held.output || undefined)
    expect(held.child.connected).toBe(true)
    await held.kill()
  })
})
