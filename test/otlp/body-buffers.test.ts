import { EventEmitter, once } from 'node:events'
import { IncomingMessage, request } from 'node:http'
import { Socket } from 'node:net'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { createBodyBudget, receiveBody } from '../../src/base/body-budget.ts'
import { createBodyBuffers } from '../../src/ingestion/otlp/otlp-mounts.ts'
import { manySpans, requestOf, requestType } from './otlp-messages.ts'
import { KEY, type OtlpServer, startOtlpServer } from './otlp-server.ts'
import { PROTOBUF, postTraces } from './post-traces.ts'

const KIB = 1_024

function receiveInto(req: IncomingMessage, buffer: Buffer): Promise<Buffer> {
  const reservation = createBodyBudget({ bytesMax: 1_000 * KIB }).open('sender')
  return receiveBody(req, {
    bytesMax: 1_000 * KIB,
    tooLarge: () => expect.unreachable(),
    reservation,
    buffer: () => buffer,
  })
}

describe('buffers for bodies', () => {
  afterEach(() => {
    vi.useRealTimers()
  })

  it('is used again for a body of about the same length, and never by two at a time', () => {
    const bodies = createBodyBuffers()
    const first = bodies.take(100 * KIB)
    const second = bodies.take(100 * KIB)
    expect(first?.buffer).not.toBe(second?.buffer)
    bodies.give(first)
    const third = bodies.take(110 * KIB)
    expect(third?.length).toBe(110 * KIB)
    expect(third?.buffer).toBe(first?.buffer)
    expect(bodies.take(110 * KIB)?.buffer).not.toBe(first?.buffer)
  })

  it('is not kept for bodies that are small, very large or of unknown length', () => {
    const bodies = createBodyBuffers()
    for (const bytes of [0, 63 * KIB, 5_000 * KIB]) expect(bodies.take(bytes)).toBeUndefined()
  })

  it('is kept up to a limit, and released after a while without requests', () => {
    vi.useFakeTimers()
    const bodies = createBodyBuffers()
    const taken = Array.from({ length: 20 }, () => bodies.take(1_024 * KIB))
    for (const buffer of taken) bodies.give(buffer)
    const kept = new Set(taken.map((buffer) => buffer?.buffer))
    const again = Array.from({ length: 20 }, () => bodies.take(1_024 * KIB))
    expect(again.filter((buffer) => kept.has(buffer?.buffer))).toHaveLength(8)
    for (const buffer of again) bodies.give(buffer)
    vi.advanceTimersByTime(60_000)
    const later = bodies.take(1_024 * KIB)
    expect(again.some((buffer) => buffer?.buffer === later?.buffer)).toBe(false)
  })
})

describe('reading a body into its buffer', () => {
  it.each(['error', 'aborted'])('stops writing there when the request ends early (%s)', async (event) => {
    const req = new IncomingMessage(new Socket())
    const buffer = Buffer.alloc(10)
    const reading = receiveInto(req, buffer)
    EventEmitter.prototype.emit.call(req, 'data', Buffer.from('abc'))
    EventEmitter.prototype.emit.call(req, event)
    await expect(reading).rejects.toMatchObject({ status: 400 })
    EventEmitter.prototype.emit.call(req, 'data', Buffer.from('xyz'))
    expect(buffer.toString()).toBe('abc\0\0\0\0\0\0\0')
  })

  it('rejects more bytes than announced, and writes nothing beyond the buffer', async () => {
    const req = new IncomingMessage(new Socket())
    const around = Buffer.alloc(10)
    const reading = receiveInto(req, around.subarray(0, 4))
    EventEmitter.prototype.emit.call(req, 'data', Buffer.from('abc'))
    EventEmitter.prototype.emit.call(req, 'data', Buffer.from('def'))
    await expect(reading).rejects.toMatchObject({ status: 400 })
    expect(around.toString()).toBe('abc\0\0\0\0\0\0\0')
  })
})

describe('bodies of many senders at once', () => {
  let server: OtlpServer
  beforeEach(async () => {
    server = await startOtlpServer()
  })
  afterEach(() => server.close())

  /** About 70 kB per hundred spans, each of which carries the name of its request. */
  function bodyOf(name: string, spans: number): Buffer {
    const named = manySpans(spans).map((span) => ({ ...span, name: `${name}${'-'.repeat(600)}` }))
    return requestType.encode(requestOf(...named))
  }

  it('are never mixed, also if some of them end early', async () => {
    const sent = Array.from({ length: 40 }, (_, place) => ({ name: `sender ${place} `, spans: 100 + (place % 7) * 40 }))
    const broken = sent.map(async ({ spans }) => {
      const body = bodyOf('broken', spans)
      const headers = { 'content-type': PROTOBUF, authorization: `Bearer ${KEY}`, 'content-length': body.length }
      const half = request(`${server.url}/v1/traces`, { method: 'POST', headers })
      half.on('error', () => {})
      half.write(body.subarray(0, body.length / 2))
      await once(half, 'socket')
      await new Promise((resolve) => setImmediate(resolve))
      half.destroy()
    })
    const answers = sent.map(async ({ name, spans }) => {
      const answer = await postTraces(server.url, bodyOf(name, spans), { key: KEY, type: PROTOBUF })
      // A request may be rejected for lack of memory, which is not a mix-up either.
      expect([200, 503]).toContain(answer.status)
      return answer.status === 200 ? name : undefined
    })
    const taken = (await Promise.all(answers)).filter((name) => name !== undefined)
    await Promise.all(broken)
    expect(taken.length).toBeGreaterThan(0)
    const stored = server.stored.map(({ spans }) => new Set(spans.map(({ name }) => name.replace(/-+$/, ''))))
    for (const names of stored) expect(names.size).toBe(1)
    expect(stored.flatMap((names) => [...names]).toSorted()).toEqual(taken.toSorted())
    for (const { spans } of server.stored) {
      const name = spans[0]?.name.replace(/-+$/, '')
      expect(spans).toHaveLength(sent.find((one) => one.name === name)?.spans ?? 0)
    }
  })
})
