/** For any request the server responds below 500, in the one format of errors, and keeps running. fast-check prints the seed. */
import fc from 'fast-check'
import { expect, it } from 'vitest'
import { OPERATIONS, POSTS, pathOf, seedChain } from '../conformance/operations.ts'
import { describeEachEngine } from '../harness/each-engine.ts'
import { type RawAnswer, sendRawUntilClosed } from '../harness/raw-socket.ts'
import { runs } from '../harness/stage.ts'

const HEADER_NAMES = [
  ...['Authorization', 'Content-Type', 'Content-Encoding', 'Host', 'Expect', 'Cookie', 'Origin', 'TE', 'If-None-Match'],
  ...['Idempotency-Key', 'X-Request-Id', 'X-AI-Application-Id', 'X-Workspace-Id', 'Accept', 'Sec-Fetch-Site'],
]
/** Headers that decide where a request ends: a server may rightly wait for more after them. */
const FRAMING_NAMES = ['Transfer-Encoding', 'Content-Length', 'Connection', 'Upgrade', 'Trailer', 'Keep-Alive']
const FIELDS = [
  'name',
  'description',
  'traceIds',
  'datasetId',
  'runId',
  'config',
  'traceDbId',
  'rating',
  'comment',
  'x',
]

/** Bytes as text in which each character is a byte. */
const byteText = fc.uint8Array({ maxLength: 40 }).map((bytes) => Buffer.from(bytes).toString('latin1'))
/** What may stand in a header's value or a path without ending it. */
const plainText = fc.string({ unit: 'binary-ascii', maxLength: 60 }).map((text) => text.replace(/[\r\n\0 ]/g, '_'))

function expectDecent(answers: RawAnswer[], sent: string): void {
  for (const { status, text, headers } of answers) {
    expect(status, `${JSON.stringify(sent)} → ${text}`).toBeLessThan(500)
    if (status < 400) continue
    expect(headers.get('content-type'), sent).toMatch(/^application\/json/)
    expect(JSON.parse(text), sent).toEqual({ error: expect.stringMatching(/\S/) })
  }
}

