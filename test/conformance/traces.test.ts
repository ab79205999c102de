// @module-tag sql
import { describe, expect, it } from 'vitest'
import { describeEachEngine } from '../harness/each-engine.ts'
import { otlpRequest, sendSpans, spanIdOf, traceIdOf } from '../harness/otlp-json.ts'
import { ABSENT_ID, expectError, expectUnauthorized, NEW_ID, TIMESTAMP } from './answer-forms.ts'
import { browserWith } from './team.ts'

describeEachEngine('traces', (app) => {
  async function newComponent() {
    const workspace = await app().newWorkspace()
    const componentId = await workspace.client.create('/components', { name: 'Answers' })
    return { ...workspace, componentId, path: `/components/${componentId}/traces` }
  }

  describe('POST /components/{componentId}/traces', () => {
    it('201 returns both ids of a trace, or of each of several in the order given', async () => {
      const { client, path } = await newComponent()
      const one = await client.post(path, { traceId: 'order 66', name: 'One' })
      expect(one.status).toBe(201)
      expect(one.body).toEqual({ id: NEW_ID, traceId: 'order 66' })
      const several = await client.post(path, { traces: [{ traceId: 'B' }, { name: 'unnamed' }, { traceId: 'A' }] })
      expect(several.status).toBe(201)
      expect(several.body).toEqual({
        data: [
          { id: NEW_ID, traceId: 'B' },
          { id: NEW_ID, traceId: expect.stringMatching(/^[0-9a-f]{32}$/) },
          { id: NEW_ID, traceId: 'A' },
        ],
      })
      expect((await client.get('/traces')).body.total).toBe(4)
    })

    it('200 for a trace that is sent again, 409 for another with its id; the first does not change', async () => {
      const { client, path } = await newComponent()
      const trace = { traceId: 'again', input: 'first', spans: [{ spanId: 'a', inputTokens: 5 }] }
      const first = await client.post(path, trace)
      const stored = await client.get('/traces/again')
      const second = await client.post(path, trace)
      expect([second.status, second.text]).toEqual([200, first.text])
      expectError(
        await client.post(path, { ...trace, input: 'second' }),
        409,
        /^A trace "again" exists with other content/,
      )
      expect((await client.get('/traces/again')).text).toBe(stored.text)
    })

    it('400 for one trace together with several, none, an invalid time, and a span that is its own parent', async () => {
      const { client, path } = await newComponent()
      for (const body of [
        { name: 'x', traces: [{ name: 'y' }] },
        { traces: [] },
        { startTime: 'yesterday' },
        { spans: [{ endTime: '2026-13-01T00:00:00Z' }] },
        { spans: [{ spanId: 'a', parentSpanId: 'a' }] },
        { spans: [{ inputTokens: -1 }] },
        { kind: 'unheard of' },
        { traces: [{ name: 'good' }, { name: 5 }] },
      ])
        expectError(await client.post(path, body), 400)
      expect((await client.get('/traces')).body.total).toBe(0)
    })

    it('404 for a component that is not there, or no longer, and nothing is stored', async () => {
      const { client, path, componentId } = await newComponent()
      await client.delete(`/components/${componentId}`)
      expectError(await client.post(path, { name: 'x' }), 404, 'Component not found')
      expectError(await client.post(`/components/${ABSENT_ID}/traces`, { name: 'x' }), 404, 'Component not found')
      expect((await client.get('/traces')).body.total).toBe(0)
    })

    it('401 and 403 are returned before anything is read', async () => {
      const { workspaceId, path } = await newComponent()
      expectUnauthorized(await app().anonymous.post(path, '{'))
      const annotator = await browserWith(app(), workspaceId, 'annotator')
      expectError(await annotator.post(path, '{'), 403)
      expectError(await annotator.delete(`/traces/${ABSENT_ID}`), 403)
    })
  })

  describe('GET /traces', () => {
    it('200 lists the newest first, with how many there are, under both of its names', async () => {
      const { client, path, componentId } = await newComponent()
      for (const name of ['first', 'second', 'third']) await client.create(path, { traceId: name, name })
      const { status, body } = await client.get('/traces?limit=2')
      expect(status).toBe(200)
      const listed = {
        id: NEW_ID,
        status: 'ok',
        aiComponentId: componentId,
        componentName: 'Answers',
        durationMs: null,
        totalTokens: null,
        totalCostUsd: null,
        startTime: TIMESTAMP,
        endTime: null,
      }
      const data = ['third', 'second'].map((name) => ({ ...listed, traceId: name, name }))
      expect(body).toEqual({ data, total: 3, traces: data })
    })

    it('400 names the filter that is wrong', async () => {
      const { client } = await newComponent()
      for (const [query, message] of [
        ['status=failed', /status/],
        ['start_after=soon', /start_after/],
        ['start_before=2026-02-30', /start_before/],
        ['component_id=x', /component_id/],
        ['session_id=', /session_id/],
        ['service=a&service=b', /service/],
        ['q=nofield:1', /nofield/],
        ['q=(', /./],
        ['user_id=%00', /user_id/],
      ] as const)
        expectError(await client.get(`/traces?${query}`), 400, message)
    })

    it('finds nothing by characters that no text can contain', async () => {
      const { client } = await newComponent()
      for (const q of [
        '%00',
        'name:%00',
        'metadata.a:%00',
        'metadata.%00:1',
        'trace:%00',
        'component:%00',
        'rating:%00',
      ]) {
        const { status, text } = await client.get(`/traces?q=${q}`)
        expect([200, 400], `${q}: ${text}`).toContain(status)
        if (status === 200) expect(text).toBe('{"data":[],"total":0,"traces":[]}')
      }
    })
  })

  describe('GET /traces/stats', () => {
    it('200 sums up the requested days', async () => {
      const { client } = await newComponent()
      const day = 86_400_000
      const spans = [0.1, 3, 45].map((days, place) => ({
        traceId: traceIdOf(place),
        spanId: spanIdOf(1),
        start: app().clock.now() - Math.round(days * day),
        status: place === 0 ? ('error' as const) : ('ok' as const),
        attributes: { 'gen_ai.usage.input_tokens': 10, 'touchstone.cost_usd': 0.1 },
      }))
      await sendSpans(client, spans)
      const of = async (query: string) => (await client.get(`/traces/stats${query}`)).body
      expect(await of('?days_back=1')).toEqual({ totalTraces: 1, totalTokens: 10, totalCostUsd: 0.1, errorRate: 1 })
      expect(await of('')).toEqual({ totalTraces: 2, totalTokens: 20, totalCostUsd: 0.2, errorRate: 0.5 })
      expect(await of('?days_back=3650')).toMatchObject({ totalTraces: 3, totalTokens: 30, totalCostUsd: 0.3 })
    })

    it('400 for a number of days that is none', async () => {
      const { client } = await newComponent()
      for (const days of ['0', '-1', '1.5', '3651', '', 'x', '01', '1&days_back=2'])
        expectError(await client.get(`/traces/stats?days_back=${days}`), 400, /days_back/)
    })
  })

  describe('GET and DELETE /traces/{traceId}', () => {
    it('200 and 204 by our id and by the sender’s, in upper case if it is hex; then 404', async () => {
      const { client, path } = await newComponent()
      for (const traceId of [traceIdOf(1), 'Any name, at all/%20?']) {
        const id = await client.create(path, { traceId, name: 'Found' })
        const names = [id, id.toUpperCase(), traceId, ...(traceId === traceIdOf(1) ? [traceId.toUpperCase()] : [])]
        const texts = new Set<string>()
        for (const name of names) texts.add((await client.get(`/traces/${encodeURIComponent(name)}`)).text)
        expect(texts.size).toBe(1)
        expect([...texts][0]).toContain('"name":"Found"')
        expect((await client.delete(`/traces/${encodeURIComponent(names.at(-1) ?? '')}`)).status).toBe(204)
        for (const name of names) {
          const gone = `/traces/${encodeURIComponent(name)}`
          expectError(await client.get(gone), 404, 'Trace not found')
          expectError(await client.get(`${gone}/mapping`), 404, 'Trace not found')
          expectError(await client.delete(gone), 404, 'Trace not found')
        }
      }
    })

    it('400 for a name that is too long, and 404 for one that nothing can have', async () => {
      const { client } = await newComponent()
      for (const [name, status] of [
        ['x'.repeat(129), 400],
        ['%00', 404],
        ['a%00b', 404],
      ] as const) {
        expectError(await client.get(`/traces/${name}`), status)
        expectError(await client.get(`/traces/${name}/mapping`), status)
        expectError(await client.delete(`/traces/${name}`), status)
      }
    })
  })

  it('GET /traces/{traceId}/mapping 200 returns how every attribute was used', async () => {
    const { client } = await newComponent()
    const attributes = { 'input.value': 'asked', 'my.own': 1 }
    await sendSpans(client, [{ traceId: traceIdOf(1), spanId: spanIdOf(1), attributes }])
    const entries = await client.list(`/traces/${traceIdOf(1)}/mapping`)
    expect(entries.find(({ key }) => key === 'input.value')).toMatchObject({ outcome: 'used', spanId: spanIdOf(1) })
    expect(entries.find(({ key }) => key === 'my.own')).toMatchObject({ outcome: 'kept' })
  })

  it('stores spans with impossible token counts and costs, and ignores these', async () => {
    const { client, path } = await newComponent()
    const spans = Array.from({ length: 1_100 }, (_, number) => ({
      traceId: traceIdOf(1),
      spanId: spanIdOf(number),
      attributes: { 'gen_ai.usage.input_tokens': Number.MAX_SAFE_INTEGER, 'gen_ai.usage.cost': 1.5e300 },
    }))
    const text = JSON.stringify(otlpRequest(spans)).replaceAll(/"intValue":"1.5e\+300"/g, '"doubleValue":1.5e300')
    expect(await client.send('POST', '/v1/traces', { body: text })).toMatchObject({ status: 200, text: '{}' })
    const native = { traceId: 'native', spans: [{ costUsd: 1e308 }, { costUsd: 1e308 }, { totalTokens: 2 ** 53 - 1 }] }
    expect((await client.post(path, native)).status).toBe(201)
    for (const id of [traceIdOf(1), 'native'])
      expect((await client.get(`/traces/${id}`)).body).toMatchObject({ totalTokens: null, totalCostUsd: null })
    expect((await client.get('/traces/stats')).body).toMatchObject({ totalTokens: 0, totalCostUsd: 0 })
  })
})
