/** Logs and metrics in addition to traces: the same paths, limits and encodings, over HTTP and over gRPC. */
import { gzipSync } from 'node:zlib'
import { Client, credentials, Metadata, type ServiceError } from '@grpc/grpc-js'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { messageType } from './otlp-messages.ts'
import { KEY, type OtlpServer, startOtlpServer } from './otlp-server.ts'
import { JSON_TYPE, PROTOBUF } from './post-traces.ts'

let server: OtlpServer
beforeAll(async () => {
  server = await startOtlpServer({ bodyBytesMax: 100_000 })
})
afterAll(() => server.close())
beforeEach(() => {
  server.storedEvents.length = 0
})

const TRACE_ID = '0af7651916cd43dd8448eb211c80319c'
const SPAN_ID = 'b7ad6b7169203331'
const logsType = messageType('ExportLogsServiceRequest')

type Value = { stringValue: string } | { kvlistValue: { values: { key: string; value: Value }[] } }
type Log = { body?: Value; attributes?: { key: string; value: Value }[]; eventName?: string; ids?: 'none' | 'short' }

function protobufOf(logs: Log[]): Buffer {
  return logsType.encode(requestOf(logs, (hex) => Buffer.from(hex, 'hex')))
}

function jsonOf(logs: Log[]): Buffer {
  return Buffer.from(JSON.stringify(requestOf(logs, (hex) => hex.toUpperCase())))
}

function requestOf(logs: Log[], id: (hex: string) => unknown) {
  const logRecords = logs.map(({ ids, ...log }) => ({
    observedTimeUnixNano: '1763184000123456789',
    severityNumber: 9,
    ...(ids === 'none' ? {} : { traceId: id(ids === 'short' ? TRACE_ID.slice(2) : TRACE_ID), spanId: id(SPAN_ID) }),
    ...log,
  }))
  const scopeLogs = [{ scope: { name: 'tests' }, logRecords }]
  return { resourceLogs: [{ resource: { attributes: [{ key: 'a', value: text('b') }] }, scopeLogs }] }
}

const text = (stringValue: string) => ({ stringValue })
const map = (entries: Record<string, Value>) => ({
  kvlistValue: { values: Object.entries(entries).map(([key, value]) => ({ key, value })) },
})

type Sent = { path?: string; type?: string | undefined; key?: string; encoding?: string }

async function post(body: Buffer, { path = '/v1/logs', type = PROTOBUF, key = KEY, encoding }: Sent) {
  const answer = await fetch(`${server.url}${path}`, {
    method: 'POST',
    headers: {
      'content-type': type,
      authorization: `Bearer ${key}`,
      ...(encoding === undefined ? {} : { 'content-encoding': encoding }),
    },
    body,
  })
  const bytes = Buffer.from(await answer.arrayBuffer())
  return { status: answer.status, type: answer.headers.get('content-type'), bytes }
}

const PATHS = ['/v1', '/api/v1', '/api/public/otel/v1']

it.each(['traces', 'logs', 'metrics'])('%s in JSON that are no object get 400', async (signal) => {
  const statusOf = async (body: string) =>
    (await post(Buffer.from(body), { path: `/v1/${signal}`, type: JSON_TYPE })).status
  for (const body of ['null', ' null', '[]', '[{}]', '1', '"{}"', 'true', ' '])
    expect(await statusOf(body), body).toBe(400)
  for (const body of ['{}', ' \n{}', '\ufeff{}']) expect(await statusOf(body), body).toBe(200)
})

