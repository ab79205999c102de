import { randomUUID } from 'node:crypto'
import { brotliDecompressSync, gunzipSync, gzipSync } from 'node:zlib'
import { beforeAll, expect, it } from 'vitest'
import { nextUint32, seededRandom } from '../../src/statistics/random/seeded-random.ts'
import type { Client } from '../harness/client.ts'
import { describeEachEngine } from '../harness/each-engine.ts'
import { otlpRequest, type SpanSketch, sendSpans, spanIdOf, traceIdOf } from '../harness/otlp-json.ts'
import { receiveBytes } from '../harness/received-bytes.ts'

const START = Date.UTC(2026, 10, 15, 9, 30)
const SPANS = 10_000
const MODELS = ['gpt-4o-mini', 'gpt-4o', 'claude-sonnet-4']
const TOOLS = ['lookup_order', 'create_return', 'get_policy', 'search_docs']

/** An agent with model calls and tools. Ids, times and usage are random, because that is what does not compress. */
function longTrace(traceId: string): SpanSketch[] {
  const random = seededRandom('outline')
  const hex = () => nextUint32(random).toString(16).padStart(8, '0')
  const rootId = hex() + hex()
  let parentSpanId = rootId
  let start = START
  return Array.from({ length: SPANS }, (_, place) => {
    if (place === 0) return { traceId, spanId: rootId, start, end: start + 3_600_000, name: 'invoke_agent support' }
    const spanId = hex() + hex()
    const end = start + 20 + (nextUint32(random) % 900_000) / 1_000
    const isModel = place % 4 !== 0
    const span = {
      traceId,
      spanId,
      parentSpanId,
      start,
      end,
      name: isModel ? `chat ${MODELS[place % 3]}` : `execute_tool ${TOOLS[nextUint32(random) % 4]}`,
      attributes: isModel
        ? {
            'gen_ai.operation.name': 'chat',
            'gen_ai.response.model': 'gpt-4o-mini',
            'gen_ai.usage.input_tokens': nextUint32(random) % 4_000,
            'gen_ai.usage.output_tokens': nextUint32(random) % 900,
          }
        : { 'gen_ai.operation.name': 'execute_tool' },
    }
    parentSpanId = place % 4 === 3 ? spanId : rootId
    start = end
    return span
  })
}

describeEachEngine('a trace of 10,000 spans', (app) => {
  let client: Client
  let key = ''
  const spans = longTrace(traceIdOf(1))
  const path = `/traces/${traceIdOf(1)}`

  beforeAll(async () => {
    ;({ client, key } = await app().newWorkspace())
    const headers = { 'content-type': 'application/json', 'content-encoding': 'gzip' }
    const body = gzipSync(JSON.stringify(otlpRequest(spans)))
    expect((await client.send('POST', '/v1/traces', { body, headers })).text).toBe('{}')
  })

  it('has an outline with every span in order, in at most 200 kB over the wire', async () => {
    const plain = await client.get(`${path}/outline`)
    expect(plain.body).toMatchObject({ total: SPANS, startTime: new Date(START).toISOString() })
    expect(plain.body.spanIds).toEqual(spans.map(({ spanId }) => spanId))
    for (const [encoding, decompress] of [
      ['br', brotliDecompressSync],
      ['gzip', gunzipSync],
    ] as const) {
      const { bytes, headers } = await receiveBytes(`${app().url}/api/v1${path}/outline`, {
        authorization: `Bearer ${key}`,
        'accept-encoding': encoding,
      })
      expect(headers['content-encoding']).toBe(encoding)
      expect(decompress(bytes).toString()).toBe(plain.text)
      console.log(`outline of ${SPANS} spans: ${bytes.length} bytes with ${encoding}, ${plain.text.length} without`)
      if (encoding === 'br') expect(bytes.length).toBeLessThanOrEqual(200_000)
    }
  })

  it('finds a text in its spans, and reports that it returns only the first 500', async () => {
    const { body } = await client.get(`${path}/search?q=EXECUTE_tool`)
    expect(body.isComplete).toBe(false)
    expect(body.data).toHaveLength(500)
    expect(Array.isArray(body.data) && body.data[0]).toEqual({
      spanId: spans[4]?.spanId,
      matches: [{ field: 'name', excerpt: spans[4]?.name }],
    })
  })
})

