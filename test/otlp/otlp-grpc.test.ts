import { once } from 'node:events'
import { connect as connectHttp2 } from 'node:http2'
import { connect } from 'node:net'
import { Client, compressionAlgorithms, credentials, Metadata, type ServiceError, status } from '@grpc/grpc-js'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { AppError } from '../../src/base/errors.ts'
import { waitFor } from '../harness/server-process.ts'
import { manySpans, messageType, requestOf, requestType, spanMessage } from './otlp-messages.ts'
import { KEY, type OtlpServer, startOtlpServer } from './otlp-server.ts'

const EXPORT = '/opentelemetry.proto.collector.trace.v1.TraceService/Export'
const GOOD = requestType.encode(requestOf(spanMessage()))

let server: OtlpServer
let takeAll: OtlpServer['store']
let client: Client
beforeAll(async () => {
  server = await startOtlpServer({ batchesMax: 2 })
  takeAll = server.store
  client = clientOf(server)
})
afterAll(async () => {
  client.close()
  await server.close()
})
beforeEach(() => {
  server.stored.length = 0
  server.store = takeAll
})

function clientOf({ grpcPort }: OtlpServer, options = {}): Client {
  return new Client(`127.0.0.1:${grpcPort}`, credentials.createInsecure(), options)
}

type Called = { code: number; details: string; body: unknown; error?: ServiceError }

function call(bytes: Buffer, { key = KEY, by = client, path = EXPORT } = {}): Promise<Called> {
  const metadata = new Metadata()
  if (key !== '') metadata.set('authorization', `Bearer ${key}`)
  const same = (message: Buffer) => message
  return new Promise((resolve) => {
    by.makeUnaryRequest(path, same, same, bytes, metadata, {}, (error, answer = Buffer.alloc(0)) => {
      const body = messageType('ExportTraceServiceResponse').decode(answer)
      resolve(error ? { code: error.code, details: error.details, body, error } : { code: 0, details: '', body })
    })
  })
}

const retryAfter = (seconds: number) =>
  messageType('RetryInfo')
    .encode({ retryDelay: { seconds: String(seconds) } })
    .toString('base64')