describe.each([
  ['protobuf', PROTOBUF, protobufOf],
  ['JSON', JSON_TYPE, jsonOf],
])('logs in %s', (_, type, encode) => {
  it('GenAI events become events of the span that they name, with the entries of their body as attributes', async () => {
    const body = map({ content: text('Hi'), role: text('user'), nested: map({ a: text('b') }) })
    const attributes = [
      { key: 'event.name', value: text('gen_ai.user.message') },
      { key: 'role', value: text('wins') },
    ]
    expect(await post(encode([{ body, attributes }]), { type })).toMatchObject({ status: 200 })
    expect(server.storedEvents).toEqual([
      {
        traceId: TRACE_ID,
        spanId: SPAN_ID,
        event: {
          name: 'gen_ai.user.message',
          timeNs: 1_763_184_000_123_456_789n,
          attributes: new Map<string, unknown>([
            ['role', 'wins'],
            ['content', 'Hi'],
            ['nested', { a: 'b' }],
          ]),
        },
      },
    ])
  })

  it('the field event_name goes before the attribute, and a body of text is the attribute body', async () => {
    const attributes = [{ key: 'event.name', value: text('other') }]
    await post(encode([{ eventName: 'gen_ai.choice', attributes, body: text('Hello') }]), { type })
    expect(server.storedEvents).toMatchObject([{ event: { name: 'gen_ai.choice' } }])
    expect([...(server.storedEvents[0]?.event.attributes ?? [])]).toEqual([
      ['event.name', 'other'],
      ['body', 'Hello'],
    ])
  })

  it('other records are accepted without a word, and GenAI events that name no span with a warning', async () => {
    const plain = await post(encode([{ body: text('GET /') }, { eventName: 'gen_aix' }]), { type })
    expect(plain).toMatchObject({ status: 200, bytes: Buffer.from(type === PROTOBUF ? '' : '{}') })
    const { status, bytes } = await post(
      encode([
        { eventName: 'gen_ai.choice', ids: 'none' },
        { eventName: 'gen_ai.choice', ids: 'short' },
      ]),
      { type },
    )
    const warning = '2 GenAI events without a trace id and a span id: ignored'
    expect(status).toBe(200)
    const response =
      type === PROTOBUF ? messageType('ExportLogsServiceResponse').decode(bytes) : JSON.parse(bytes.toString())
    expect(response).toMatchObject({ partialSuccess: { errorMessage: warning } })
    expect(server.storedEvents).toEqual([])
  })

  it('a record with too many attributes is rejected and counted', async () => {
    const entries = Object.fromEntries(Array.from({ length: 1_001 }, (__, place) => [`k${place}`, text('v')]))
    const { bytes } = await post(encode([{ eventName: 'gen_ai.choice', body: map(entries) }]), { type })
    const response =
      type === PROTOBUF ? messageType('ExportLogsServiceResponse').decode(bytes) : JSON.parse(bytes.toString())
    expect(response).toEqual({
      partialSuccess: { rejectedLogRecords: '1', errorMessage: 'There are more than 1000 attributes (1 log record)' },
    })
  })

  it.each(PATHS)('%s/logs takes them, plain and gzip', async (prefix) => {
    const body = encode([{ eventName: 'gen_ai.choice' }])
    expect(await post(body, { type, path: `${prefix}/logs` })).toMatchObject({ status: 200 })
    expect(await post(gzipSync(body), { type, path: `${prefix}/logs`, encoding: 'gzip' })).toMatchObject({
      status: 200,
    })
    expect(server.storedEvents).toHaveLength(2)
  })

  it('an invalid logs request is 400', async () => {
    expect(await post(Buffer.from('{"resourceLogs": 1}'), { type })).toMatchObject({
      status: 400,
      type: expect.stringContaining(type),
    })
  })
})

describe.each(['logs', 'metrics'])('%s', (signal) => {
  it.each(PATHS)('%s: the key is checked first, then the type and the size of the body', async (prefix) => {
    const path = `${prefix}/${signal}`
    expect(await post(Buffer.from('{}'), { path, type: 'text/plain', key: 'wrong' })).toMatchObject({ status: 401 })
    expect(await post(Buffer.from('{}'), { path, type: 'text/plain' })).toMatchObject({ status: 415 })
    expect(await post(Buffer.alloc(100_001), { path })).toMatchObject({ status: 413 })
    expect(await post(gzipSync(Buffer.alloc(100_001)), { path, encoding: 'gzip' })).toMatchObject({ status: 413 })
  })
})

describe('metrics', () => {
  it.each(PATHS)('%s/metrics accepts anything with the response that an exporter expects', async (prefix) => {
    const path = `${prefix}/metrics`
    expect(await post(Buffer.from([10, 0]), { path })).toEqual({ status: 200, type: PROTOBUF, bytes: Buffer.alloc(0) })
    expect(await post(Buffer.from('{"resourceMetrics":[]}'), { path, type: JSON_TYPE })).toEqual({
      status: 200,
      type: expect.stringContaining(JSON_TYPE),
      bytes: Buffer.from('{}'),
    })
  })
})

describe('over gRPC', () => {
  let client: Client
  beforeAll(() => {
    client = new Client(`127.0.0.1:${server.grpcPort}`, credentials.createInsecure())
  })
  afterAll(() => client.close())

  function call(service: string, bytes: Buffer, key = KEY): Promise<{ code: number; bytes: Buffer | undefined }> {
    const metadata = new Metadata()
    metadata.set('authorization', `Bearer ${key}`)
    const same = (message: Buffer) => message
    const path = `/opentelemetry.proto.collector.${service}/Export`
    return new Promise((resolve) => {
      client.makeUnaryRequest(path, same, same, bytes, metadata, {}, (error: ServiceError | null, answer) =>
        resolve({ code: error?.code ?? 0, bytes: answer }),
      )
    })
  }

  it('logs are stored', async () => {
    expect(await call('logs.v1.LogsService', protobufOf([{ eventName: 'gen_ai.choice' }]))).toEqual({
      code: 0,
      bytes: Buffer.alloc(0),
    })
    expect(server.storedEvents).toMatchObject([{ spanId: SPAN_ID, event: { name: 'gen_ai.choice' } }])
  })

  it('metrics are taken', async () => {
    expect(await call('metrics.v1.MetricsService', Buffer.from([10, 0]))).toEqual({ code: 0, bytes: Buffer.alloc(0) })
  })

  it.each(['logs.v1.LogsService', 'metrics.v1.MetricsService'])('%s needs a key', async (service) => {
    expect(await call(service, Buffer.alloc(0), 'wrong')).toMatchObject({ code: 16 })
  })
})
