// @module-tag sql
import { beforeAll, describe, expect, it } from 'vitest'
import type { Client } from '../harness/client.ts'
import { describeEachEngine } from '../harness/each-engine.ts'
import { sendSpans, spanIdOf, traceIdOf } from '../harness/otlp-json.ts'
import { copyTrace } from './copied-trace.ts'

type Value = { value: string; count: number | null; isExact: boolean }

async function facets(
  client: Client,
  parameters: Record<string, string>,
): Promise<{ data: Value[]; isComplete: boolean }> {
  const { status, text } = await client.get(`/traces/facets?${new URLSearchParams(parameters)}`)
  expect(status, text).toBe(200)
  return JSON.parse(text)
}

function exact(counts: Record<string, number>) {
  return { data: Object.entries(counts).map(([value, count]) => ({ value, count, isExact: true })), isComplete: true }
}

describeEachEngine('GET /traces/facets and facet-groups', (app) => {
  let client: Client

  beforeAll(async () => {
    ;({ client } = await app().newWorkspace())
    const component = `/components/${await client.create('/components', { name: 'Support agent' })}`
    for (let number = 0; number < 6; number += 1) {
      const trace = { traceId: traceIdOf(number) }
      await sendSpans(
        client,
        [
          {
            ...trace,
            spanId: spanIdOf(1),
            name: 'turn',
            status: number === 0 ? 'error' : 'ok',
            attributes: {
              'user.id': number < 4 ? 'ann' : 'Bob',
              'session.id': `session ${number}`,
              'touchstone.tags': number % 2 === 0 ? ['red', 'blue'] : ['red'],
              'touchstone.component': 'Support agent',
              'order.id': number,
              ...(number === 0 && { 'order.kind': 'return' }),
            },
          },
          {
            ...trace,
            spanId: spanIdOf(2),
            parentSpanId: spanIdOf(1),
            name: 'ask',
            attributes: {
              'gen_ai.operation.name': 'chat',
              'gen_ai.provider.name': 'openai',
              'gen_ai.response.model': number < 5 ? 'gpt-4o' : 'o3',
            },
          },
        ],
        { 'service.name': number < 2 ? 'web' : 'voice', 'deployment.environment': 'production' },
      )
    }
    const traceIds = [0, 1, 2].map(traceIdOf)
    const datasetId = await client.create(`${component}/datasets`, { name: 'D', traceIds })
    const runId = await client.create(`${component}/runs`, { datasetId, traceIds })
    for (const [place, rating] of ['wrong', 'right', 'right'].entries())
      await client.create(`${component}/runs/${runId}/annotations`, { traceDbId: traceIdOf(place), rating })
    const config = { evaluators: [{ type: 'contains', name: 'polite', value: 'please' }] }
    const evaluation = await client.create(`${component}/evaluations`, { datasetId, runId, config })
    await client.get(`${component}/evaluations/${evaluation}/events`)
  })

  it.each([
    ['status', { ok: 5, error: 1 }],
    ['kind', { llm: 6, span: 6 }],
    ['name', { ask: 6, turn: 6 }],
    ['model', { 'gpt-4o': 5, o3: 1 }],
    ['provider', { openai: 6 }],
    ['tag', { red: 6, blue: 3 }],
    ['user', { ann: 4, Bob: 2 }],
    ['service', { voice: 4, web: 2 }],
    ['environment', { production: 6 }],
    ['component', { 'Support agent': 6 }],
    ['rating', { right: 2, wrong: 1 }],
  ])('counts the traces with each value of %s, most frequent first', async (field, counts) => {
    expect(await facets(client, { field })).toEqual(exact(counts))
  })

  it.each([
    ['status', { ok: 4 }],
    ['kind', { llm: 4, span: 4 }],
    ['model', { 'gpt-4o': 3, o3: 1 }],
    ['tag', { red: 4, blue: 2 }],
    ['user', { Bob: 2, ann: 2 }],
    ['component', { 'Support agent': 4 }],
    ['rating', { right: 1 }],
  ])('counts of %s only the traces that match the query', async (field, counts) => {
    expect(await facets(client, { field, q: 'service:voice' })).toEqual(exact(counts))
  })

  it('counts several fields at once, of a time range and a query', async () => {
    const groups = async (parameters: Record<string, string>) => {
      const fields = 'status,model,tag,component'
      const { status, text } = await client.get(
        `/traces/facet-groups?${new URLSearchParams({ fields, ...parameters })}`,
      )
      expect(status, text).toBe(200)
      const { data }: { data: { field: string; values: Value[]; isComplete: boolean }[] } = JSON.parse(text)
      return Object.fromEntries(data.map(({ field, values, isComplete }) => [field, { data: values, isComplete }]))
    }
    expect(await groups({})).toEqual({
      status: exact({ ok: 5, error: 1 }),
      model: exact({ 'gpt-4o': 5, o3: 1 }),
      tag: exact({ red: 6, blue: 3 }),
      component: exact({ 'Support agent': 6 }),
    })
    const ofVoice = { status: exact({ ok: 4 }), model: exact({ 'gpt-4o': 3, o3: 1 }), tag: exact({ red: 4, blue: 2 }) }
    const range = { start_after: '2026-11-15T09:30:00Z', start_before: '2026-11-15T09:31:00Z' }
    for (const filter of [
      { q: 'service:voice' },
      { ...range, q: 'service:voice' },
      { ...range, q: 'name:turn service:voice' },
    ])
      expect(await groups(filter)).toMatchObject({ ...ofVoice, component: exact({ 'Support agent': 4 }) })
    expect(await groups({ start_after: '2026-11-15T10:00:00Z' })).toMatchObject({ status: exact({}), tag: exact({}) })
  })

  it('counts ratings outside of runs, too', async () => {
    const { client: other } = await app().newWorkspace()
    await sendSpans(other, [{ traceId: traceIdOf(1), spanId: spanIdOf(1) }])
    const { body } = await other.get('/traces')
    const [trace] = [body.data].flat()
    await other.send('PUT', `/traces/${Object(trace).id}/annotation`, { body: { rating: 'positive' } })
    expect(await facets(other, { field: 'rating' })).toEqual(exact({ positive: 1 }))
    expect(await facets(other, { field: 'rating', q: 'name:span' })).toEqual(exact({ positive: 1 }))
  })

  it('returns values that begin with the prefix, in any case', async () => {
    expect(await facets(client, { field: 'user', prefix: 'B' })).toEqual(exact({ Bob: 2 }))
    expect(await facets(client, { field: 'user', prefix: 'b' })).toEqual(exact({ Bob: 2 }))
    expect(await facets(client, { field: 'component', prefix: 'supp' })).toEqual(exact({ 'Support agent': 6 }))
    expect(await facets(client, { field: 'model', prefix: 'nothing' })).toEqual(exact({}))
  })

  it('returns names of metadata keys and of evaluators', async () => {
    const { data } = await facets(client, { field: 'metadata', prefix: 'order' })
    expect(data).toEqual([
      { value: 'order.id', count: 6, isExact: true },
      { value: 'order.kind', count: 1, isExact: true },
    ])
    expect((await facets(client, { field: 'metadata', prefix: 'service.' })).data[0]?.value).toBe('service.name')
    expect((await facets(client, { field: 'score' })).data).toEqual([{ value: 'polite', count: null, isExact: true }])
    const words = (await facets(client, { field: 'has' })).data.map(({ value }) => value)
    expect(words).toEqual(['annotation', 'cost', 'error', 'input', 'output'])
  })

  it('reports that there are more values than were counted, and finds the others by their prefix', async () => {
    const { client: other } = await app().newWorkspace()
    const spans = Array.from({ length: 230 }, (_, number) => ({
      traceId: traceIdOf(1_000 + number),
      spanId: spanIdOf(1),
      attributes: { 'user.id': `user ${String(number).padStart(3, '0')}` },
    }))
    await sendSpans(other, spans)
    const all = await facets(other, { field: 'user' })
    expect([all.data.length, all.isComplete]).toEqual([50, false])
    const some = await facets(other, { field: 'user', prefix: 'user 22' })
    expect(some.data.map(({ value }) => value)).toEqual(Array.from({ length: 10 }, (_, number) => `user 22${number}`))
    expect((await facets(other, { field: 'name' })).data).toEqual([{ value: 'span', count: 230, isExact: true }])
  })

  it('stops counting at 1,000 traces, and reports that', async () => {
    const { client: other, workspaceId } = await app().newWorkspace()
    await sendSpans(other, [{ traceId: traceIdOf(1), spanId: spanIdOf(1), name: 'turn' }])
    await copyTrace(app(), workspaceId, 1_500)
    expect((await facets(other, { field: 'name' })).data).toEqual([{ value: 'turn', count: 1_000, isExact: false }])
    expect(await facets(other, { field: 'status' })).toEqual(exact({ ok: 1_501 }))
    const byQuery = await facets(other, { field: 'status', q: 'tokens:* OR status:ok' })
    expect(byQuery).toEqual({ data: [{ value: 'ok', count: 1_000, isExact: false }], isComplete: false })
  })

  describe('is rejected with 400 for', () => {
    it.each([
      [{}, 'The query parameter field is required'],
      [{ field: 'latency' }, 'The query parameter field must be one of status, kind, name'],
      [{ field: 'name', prefix: '\0' }, 'The query parameter prefix must not contain the character U+0000'],
      [{ field: 'name', q: '(' }, 'The query is invalid at character'],
    ])('%o', async (parameters, message) => {
      const { status, body } = await client.get(`/traces/facets?${new URLSearchParams(parameters)}`)
      expect([status, Object.keys(body), body.error]).toEqual([400, ['error'], expect.stringContaining(message)])
    })
  })
})
