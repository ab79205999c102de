import { gzipSync } from 'node:zlib'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { AppError } from '../../src/base/errors.ts'
import { rawRequest, sendRaw, sendRawUntilClosed } from '../harness/raw-socket.ts'
import { manySpans, requestOf, requestType, spanMessage, toJson } from './otlp-messages.ts'
import { KEY, KEY_THAT_FAILS, type OtlpServer, startOtlpServer } from './otlp-server.ts'
import { JSON_TYPE, type Post, PROTOBUF, postTraces } from './post-traces.ts'

let server: OtlpServer
let takeAll: OtlpServer['store']
beforeAll(async () => {
  server = await startOtlpServer({ bodyBytesInFlightMax: 24 << 20, batchesMax: 2 })
  takeAll = server.store
})
afterAll(() => server.close())
beforeEach(() => {
  server.stored.length = 0
  server.store = takeAll
})

const REQUEST = requestOf(spanMessage())
const BODIES = [
  { type: PROTOBUF, good: requestType.encode(REQUEST), bad: Buffer.from('hello') },
  { type: 'application/protobuf', good: requestType.encode(REQUEST), bad: Buffer.from('hello') },
  { type: JSON_TYPE, good: toJson(REQUEST), bad: Buffer.from('hello') },
]

const post = (body: Uint8Array | string, sent: Post = {}) => postTraces(server.url, body, { key: KEY, ...sent })
const HOST = 'Host: localhost'
const AUTH = `Authorization: Bearer ${KEY}`