describeEachEngine('the spans of a trace', (app) => {
  let client: Client
  const traceId = traceIdOf(7)

  beforeAll(async () => {
    ;({ client } = await app().newWorkspace())
    await sendSpans(client, [
      {
        traceId,
        spanId: spanIdOf(1),
        start: START,
        end: START + 20,
        name: 'root',
        attributes: { 'input.value': 'Say "hello"\nand 100% more', authorization: 'Bearer secret-token' },
      },
      {
        traceId,
        spanId: spanIdOf(2),
        parentSpanId: spanIdOf(1),
        start: START + 5,
        end: START + 6,
        name: 'step',
        status: 'error',
        statusMessage: 'Äpfel are sold out',
        attributes: {
          'output.value': JSON.stringify({ said: `${'x'.repeat(500)} Say "hello"\nand more ${'y'.repeat(500)}` }),
        },
      },
    ])
  })

  it('are outlined with their parents, times and status', async () => {
    const { body } = await client.get(`/traces/${traceId}/outline`)
    expect(body).toEqual({
      startTime: new Date(START).toISOString(),
      total: 2,
      labels: [
        { kind: 'span', name: 'root' },
        { kind: 'span', name: 'step' },
      ],
      spanIds: [spanIdOf(1), spanIdOf(2)],
      parents: [null, 0],
      labelOf: [0, 1],
      startGapsMs: [0, 5],
      durationsMs: [20, 1],
      errors: [1],
      totalTokens: [null, null],
      costsUsd: [null, null],
    })
  })

  it('are each returned as in the trace, with the id in upper or lower case', async () => {
    const { body } = await client.get(`/traces/${traceId}`)
    for (const span of Array.isArray(body.spans) ? body.spans : []) {
      expect((await client.get(`/traces/${traceId}/spans/${span.spanId}`)).body).toEqual(span)
      expect((await client.get(`/traces/${traceId}/spans/${span.spanId.toUpperCase()}`)).body).toEqual(span)
    }
    const missing = await client.get(`/traces/${traceId}/spans/${spanIdOf(3)}`)
    expect([missing.status, missing.body]).toEqual([404, { error: 'Span not found' }])
    expect((await client.get(`/traces/${traceIdOf(8)}/spans/${spanIdOf(1)}`)).body).toEqual({
      error: 'Trace not found',
    })
    expect((await client.get(`/traces/${traceId}/spans/%00`)).status).toBe(404)
  })

  it('are those of the trace with our id, also if another sender uses that id for a trace of its own', async () => {
    const componentId = await client.create('/components', { name: 'Answers' })
    const { id } = (await client.get(`/traces/${traceId}`)).body
    const span = { name: 'other', spanId: spanIdOf(7), startTime: new Date(START).toISOString() }
    const sent = await client.post(`/components/${componentId}/traces`, { traceId: id, name: 'other', spans: [span] })
    expect(sent.status).toBe(201)
    const spanOf = (ref: unknown, spanId: string) => client.get(`/traces/${ref}/spans/${spanId}`)
    expect((await spanOf(id, spanIdOf(1))).body.traceDbId).toBe(id)
    expect((await spanOf(id, spanIdOf(7))).body).toEqual({ error: 'Span not found' })
    expect((await spanOf(sent.body.id, spanIdOf(7))).body.traceDbId).toBe(sent.body.id)

    const newId = randomUUID()
    const named = { traceId: newId, name: 'named', spans: [{ ...span, name: 'named' }] }
    expect((await client.post(`/components/${componentId}/traces`, named)).status).toBe(201)
    expect((await spanOf(newId, spanIdOf(7))).body.name).toBe('named')
  })

  async function search(q: string): Promise<unknown> {
    const { status, body } = await client.get(`/traces/${traceId}/search?q=${encodeURIComponent(q)}`)
    expect(status).toBe(200)
    return Array.isArray(body.data) ? body.data.map(({ spanId, matches }) => [spanId, matches]) : undefined
  }

  it('are found by a text, also if it is escaped in JSON, with an excerpt around it', async () => {
    expect(await search('say "HELLO"\nand')).toEqual([
      [spanIdOf(1), [{ field: 'input', excerpt: 'Say "hello"\nand 100% more' }]],
      [spanIdOf(2), [{ field: 'output', excerpt: expect.stringMatching(/^x{59} Say \\"hello\\"\\nand more y+$/) }]],
    ])
    expect(await search('Äpfel')).toEqual([[spanIdOf(2), [{ field: 'statusMessage', excerpt: 'Äpfel are sold out' }]]])
    expect(await search('0% m')).toEqual([[spanIdOf(1), [{ field: 'input', excerpt: expect.any(String) }]]])
    expect(await search('_')).toEqual([])
    expect(await search('nothing like it')).toEqual([])
  })

  it('are not found by attributes, which may contain secrets', async () => {
    expect(await search('secret-token')).toEqual([])
    expect(await search('authorization')).toEqual([])
  })

  it.each([
    ['', 'The query parameter q is required'],
    ['?q=', 'The query parameter q must not be empty'],
    [`?q=${'a'.repeat(201)}`, 'The query parameter q must have at most 200 characters'],
    ['?q=%00', 'The query parameter q must not contain the character U+0000'],
    ['?q=a&field=b', 'The query parameter field is not known'],
  ])('are not searched for %s', async (query, message) => {
    const { status, body } = await client.get(`/traces/${traceId}/search${query}`)
    expect([status, body.error]).toEqual([400, expect.stringContaining(message)])
  })
})
