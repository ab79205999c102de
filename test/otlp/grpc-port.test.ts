/** The setting TOUCHSTONE_OTLP_GRPC_PORT, in started programs. */
import { createServer, type Server } from 'node:net'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { readConfig } from '../../src/config.ts'
import { launch, makeFolder, startServer, waitFor } from '../harness/server-process.ts'

let folder = ''
let remove = () => {}
beforeAll(() => {
  ;({ folder, remove } = makeFolder())
})
afterAll(() => remove())

/** Listens on a port, any if none is given; returns undefined if it is taken. */
function takePort(port: number): Promise<Server | undefined> {
  return new Promise((resolve) => {
    const server = createServer()
    server.once('error', () => resolve(undefined))
    server.listen({ host: '127.0.0.1', port }, () => resolve(server))
  })
}

describe('TOUCHSTONE_OTLP_GRPC_PORT', () => {
  it('is 4317 by default, and off switches gRPC off', () => {
    expect(readConfig({})).toMatchObject({ otlpGrpcPort: 4_317, isOtlpGrpcPortGiven: false })
    expect(readConfig({ TOUCHSTONE_OTLP_GRPC_PORT: '0' })).toMatchObject({ otlpGrpcPort: 0, isOtlpGrpcPortGiven: true })
    expect(readConfig({ TOUCHSTONE_OTLP_GRPC_PORT: 'off' }).otlpGrpcPort).toBe(undefined)
    for (const wrong of ['65536', 'on', '-1'])
      expect(() => readConfig({ TOUCHSTONE_OTLP_GRPC_PORT: wrong })).toThrow(/^TOUCHSTONE_OTLP_GRPC_PORT must be/)
  })

  it('of 0 uses a free port, and the greeting names it', async () => {
    const environment = { TOUCHSTONE_OTLP_GRPC_PORT: '0' }
    const server = await startServer(`file:${join(folder, 'free.db')}`, { environment })
    expect(server.output).toMatch(/Traces {4}POST http:\S+\/v1\/traces · gRPC 127\.0\.0\.1:\d+\n/)
    server.signal('SIGTERM')
    expect((await server.ended).code).toBe(0)
  })

  it('that is taken stops the start with one message', async () => {
    const taken = await takePort(0)
    const port = String(Object(taken?.address()).port)
    const environment = { DATABASE_URL: `file:${join(folder, 'given.db')}`, TOUCHSTONE_OTLP_GRPC_PORT: port }
    const { code, errors } = await launch({ environment }).ended
    expect({ code, errors }).toEqual({
      code: 1,
      errors: `Port ${port} is taken. Set TOUCHSTONE_OTLP_GRPC_PORT to another one, or to off\n`,
    })
    taken?.close()
  })

  it('does not prevent the start when the default port is taken, and the greeting says so', async () => {
    // Another program on this machine may have it already, which serves as well.
    const taken = await takePort(4_317)
    const environment = { DATABASE_URL: `file:${join(folder, 'default.db')}`, TOUCHSTONE_OTLP_GRPC_PORT: '' }
    const program = launch({ environment })
    await waitFor('the greeting or the end', async () => program.hasEnded || /Data /.test(program.output) || undefined)
    expect(program.output).toMatch(/Traces {4}POST \S+ \(not over gRPC: its port 4317 is taken/)
    program.signal('SIGTERM')
    await program.ended
    taken?.close()
  })
})