describe.each(BODIES)('$type', ({ type, good, bad }) => {
  const isProtobuf = type !== JSON_TYPE
  const failure = (code: number) =>
    isProtobuf
      ? { code, message: expect.any(String) }
      : { code, message: expect.any(String), error: expect.any(String) }

  it('a success has the same content type, and an empty message', async () => {
    const answer = await post(good, { type })
    expect(answer).toMatchObject({ status: 200, body: {} })
    expect(answer.headers.get('content-type')).toMatch(new RegExp(`^${type}`))
    expect(answer.bytes.toString()).toBe(isProtobuf ? '' : '{}')
    expect(server.stored.map(({ spans }) => spans.length)).toEqual([1])
  })

  it('returns 200 with the number of rejected spans and the reason', async () => {
    server.store = async () => ({ rejectedCount: 3, problems: ['One thing', 'Another'] })
    const partialSuccess = { rejectedSpans: '3', errorMessage: 'One thing; Another' }
    expect(await post(good, { type })).toMatchObject({ status: 200, body: { partialSuccess } })
  })

  it('a warning has no count of spans', async () => {
    server.store = async () => ({ rejectedCount: 0, problems: ['A warning'] })
    const { status, body } = await post(good, { type })
    expect(status).toBe(200)
    expect(body).toEqual({
      partialSuccess: isProtobuf ? { errorMessage: 'A warning' } : { rejectedSpans: '0', errorMessage: 'A warning' },
    })
  })

  it.each<[string, number, number, Post, Buffer | undefined]>([
    ['no key', 401, 16, { key: undefined }, undefined],
    ['a wrong key', 401, 16, { key: 'wrong' }, undefined],
    ['a body that cannot be read', 400, 3, {}, bad],
    ['a coding that we do not know', 415, 3, { headers: { 'content-encoding': 'zstd' } }, undefined],
    ['two codings', 415, 3, { headers: { 'content-encoding': 'gzip, gzip' } }, undefined],
    ['a body that is no gzip', 400, 3, { headers: { 'content-encoding': 'gzip' } }, undefined],
    ['21 MiB', 413, 3, {}, Buffer.alloc(21 << 20)],
  ])('%s is %i in the same type, with a message', async (_what, status, code, sent, body) => {
    const answer = await post(body ?? good, { type, ...sent })
    expect(answer.status).toBe(status)
    expect(answer.headers.get('content-type')).toMatch(new RegExp(`^${type}`))
    expect(answer.body).toEqual(failure(code))
    expect(server.stored).toEqual([])
  })

  it('a host that is not ours is 400 in the same type', async () => {
    const headers = ['Host: evil.test', AUTH, `Content-Type: ${type}`, 'Content-Length: 0']
    const answer = await sendRaw(server.url, rawRequest('POST /v1/traces', headers))
    expect(answer.status).toBe(400)
    expect(answer.headers.get('content-type')).toMatch(new RegExp(`^${type}`))
    expect(answer.text).toContain('Unknown host')
  })

  it('a failure of ours is 503 with Retry-After, and never 500: exporters would drop the traces', async () => {
    for (const error of [new Error('the disk is on fire'), new AppError(500, 'the disk is on fire')]) {
      server.store = async () => {
        throw error
      }
      const answer = await post(good, { type })
      expect(answer.status).toBe(503)
      expect(answer.headers.get('retry-after')).toBe('1')
      expect(answer.body).toMatchObject({ code: 14 })
      expect(answer.bytes.toString()).not.toContain('fire')
    }
  })

  it('a key that cannot be looked up is 503 too', async () => {
    expect(await post(good, { type, key: KEY_THAT_FAILS })).toMatchObject({ status: 503, body: { code: 14 } })
  })

  it('returns the status of an error that the store throws', async () => {
    server.store = async () => {
      throw new AppError(403, 'Not allowed')
    }
    expect(await post(good, { type })).toMatchObject({ status: 403, body: { code: 7, message: 'Not allowed' } })
  })

  it('nothing is a success, whether it is announced or not', async () => {
    for (const headers of [{}, { 'content-encoding': 'gzip' }])
      expect(await post('', { type, headers })).toMatchObject({ status: 200, body: {} })
    const chunked = [HOST, AUTH, `Content-Type: ${type}`, 'Transfer-Encoding: chunked']
    expect((await sendRaw(server.url, rawRequest('POST /v1/traces', chunked, '0\r\n\r\n'))).status).toBe(200)
    expect(server.stored).toEqual([])
  })

  it('gzip and deflate are taken', async () => {
    expect((await post(gzipSync(good), { type, headers: { 'content-encoding': 'gzip' } })).status).toBe(200)
    expect(server.stored.map(({ spans }) => spans.length)).toEqual([1])
  })

  it('10,001 spans are 413, and nothing is stored', async () => {
    const request = requestOf(...manySpans(10_001))
    const answer = await post(isProtobuf ? requestType.encode(request) : toJson(request), { type })
    expect(answer).toMatchObject({ status: 413, body: { code: 3 } })
    expect(server.stored).toEqual([])
  })
})

describe('the order of checks', () => {
  it('without a key nothing else of the request is read, for any declared size', async () => {
    const headers = [HOST, 'Content-Type: text/plain', 'Content-Encoding: br', 'Content-Length: 1000000000']
    const answers = await sendRawUntilClosed(server.url, rawRequest('POST /v1/traces', headers, 'x'))
    expect(answers.map(({ status }) => status)).toEqual([401])
  })

  it('a too large Content-Length is 413 before the body is read', async () => {
    const headers = [HOST, AUTH, `Content-Type: ${JSON_TYPE}`, 'Content-Length: 1000000000']
    const answers = await sendRawUntilClosed(server.url, rawRequest('POST /v1/traces', headers, '{'))
    expect(answers.map(({ status }) => status)).toEqual([413])
  })

  it.each(['text/plain', 'application/jsonx', 'application/grpc', 'application/json; charset=utf-16', ''])(
    'the type %j is 415, answered in JSON',
    async (type) => {
      const { status, body } = await post('{}', { type })
      expect({ status, body }).toMatchObject({ status: 415, body: { error: expect.any(String) } })
    },
  )

  it.each(['application/json; charset=utf-8', 'Application/JSON;charset="UTF-8"', 'application/json;'])(
    'the type %j is taken',
    async (type) => {
      expect(await post('{}', { type })).toMatchObject({ status: 200, body: {} })
    },
  )

  it('a key sent twice is no key', async () => {
    const headers = [HOST, AUTH, AUTH, `Content-Type: ${JSON_TYPE}`, 'Content-Length: 2']
    expect((await sendRaw(server.url, rawRequest('POST /v1/traces', headers, '{}'))).status).toBe(401)
  })

  it('another method is an ordinary 405 with Allow', async () => {
    for (const path of ['/v1/traces', '/api/v1/traces']) {
      const answer = await fetch(`${server.url}${path}`, { method: 'PUT' })
      expect(answer.status).toBe(405)
      expect(answer.headers.get('allow')).toBe('POST')
      expect(await answer.json()).toEqual({ error: 'This path supports only POST' })
    }
  })

  it('both paths take traces', async () => {
    for (const path of ['/v1/traces', '/api/v1/traces'])
      expect((await post(toJson(REQUEST), { type: JSON_TYPE, path })).status).toBe(200)
    expect(server.stored).toHaveLength(2)
  })
})