describe('OTLP over gRPC', () => {
  it('stores the spans, and returns an empty response', async () => {
    expect(await call(GOOD)).toEqual({ code: 0, details: '', body: {} })
    expect(server.stored).toMatchObject([{ spans: [{ name: 'chat' }] }])
  })

  it('takes gzip', async () => {
    const gzip = clientOf(server, { 'grpc.default_compression_algorithm': compressionAlgorithms.gzip })
    expect(await call(GOOD, { by: gzip })).toMatchObject({ code: 0 })
    gzip.close()
    expect(server.stored).toHaveLength(1)
  })

  it('returns the number of rejected spans and the reason', async () => {
    server.store = async () => ({ rejectedCount: 2, problems: ['No'] })
    expect((await call(GOOD)).body).toEqual({ partialSuccess: { rejectedSpans: '2', errorMessage: 'No' } })
  })

  it('nothing is a success', async () => {
    expect(await call(Buffer.alloc(0))).toMatchObject({ code: 0, body: {} })
    expect(server.stored).toEqual([])
  })

  it.each<[string, Buffer, { key?: string; path?: string }, number]>([
    ['no key', GOOD, { key: '' }, status.UNAUTHENTICATED],
    ['a wrong key', GOOD, { key: 'wrong' }, status.UNAUTHENTICATED],
    ['a message that cannot be read', Buffer.from('hello'), {}, status.INVALID_ARGUMENT],
    ['10,001 spans', requestType.encode(requestOf(...manySpans(10_001))), {}, status.INVALID_ARGUMENT],
    ['21 MiB', Buffer.alloc(21 << 20), {}, status.RESOURCE_EXHAUSTED],
    [
      'another service',
      GOOD,
      { path: '/opentelemetry.proto.collector.profiles.v1development.ProfilesService/Export' },
      status.UNIMPLEMENTED,
    ],
  ])('%s is rejected permanently, with a message, and nothing is stored', async (_, bytes, how, code) => {
    const { details, error, ...called } = await call(bytes, how)
    expect(called.code).toBe(code)
    expect(details).not.toBe('')
    expect(error?.metadata.get('grpc-status-details-bin')).toEqual([])
    expect(server.stored).toEqual([])
  })

  it('an internal failure is UNAVAILABLE with a retry delay', async () => {
    const busy = new AppError(503, 'Busy', { headers: { 'retry-after': '7' } })
    for (const [failure, seconds] of [
      [new Error('the disk is on fire'), 1],
      [busy, 7],
    ] as const) {
      server.store = async () => {
        throw failure
      }
      const { code, details, error } = await call(GOOD)
      expect(code).toBe(status.UNAVAILABLE)
      expect(details).not.toContain('fire')
      const [bytes] = error?.metadata.get('grpc-status-details-bin') ?? []
      const retryInfo = { typeUrl: 'type.googleapis.com/google.rpc.RetryInfo', value: retryAfter(seconds) }
      expect(messageType('RpcStatus').decode(Buffer.from(bytes ?? ''))).toEqual({
        code: 14,
        message: details,
        details: [retryInfo],
      })
    }
  })

  it('calls beyond the concurrency limit are UNAVAILABLE, and the others finish', async () => {
    const { promise: gate, resolve: open } = Promise.withResolvers<void>()
    const { promise: bothAreHeld, resolve: reachBoth } = Promise.withResolvers<void>()
    server.store = async () => {
      if (server.stored.length === 2) reachBoth()
      await gate
      return { rejectedCount: 0, problems: [] }
    }
    const held = [call(GOOD), call(GOOD)]
    await bothAreHeld
    expect((await call(GOOD)).code).toBe(status.UNAVAILABLE)
    open()
    expect((await Promise.all(held)).map(({ code }) => code)).toEqual([0, 0])
    expect((await call(GOOD)).code).toBe(0)
  })

  it('calls whose messages have not arrived use at most the limit together: the others wait', async () => {
    const small = await startOtlpServer({ bodyBytesMax: 1_000, bodyBytesInFlightMax: 2_500 })
    const by = clientOf(small)
    expect((await call(GOOD, { by })).code).toBe(0)
    small.stored.length = 0
    const slow = connectHttp2(`http://127.0.0.1:${small.grpcPort}`)
    await once(slow, 'remoteSettings')
    const roundTrip = () =>
      new Promise<void>((resolve, reject) => slow.ping((error) => (error ? reject(error) : resolve())))
    const headers = { ':method': 'POST', ':path': EXPORT, 'content-type': 'application/grpc', te: 'trailers' }
    for (let count = 0; count < 2; count += 1) {
      const stream = slow.request({ ...headers, authorization: `Bearer ${KEY}` })
      stream.on('error', () => {})
      // Compressed, so that its size is unknown in advance.
      stream.write(Buffer.from([1, 0, 0, 1, 0, 1]))
      await roundTrip()
    }
    const order: string[] = []
    const waiting = call(GOOD, { by }).then(({ code }) => order.push(`answered ${code}`))
    // Behind it on the same connection, and answered without a turn: it would have been stored by then.
    for (let count = 0; count < 10; count += 1) await call(GOOD, { by, key: 'wrong' })
    expect(small.stored).toEqual([])
    order.push('one is given up')
    slow.destroy()
    await waiting
    expect(order).toEqual(['one is given up', 'answered 0'])
    by.close()
    await small.close()
  })

  it('calls that are cancelled before their message has arrived release their memory', async () => {
    for (let time = 0; time < 5; time += 1) {
      const session = connectHttp2(`http://127.0.0.1:${server.grpcPort}`)
      const headers = { ':method': 'POST', ':path': EXPORT, 'content-type': 'application/grpc', te: 'trailers' }
      const stream = session.request({ ...headers, authorization: `Bearer ${KEY}` })
      stream.on('error', () => {})
      stream.write(Buffer.from([0, 0, 0, 1, 0, 1]))
      // What comes back shows that the headers were read.
      await new Promise<void>((resolve) => session.ping(() => resolve()))
      const closed = new Promise<void>((resolve) => session.once('close', () => resolve()))
      session.destroy()
      await closed
    }
    await waitFor('memory for a call', async () => (await call(GOOD)).code === 0 || undefined)
  })
})

