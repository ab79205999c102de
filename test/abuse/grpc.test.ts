import { type ClientHttp2Session, connect } from 'node:http2'
import { expect, it } from 'vitest'
import { describeEachEngine } from '../harness/each-engine.ts'
import { waitFor } from '../harness/server-process.ts'
import { destroyAll, openHostile, openMany } from './hostile-sockets.ts'

const HEADERS = {
  ':method': 'POST',
  ':path': '/opentelemetry.proto.collector.trace.v1.TraceService/Export',
  'content-type': 'application/grpc',
  te: 'trailers',
}

function open(url: string | undefined): ClientHttp2Session {
  const session = connect(url ?? '')
  session.on('error', () => {})
  return session
}

/** Sends these bytes and leaves the call open; resolves with the status when it has one. */
function begin(session: ClientHttp2Session, key: string, bytes: Buffer): Promise<string> {
  const stream = session.request({ ...HEADERS, authorization: `Bearer ${key}` })
  stream.on('error', () => {})
  if (bytes.length > 0) stream.write(bytes)
  return new Promise((resolve) => {
    stream.once('response', (headers) => headers['grpc-status'] && resolve(String(headers['grpc-status'])))
    stream.once('trailers', (headers) => resolve(String(headers['grpc-status'])))
  })
}

/** How many of a bystander's calls succeed, each on a connection of its own. */
async function countServedCalls(url: string | undefined, key: string, count: number): Promise<number> {
  let served = 0
  for (let place = 0; place < count; place += 1) {
    const session = open(url)
    const stream = session.request({ ...HEADERS, authorization: `Bearer ${key}` })
    stream.on('error', () => {})
    stream.resume()
    stream.end(Buffer.alloc(5))
    const status = await new Promise<string>((resolve) => {
      stream.once('response', (headers) => headers['grpc-status'] && resolve(String(headers['grpc-status'])))
      stream.once('trailers', (headers) => resolve(String(headers['grpc-status'])))
      stream.once('close', () => resolve('closed'))
    })
    if (status === '0') served += 1
    session.destroy()
  }
  return served
}

const UNAVAILABLE = '14'
/** A compressed message of a megabyte begins: how much memory it will need is not known. */
const FIRST_BYTES = Buffer.from([1, 0, 16, 0, 0, 1, 2, 3])

describeEachEngine(
  'gRPC calls whose message does not arrive',
  (app) => {
    it.each([
      ['that send nothing', Buffer.alloc(0)],
      ['that begin and stop', FIRST_BYTES],
    ])('%s: a bystander is served meanwhile', async (_, bytes) => {
      const attacker = await app().newWorkspace()
      const bystander = await app().newWorkspace()
      const session = open(app().grpcUrl)
      for (let place = 0; place < 20; place += 1) void begin(session, attacker.key, bytes)
      await new Promise<void>((resolve) => session.ping(() => resolve()))
      expect(await countServedCalls(app().grpcUrl, bystander.key, 5)).toBe(5)
      session.destroy()
    })
  },
  { environment: { TOUCHSTONE_OTLP_GRPC_PORT: '0' } },
)

describeEachEngine(
  'gRPC connections',
  (app) => {
    it('end a call with a status after the request timeout, and can be used again', { tags: 'deep' }, async () => {
      const { key } = await app().newWorkspace()
      const session = open(app().grpcUrl)
      expect(await begin(session, key, Buffer.alloc(0))).toBe(UNAVAILABLE)
      expect(await begin(session, key, FIRST_BYTES)).toBe(UNAVAILABLE)
      session.destroy()
      expect(await countServedCalls(app().grpcUrl, key, 1)).toBe(1)
    })

    it('that only connect are closed', async () => {
      const idle = await openMany(20, () => openHostile(app().grpcUrl ?? '', ''))
      await waitFor('all to be closed', async () => idle.every((one) => one.hasEnded()) || undefined)
      destroyAll(idle)
    })
  },
  { environment: { TOUCHSTONE_OTLP_GRPC_PORT: '0', TOUCHSTONE_REQUEST_TIMEOUT_SECONDS: '1' } },
)

describeEachEngine(
  'many gRPC connections of one address',
  (app) => {
    it('that only connect do not close the port: the oldest are closed at once', async () => {
      const { key } = await app().newWorkspace()
      expect(await countServedCalls(app().grpcUrl, key, 1)).toBe(1)
      const idle = await openMany(120, () => openHostile(app().grpcUrl ?? '', ''))
      expect(await countServedCalls(app().grpcUrl, key, 10)).toBe(10)
      expect(idle.filter((one) => !one.hasEnded()).length).toBeLessThanOrEqual(40)
      destroyAll(idle)
    })
  },
  { environment: { TOUCHSTONE_OTLP_GRPC_PORT: '0', TOUCHSTONE_CONNECTIONS_PER_ADDRESS_MAX: '40' } },
)