describeEachEngine(
  'fuzzing',
  (app) => {
    /** Whole requests are answered while we wait; of what may be half of one, we say that nothing follows. */
    async function send(request: string, afterwards: 'close-our-side' | 'stay-open'): Promise<RawAnswer[]> {
      return sendRawUntilClosed(app().url, Buffer.from(request, 'latin1'), { afterwards })
    }

    it('arbitrary bytes', { tags: 'sized' }, async () => {
      const line = fc.constantFrom(
        '',
        'GET /health HTTP/1.1\r\n',
        'POST /api/v1/components HTTP/1.1\r\nHost: localhost\r\n',
      )
      await fc.assert(
        fc.asyncProperty(line, fc.array(byteText, { maxLength: 5 }), async (start, parts) => {
          const request = `${start}${parts.join('\r\n')}\r\n\r\n`
          expectDecent(await send(request, 'close-our-side'), request)
        }),
        { numRuns: runs(100) },
      )
      expect((await app().anonymous.get('/health')).status).toBe(200)
    })

    it('arbitrary methods, paths, queries and headers', { tags: 'sized' }, async () => {
      const { client, key } = await app().newWorkspace()
      const ids = await seedChain(client)
      const method = fc.constantFrom('GET', 'POST', 'DELETE', 'PATCH', 'PUT', 'OPTIONS', 'TRACE', 'PROPFIND', 'SEARCH')
      const path = fc.oneof(
        plainText,
        fc
          .tuple(fc.constantFrom(...OPERATIONS), plainText)
          .map(([operation, tail]) => `${pathOf(operation, ids)}${tail}`),
        fc.constantFrom(...OPERATIONS).map((operation) => pathOf(operation, ids)),
      )
      const headers = fc.array(fc.tuple(fc.constantFrom(...HEADER_NAMES), plainText), { maxLength: 3 })
      await fc.assert(
        fc.asyncProperty(method, path, fc.option(plainText), headers, async (verb, target, query, extra) => {
          const lines = [
            `${verb} /api/v1${target}${query === null ? '' : `?${query}`} HTTP/1.1`,
            'Host: localhost',
            `Authorization: Bearer ${key}`,
            'Connection: close',
            ...extra.map(([name, value]) => `${name}: ${value}`),
          ]
          const request = `${lines.join('\r\n')}\r\n\r\n`
          const answers = await send(request, 'stay-open')
          expect(answers).toHaveLength(1)
          expectDecent(answers, request)
        }),
        { numRuns: runs(150) },
      )
      expect((await app().anonymous.get('/health')).status).toBe(200)
    })

    it('arbitrary headers that decide where a request ends', { tags: 'sized' }, async () => {
      const { client, key } = await app().newWorkspace()
      const value = fc.oneof(
        plainText,
        fc.constantFrom('chunked', 'close', 'keep-alive', '5', 'websocket', 'gzip, chunked'),
      )
      const headers = fc.array(fc.tuple(fc.constantFrom(...FRAMING_NAMES), value), { minLength: 1, maxLength: 3 })
      await fc.assert(
        fc.asyncProperty(headers, byteText, async (extra, body) => {
          const start = ['POST /api/v1/components HTTP/1.1', 'Host: localhost', `Authorization: Bearer ${key}`]
          const lines = [...start, 'Content-Type: application/json', ...extra.map(([name, text]) => `${name}: ${text}`)]
          const request = `${lines.join('\r\n')}\r\n\r\n${body}`
          expectDecent(await send(request, 'close-our-side'), request)
        }),
        { numRuns: runs(75) },
      )
      expect(await client.list('/components')).toEqual([])
    })

    it('arbitrary JSON and nearly right bodies to every POST', { tags: 'sized' }, async () => {
      const { client } = await app().newWorkspace()
      const ids = await seedChain(client)
      const anyValue = fc.oneof(
        fc.jsonValue({ maxDepth: 4, noUnicodeString: false }),
        fc.string({ unit: 'binary', maxLength: 600 }),
        fc.constantFrom(ids.dataset, ids.run, ids.component, ids.dataset.toUpperCase()),
        fc.array(fc.string({ unit: 'binary', maxLength: 140 }), { maxLength: 20 }),
      )
      const body = fc.oneof(
        { weight: 3, arbitrary: fc.dictionary(fc.constantFrom(...FIELDS), anyValue, { maxKeys: 5 }) },
        { weight: 1, arbitrary: fc.jsonValue({ maxDepth: 6, noUnicodeString: false }) },
      )
      const statuses = new Map<number, number>()
      await fc.assert(
        fc.asyncProperty(fc.constantFrom(...POSTS), body, fc.boolean(), async (operation, value, isCompleted) => {
          const right = isCompleted ? operation.body?.(ids) : {}
          const isObject = typeof value === 'object' && value !== null && !Array.isArray(value)
          const text = JSON.stringify(isObject ? { ...value, ...right } : value)
          const { status, headers, text: answer } = await client.post(pathOf(operation, ids), text)
          statuses.set(status, (statuses.get(status) ?? 0) + 1)
          expect(status, `${text} → ${answer}`).toBeLessThan(500)
          expect(headers.get('content-type')).toMatch(/^application\/json/)
          const isError = status >= 400
          expect(Object.keys(JSON.parse(answer)).includes('error')).toBe(isError)
          expect(isError ? Object.keys(JSON.parse(answer)) : ['error']).toEqual(['error'])
        }),
        { numRuns: runs(200) },
      )
      // Proof that the fuzzing reached the operations themselves and not only their doors.
      expect(statuses.get(400)).toBeGreaterThan(0)
      expect((statuses.get(201) ?? 0) + (statuses.get(202) ?? 0)).toBeGreaterThan(0)
    })

    it('arbitrary traces as JSON', { tags: 'sized' }, async () => {
      const { client } = await app().newWorkspace()
      const { component } = await seedChain(client)
      const storable = fc
        .string({ unit: 'grapheme', minLength: 1, maxLength: 20 })
        .map((text) => text.replaceAll('\0', '_'))
      const content = fc.oneof(
        storable,
        fc
          .jsonValue({ maxDepth: 3, noUnicodeString: true })
          .filter((value) => !/\\u0000|__proto__/.test(JSON.stringify(value))),
      )
      const fields = {
        name: storable,
        input: content,
        output: content,
        metadata: fc.dictionary(storable, content, { maxKeys: 4 }),
        modelParameters: fc.dictionary(storable, content, { maxKeys: 2 }),
        startTime: fc
          .date({ min: new Date(0), max: new Date(4e12), noInvalidDate: true })
          .map((date) => date.toISOString()),
        inputTokens: fc.maxSafeNat(),
        costUsd: fc.double({ min: 0, noNaN: true, max: 1e300 }),
        model: storable,
      }
      const wild = fc.oneof(fc.jsonValue({ maxDepth: 2 }), fc.string({ unit: 'binary', maxLength: 200 }), fc.double())
      const span = fc.record({ ...fields, spanId: storable, parentSpanId: storable }, { requiredKeys: [] })
      const right = fc.record(
        { ...fields, traceId: storable, tags: fc.array(storable), spans: fc.array(span, { maxLength: 5 }) },
        { requiredKeys: [] },
      )
      const wrong = fc.dictionary(fc.constantFrom(...Object.keys(fields), 'traceId', 'tags', 'spans'), wild, {
        maxKeys: 2,
      })
      const trace = fc.oneof(
        { weight: 2, arbitrary: right },
        { weight: 1, arbitrary: fc.tuple(right, wrong).map(([good, bad]) => ({ ...good, ...bad })) },
      )
      const statuses = new Map<number, number>()
      await fc.assert(
        fc.asyncProperty(trace, async (value) => {
          const { status, text, body } = await client.post(`/components/${component}/traces`, value)
          statuses.set(status, (statuses.get(status) ?? 0) + 1)
          // Short names come again: with the same content, or with another.
          expect([200, 201, 400, 409], text).toContain(status)
          // What was taken can be read, by both of its names.
          if (status !== 201) return
          for (const id of [body.id, body.traceId].map(String).filter((text) => !/^\.\.?$/.test(text))) {
            expect((await client.get(`/traces/${encodeURIComponent(id)}`)).status, id).toBe(200)
            expect((await client.get(`/traces/${encodeURIComponent(id)}/mapping`)).status, id).toBe(200)
          }
        }),
        { numRuns: runs(60) },
      )
      expect(statuses.get(400)).toBeGreaterThan(0)
      expect(statuses.get(201)).toBeGreaterThan(0)
    })

    it('arbitrary names, filters and searches of traces', { tags: 'sized' }, async () => {
      const { client } = await app().newWorkspace()
      const words = fc.array(
        fc.oneof(
          fc.string({ unit: 'binary', maxLength: 12 }),
          fc.constantFrom(
            'AND',
            'OR',
            'NOT',
            '(',
            ')',
            '-',
            '"',
            '\\',
            '*',
            '?',
            'name:',
            'cost:>',
            'metadata.a:',
            ':',
            '..',
          ),
        ),
        { maxLength: 6 },
      )
      const names = ['q', 'status', 'start_after', 'start_before', 'component_id', 'service', 'session_id', 'user_id']
      const filters = fc.dictionary(
        fc.constantFrom(...names),
        words.map((parts) => parts.join(' ')),
        { maxKeys: 3 },
      )
      const name = fc
        .string({ unit: 'binary', minLength: 1, maxLength: 140 })
        .filter((text) => text !== '.' && text !== '..')
      await fc.assert(
        fc.asyncProperty(filters, name, fc.string(), async (query, id, days) => {
          const wellFormed = Object.entries(query).map(([key, value]) => [key, value.toWellFormed()])
          const list = await client.get(`/traces?${new URLSearchParams(Object.fromEntries(wellFormed))}`)
          expect([200, 400], list.text).toContain(list.status)
          const stats = await client.get(`/traces/stats?days_back=${encodeURIComponent(days.toWellFormed())}`)
          expect([200, 400], stats.text).toContain(stats.status)
          const path = `/traces/${encodeURIComponent(id.toWellFormed())}`
          for (const answer of [await client.get(path), await client.get(`${path}/mapping`), await client.delete(path)])
            expect([400, 404], `${JSON.stringify(id)}: ${answer.text}`).toContain(answer.status)
        }),
        { numRuns: runs(75) },
      )
    })

    it('arbitrary bytes as the body of every POST', { tags: 'sized' }, async () => {
      const { client, key } = await app().newWorkspace()
      const ids = await seedChain(client)
      const bytes = fc.oneof(
        fc.uint8Array({ maxLength: 200 }).map((array) => Buffer.from(array).toString('latin1')),
        fc.string({ unit: fc.constantFrom(...'{}[]":,\\u0aen1.-'), maxLength: 60 }),
      )
      await fc.assert(
        fc.asyncProperty(fc.constantFrom(...POSTS), bytes, async (operation, body) => {
          const lines = [
            `POST /api/v1${pathOf(operation, ids)} HTTP/1.1`,
            'Host: localhost',
            `Authorization: Bearer ${key}`,
            'Content-Type: application/json',
            `Content-Length: ${body.length}`,
            'Connection: close',
          ]
          const request = `${lines.join('\r\n')}\r\n\r\n${body}`
          const answers = await send(request, 'stay-open')
          expect(answers).toHaveLength(1)
          expectDecent(answers, request)
        }),
        { numRuns: runs(100) },
      )
    })
  },
  { works: false },
)