describe('too much at once', () => {
  /** Requests whose storing waits until the test releases it. */
  async function holdRequests(count: number) {
    const { promise: gate, resolve: open } = Promise.withResolvers<void>()
    const reached = Array.from({ length: count }, () => Promise.withResolvers<void>())
    server.store = async () => {
      reached[server.stored.length - 1]?.resolve()
      await gate
      return { rejectedCount: 0, problems: [] }
    }
    const held = reached.map(async ({ promise }) => {
      const answer = post(toJson(REQUEST), { type: JSON_TYPE })
      await promise
      return { answer }
    })
    const answers = (await Promise.all(held)).map(({ answer }) => answer)
    return {
      async finish() {
        open()
        return (await Promise.all(answers)).map(({ status }) => status)
      },
    }
  }

  it('one request beyond the concurrency limit is 503 with Retry-After, before its body is read', async () => {
    const held = await holdRequests(2)
    const headers = [HOST, AUTH, `Content-Type: ${PROTOBUF}`, 'Content-Length: 1000']
    const answer = await sendRaw(server.url, rawRequest('POST /v1/traces', headers, 'x'))
    expect(answer.status).toBe(503)
    expect(answer.headers.get('retry-after')).toBe('1')
    expect(await held.finish()).toEqual([200, 200])
    expect((await post(toJson(REQUEST), { type: JSON_TYPE })).status).toBe(200)
  })

  it('more bytes than may be held are 503, whether of a known length, in chunks or unpacked', async () => {
    const announce = [HOST, AUTH, `Content-Type: ${JSON_TYPE}`, `Content-Length: ${20 << 20}`]
    const { promise: isHeld, resolve: hold } = Promise.withResolvers<void>()
    const { promise: gate, resolve: open } = Promise.withResolvers<void>()
    server.store = async () => {
      hold()
      await gate
      return { rejectedCount: 0, problems: [] }
    }
    const padded = Buffer.concat([toJson(REQUEST), Buffer.alloc(15 << 20, ' ')])
    const first = post(padded, { type: JSON_TYPE })
    await isHeld
    const announced = await sendRaw(server.url, rawRequest('POST /v1/traces', announce, ' '.repeat(9 << 20)))
    const zeros = gzipSync(Buffer.alloc(15 << 20))
    const unpacked = await post(zeros, { type: JSON_TYPE, headers: { 'content-encoding': 'gzip' } })
    const chunk = `${(9 << 20).toString(16)}\r\n${' '.repeat(9 << 20)}`
    const chunked = [HOST, AUTH, `Content-Type: ${JSON_TYPE}`, 'Transfer-Encoding: chunked']
    const inChunks = await sendRaw(server.url, rawRequest('POST /v1/traces', chunked, chunk))
    expect([announced.status, unpacked.status, inChunks.status]).toEqual([503, 503, 503])
    open()
    expect((await first).status).toBe(200)
  })
})
