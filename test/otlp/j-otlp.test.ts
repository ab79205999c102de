/** Section J of the list of bad input: OTLP, through the whole program. */
import { gzipSync } from 'node:zlib'
import { describe, expect, it } from 'vitest'
import { browserWith } from '../conformance/team.ts'
import { describeEachEngine } from '../harness/each-engine.ts'
import {
  type AnyValue,
  type KeyValue,
  manySpans,
  type RequestMessage,
  requestOf,
  requestType,
  type SpanMessage,
  spanIdOf,
  spanMessage,
  toJson,
} from './otlp-messages.ts'
import { JSON_TYPE, type Post, PROTOBUF, postTraces } from './post-traces.ts'

const attribute = (key: string, value: AnyValue): KeyValue => ({ key, value })

describeEachEngine(
  'J. OTLP',
  (app) => {
    describe.each([
      [PROTOBUF, (request: RequestMessage) => requestType.encode(request)],
      [JSON_TYPE, toJson],
    ])('%s', (type, encode) => {
      /** A workspace, how to send to it, and what is in it. */
      async function seed() {
        const { key, workspaceId } = await app().newWorkspace()
        const send = (body: Uint8Array | string, sent: Post = {}) => postTraces(app().url, body, { key, type, ...sent })
        return {
          workspaceId,
          send,
          sendSpans: (...spans: SpanMessage[]) => send(encode(requestOf(...spans))),
          async storedSpans() {
            const query = app().storage.read.selectFrom('spans').selectAll().where('workspace_id', '=', workspaceId)
            return query.orderBy('span_id').execute()
          },
        }
      }

      it('123: no key and a wrong key are 401; another workspace’s key stores into that one', async () => {
        const { send, storedSpans } = await seed()
        const other = await seed()
        const body = encode(requestOf(spanMessage()))
        expect((await send(body, { key: undefined })).status).toBe(401)
        expect((await send(body, { key: 'x'.repeat(40) })).status).toBe(401)
        expect((await other.send(body)).status).toBe(200)
        expect(await storedSpans()).toEqual([])
        expect(await other.storedSpans()).toHaveLength(1)
      })

      it('123: a person’s session is no key, neither as a token nor as a cookie', async () => {
        const { workspaceId, send } = await seed()
        const person = await app().newPerson([{ workspaceId, role: 'owner' }])
        const application = { 'x-ai-application-id': workspaceId }
        const body = encode(requestOf(spanMessage()))
        for (const sent of [
          { key: person.token, headers: application },
          { key: undefined, headers: { ...application, cookie: person.cookie, origin: app().url } },
        ]) {
          const answer = await send(body, sent)
          expect(answer).toMatchObject({ status: 401, body: { message: 'Invalid or missing API key' } })
        }
      })

      it('123: the key of a person who may only read by now is 403', async () => {
        const { workspaceId, send } = await seed()
        const owner = await browserWith(app(), workspaceId, 'owner')
        const maker = await app().newPerson([{ workspaceId, role: 'admin' }])
        const { body: made } = await app().asPerson(maker, workspaceId).post('/api-keys', { name: 'Key' })
        await owner.patch(`/members/${maker.userId}`, { role: 'viewer' })
        const answer = await send(encode(requestOf(spanMessage())), { key: String(made.key) })
        expect(answer).toMatchObject({ status: 403, body: { code: 7 } })
      })

      it('124: nothing is 200', async () => {
        const { send } = await seed()
        for (const body of ['', encode({ resourceSpans: [] }), encode(requestOf())])
          expect(await send(body)).toMatchObject({ status: 200, body: {} })
      })

      it('125: an unreadable body is 400, and nothing is stored', async () => {
        const { send, storedSpans } = await seed()
        const whole = encode(requestOf(spanMessage()))
        for (const body of [whole.subarray(0, -3), Buffer.from([0xff, 0xff, 0xff]), Buffer.from('{"resourceSpans":5}')])
          expect((await send(body)).status).toBe(400)
        expect(await storedSpans()).toEqual([])
      })

      it('126: a gigabyte of zeros in gzip is 413', async () => {
        const { send } = await seed()
        const bomb = Buffer.concat(new Array(64).fill(gzipSync(Buffer.alloc(16 << 20))))
        expect((await send(bomb, { headers: { 'content-encoding': 'gzip' } })).status).toBe(413)
      })

      it('127: two gzip members are both read; a truncated body or trailing bytes are 400', async () => {
        const { send, storedSpans } = await seed()
        const body = encode(requestOf(spanMessage()))
        const [head, tail] = [gzipSync(body.subarray(0, 50)), gzipSync(body.subarray(50))]
        const headers = { 'content-encoding': 'gzip' }
        expect((await send(Buffer.concat([head, tail, Buffer.from('x')]), { headers })).status).toBe(400)
        expect((await send(Buffer.concat([head, tail.subarray(0, -1)]), { headers })).status).toBe(400)
        expect(await storedSpans()).toEqual([])
        expect((await send(Buffer.concat([head, tail]), { headers })).status).toBe(200)
        expect(await storedSpans()).toHaveLength(1)
      })

      it('128: other codings are 415', async () => {
        const { send } = await seed()
        for (const coding of ['zstd', 'gzip, gzip', 'br'])
          expect((await send('x', { headers: { 'content-encoding': coding } })).status).toBe(415)
      })

      it('129: keys that look like a prototype are stored as data', async () => {
        const { sendSpans, storedSpans } = await seed()
        const keys = ['__proto__', 'constructor.prototype.x', 'a.__proto__.b', 'constructor']
        const attributes = keys.map((key) => attribute(key, { stringValue: 'polluted' }))
        expect(await sendSpans(spanMessage({ attributes }))).toMatchObject({ status: 200, body: {} })
        const [span] = await storedSpans()
        for (const key of keys) expect(JSON.stringify(span)).toContain(key)
        expect(Reflect.get({}, 'x')).toBe(undefined)
      })

      it('129: 100,000 keys and a key of a megabyte cost their span only', async () => {
        const { sendSpans, storedSpans } = await seed()
        const many = Array.from({ length: 100_000 }, (_, place) => attribute(`k${place}`, { boolValue: true }))
        const answer = await sendSpans(
          spanMessage({ spanId: spanIdOf(1), attributes: many }),
          spanMessage({ spanId: spanIdOf(2), attributes: [attribute('k'.repeat(1 << 20), {})] }),
          spanMessage({ spanId: spanIdOf(3) }),
        )
        expect(answer).toMatchObject({ status: 200, body: { partialSuccess: { rejectedSpans: '2' } } })
        expect((await storedSpans()).map(({ span_id }) => span_id)).toEqual(['0000000000000003'])
      })

      it('130: characters that cannot be stored are replaced, with a warning', async () => {
        const { sendSpans, storedSpans } = await seed()
        const answer = await sendSpans(
          spanMessage({ name: 'a\0b', attributes: [attribute('k', { stringValue: '\0' })] }),
        )
        const errorMessage = '2 values had characters that cannot be stored; they were replaced by U+FFFD'
        expect(answer).toMatchObject({ status: 200, body: { partialSuccess: { errorMessage } } })
        expect(await storedSpans()).toMatchObject([{ name: 'a\ufffdb' }])
      })

      it('131: spans with wrong ids are rejected and counted, and the others are stored', async () => {
        const { sendSpans, storedSpans } = await seed()
        const { spanId } = spanMessage()
        const answer = await sendSpans(
          spanMessage({ traceId: Buffer.alloc(16) }),
          spanMessage({ traceId: Buffer.alloc(15, 1) }),
          spanMessage({ parentSpanId: spanId }),
          spanMessage(),
        )
        expect(answer).toMatchObject({ status: 200, body: { partialSuccess: { rejectedSpans: '3' } } })
        expect(await storedSpans()).toHaveLength(1)
      })

      it('132: parents in a circle, and a chain of 10,000, are stored', async () => {
        const { sendSpans, storedSpans } = await seed()
        const circle = [
          spanMessage({ spanId: spanIdOf(1), parentSpanId: spanIdOf(2) }),
          spanMessage({ spanId: spanIdOf(2), parentSpanId: spanIdOf(1) }),
        ]
        const chain = manySpans(9_000).map((span, place) => ({
          ...span,
          traceId: Buffer.alloc(16, 7),
          parentSpanId: place === 0 ? Buffer.alloc(0) : spanIdOf(place),
        }))
        expect(await sendSpans(...circle)).toMatchObject({ status: 200, body: {} })
        expect(await sendSpans(...chain)).toMatchObject({ status: 200, body: {} })
        expect(await storedSpans()).toHaveLength(9_002)
      })

      it('133: invalid times are stored as far as possible', async () => {
        const { sendSpans, storedSpans } = await seed()
        const times: [bigint, bigint][] = [
          [20n, 10n],
          [0n, 10n],
          [0n, 0n],
          [2n ** 64n - 1n, 2n ** 64n - 1n],
          [9_223_372_036_000_000_000n, 9_223_372_036_854_775_807n],
        ]
        const spans = times.map(([startTimeUnixNano, endTimeUnixNano], place) =>
          spanMessage({ spanId: spanIdOf(place + 1), startTimeUnixNano, endTimeUnixNano }),
        )
        expect(await sendSpans(...spans)).toMatchObject({ status: 200 })
        expect(await storedSpans()).toHaveLength(5)
      })

      it('134: the same batch twice is 200 twice, and its spans are there once', async () => {
        const { sendSpans, storedSpans } = await seed()
        for (let time = 0; time < 2; time += 1)
          expect(await sendSpans(...manySpans(5))).toMatchObject({ status: 200, body: {} })
        expect(await storedSpans()).toHaveLength(5)
      })

      it('135: 10,001 spans are 413, and none of them is stored', async () => {
        const { sendSpans, storedSpans } = await seed()
        expect((await sendSpans(...manySpans(10_001))).status).toBe(413)
        expect(await storedSpans()).toEqual([])
      })
    })

    it('125: keys in snake_case are unknown, and unknown keys are ignored', async () => {
      const { key } = await app().newWorkspace()
      const answer = await postTraces(app().url, '{"resource_spans":[{"scope_spans":[]}]}', { key, type: JSON_TYPE })
      expect(answer).toMatchObject({ status: 200, body: {} })
    })
  },
  { works: false },
)