describe('the port of gRPC', () => {
  it('serves connections that are opened while the library is loaded', async () => {
    const fresh = await startOtlpServer()
    const clients = Array.from({ length: 5 }, (_, place) =>
      clientOf(fresh, { 'grpc.primary_user_agent': `c${place}`, 'grpc.use_local_subchannel_pool': 1 }),
    )
    const called = await Promise.all(clients.map((by) => call(GOOD, { by })))
    expect(called.map(({ code }) => code)).toEqual([0, 0, 0, 0, 0])
    for (const by of clients) by.close()
    await fresh.close()
  })

  it('does not respond before the server is open: its first key may not exist yet, and exporters drop denied spans', async () => {
    const { promise: opened, resolve: open } = Promise.withResolvers<void>()
    const opening = await startOtlpServer({ opened })
    const by = clientOf(opening)
    const begun = call(GOOD, { by })
    // Another server, which is open, answers many calls meanwhile.
    for (let count = 0; count < 20; count += 1) expect((await call(GOOD)).code).toBe(0)
    expect(opening.stored).toEqual([])
    open()
    expect((await begun).code).toBe(0)
    expect(opening.stored).toHaveLength(1)
    by.close()
    await opening.close()
  })

  it('calls wait for the turn of their key to be authenticated and to be stored, and end both', async () => {
    const { promise: turn, resolve: begin } = Promise.withResolvers<void>()
    const callers: string[] = []
    let inside = 0
    const enter = async (authorization: string) => {
      callers.push(authorization)
      await turn
      inside += 1
      return () => {
        inside -= 1
      }
    }
    const waiting = await startOtlpServer({ enter })
    const by = clientOf(waiting)
    const calls = [call(GOOD, { by }), call(GOOD, { by, key: 'wrong' })]
    await waitFor('both calls to wait', async () => callers.length === 2 || undefined)
    expect(waiting.stored).toEqual([])
    begin()
    expect((await Promise.all(calls)).map(({ code }) => code)).toEqual([0, status.UNAUTHENTICATED])
    expect(callers.toSorted()).toEqual([`Bearer ${KEY}`, `Bearer ${KEY}`, 'Bearer wrong'])
    expect(inside).toBe(0)
    by.close()
    await waiting.close()
  })

  it('survives bytes that are no HTTP/2, and connections that end at once', async () => {
    for (const bytes of ['GET / HTTP/1.1\r\n\r\n', '\0'.repeat(100), '']) {
      await new Promise<void>((resolve) => {
        const socket = connect(server.grpcPort, '127.0.0.1', () => socket.end(bytes))
        socket.resume()
        socket.on('error', () => {})
        socket.on('close', () => resolve())
      })
    }
    expect((await call(GOOD)).code).toBe(0)
  })

  it('closes without any connection, and with an idle connection', async () => {
    const lonely = await startOtlpServer()
    await lonely.close()
    const visited = await startOtlpServer()
    const socket = connect(visited.grpcPort, '127.0.0.1')
    const ended = new Promise<void>((resolve) => socket.once('close', () => resolve()))
    // The first bytes of HTTP/2 come from the server once the connection is in its hands.
    await new Promise<void>((resolve) => socket.once('data', () => resolve()))
    await visited.close()
    await ended
  })

  it('finishes a call that has begun before it closes', async () => {
    const closing = await startOtlpServer()
    const { promise: isHeld, resolve: hold } = Promise.withResolvers<void>()
    const { promise: gate, resolve: open } = Promise.withResolvers<void>()
    closing.store = async () => {
      hold()
      await gate
      return { rejectedCount: 0, problems: [] }
    }
    const by = clientOf(closing)
    const begun = call(GOOD, { by })
    await isHeld
    const closed = closing.close()
    open()
    expect((await begun).code).toBe(0)
    await closed
    by.close()
  })
})
