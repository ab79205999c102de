import { gzipSync } from 'node:zlib'
import { expect, it } from 'vitest'
import { describeEachEngine } from '../harness/each-engine.ts'
import { otlpRequest, sendSpans, spanIdOf, traceIdOf } from '../harness/otlp-json.ts'

const START = Date.UTC(2026, 10, 15, 9, 30)

describeEachEngine('a trace that is larger than one response', (app) => {
  it('of few bytes is returned with the spans that fit, and the others are read page by page, each once', {
    tags: 'deep',
  }, async () => {
    const { client } = await app().newWorkspace()
    const traceId = traceIdOf(1)
    const spans = Array.from({ length: 3_000 }, (_, place) => ({
      traceId,
      spanId: spanIdOf(0x10000 + place),
      start: START + place,
    }))
    // Said once, and part of every span: 60 MB of JSON.
    const resource = { 'service.name': 'tests', said: 'once '.repeat(4_000) }
    const bytes = gzipSync(JSON.stringify(otlpRequest(spans, resource)))
    expect(bytes.length).toBeLessThan(200_000)
    const headers = { 'content-type': 'application/json', 'content-encoding': 'gzip' }
    const sent = await client.send('POST', '/v1/traces', { body: bytes, headers })
    expect([sent.status, sent.text]).toEqual([200, '{}'])

    const { text, body } = await client.get(`/traces/${traceId}`)
    expect(text.length).toBeLessThan(9 << 20)
    const seen = idsIn(body.spans)
    expect(body.nextSpansOffset).toBe(seen.length)
    for (let offset = body.nextSpansOffset; offset !== null; ) {
      const page = await client.get(`/traces/${traceId}/spans?limit=100&offset=${offset}`)
      expect(page.status).toBe(200)
      expect(page.body.total).toBe(3_000)
      seen.push(...idsIn(page.body.data))
      offset = page.body.nextOffset
    }
    expect(seen).toEqual(spans.map(({ spanId }) => spanId))
  })

  it('of large spans is returned with at least one of them, and pages end early', async () => {
    const { client } = await app().newWorkspace()
    const traceId = traceIdOf(1)
    const large = 'x'.repeat(1 << 20)
    for (let number = 0; number < 12; number += 1) {
      const attributes = { 'touchstone.output': large, more: large }
      await sendSpans(client, [{ traceId, spanId: spanIdOf(number), start: START + number, attributes }])
    }
    const { text, body } = await client.get(`/traces/${traceId}`)
    // The trace has its own copy of what its first span says.
    expect(text.length).toBeLessThan(12 << 20)
    expect(idsIn(body.spans)).toEqual([0, 1].map(spanIdOf))
    expect(body.nextSpansOffset).toBe(2)
    const page = await client.get(`/traces/${traceId}/spans?offset=10`)
    expect(idsIn(page.body.data)).toEqual([spanIdOf(10), spanIdOf(11)])
    expect(page.body.nextOffset).toBeNull()
    expect((await client.get(`/traces/${traceId}/spans?limit=2`)).body.nextOffset).toBe(2)
  })

  it('can be read without its spans, which are then read from the first', async () => {
    const { client } = await app().newWorkspace()
    const traceId = traceIdOf(1)
    await sendSpans(client, [{ traceId, spanId: spanIdOf(1), attributes: { 'touchstone.output': 'an answer' } }])
    const { spans, ...head } = (await client.get(`/traces/${traceId}`)).body
    expect(spans).toHaveLength(1)
    const without = await client.get(`/traces/${traceId}?spans=none`)
    expect(without.body).toEqual({ ...head, spans: [], nextSpansOffset: 0 })
    expect((await client.get(`/traces/${traceId}?spans=all`)).body).toEqual({ ...head, spans })
    const rejected = await client.get(`/traces/${traceId}?spans=some`)
    expect([rejected.status, rejected.body]).toEqual([
      400,
      { error: 'The query parameter spans must be one of all, none' },
    ])
  })

  it('is the only one with nextSpansOffset', async () => {
    const { client } = await app().newWorkspace()
    const traceId = traceIdOf(1)
    await sendSpans(client, [{ traceId, spanId: spanIdOf(1) }])
    const { body } = await client.get(`/traces/${traceId}`)
    expect(body).not.toHaveProperty('nextSpansOffset')
    const { body: page } = await client.get(`/traces/${traceId}/spans`)
    expect(page).toEqual({ data: body.spans, total: 1, nextOffset: null })
    expect((await client.get(`/traces/${traceIdOf(2)}/spans`)).status).toBe(404)
  })
})

function idsIn(spans: unknown): unknown[] {
  return Array.isArray(spans) ? spans.map(({ spanId }) => spanId) : []
}
