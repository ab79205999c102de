// @module-tag sql
import { expect, it } from 'vitest'
import { describeEachEngine } from '../harness/each-engine.ts'
import { otlpRequest, type SpanSketch, sendSpans, spanIdOf, traceIdOf } from '../harness/otlp-json.ts'

const used = (tokens: number) => ({ 'gen_ai.operation.name': 'chat', 'gen_ai.usage.input_tokens': tokens })

describeEachEngine('late spans', (app) => {
  it('replace every sum above them, for chains of any length', async () => {
    const { client } = await app().newWorkspace()
    const traceId = traceIdOf(1)
    const chain: SpanSketch[] = Array.from({ length: 4_000 }, (_, place) => ({
      traceId,
      spanId: spanIdOf(place + 1),
      ...(place === 0 ? {} : { parentSpanId: spanIdOf(place) }),
      attributes: place % 1_000 === 0 ? used(7_000) : {},
    }))
    await sendSpans(client, chain)
    expect((await client.list('/traces'))[0]?.totalTokens).toBe(7_000)
    await sendSpans(client, [
      { traceId, spanId: spanIdOf(9_001), parentSpanId: spanIdOf(4_000), attributes: used(5) },
      { traceId, spanId: spanIdOf(9_002), parentSpanId: spanIdOf(2_500), attributes: used(3) },
    ])
    expect((await client.list('/traces'))[0]?.totalTokens).toBe(8)
    expect((await client.get('/traces/stats')).body.totalTokens).toBe(8)
  })

  it('may be their own ancestors without blocking the server', async () => {
    const { client } = await app().newWorkspace()
    const traceId = traceIdOf(2)
    const ring = [1, 2, 3].map((number) => ({
      traceId,
      spanId: spanIdOf(number),
      parentSpanId: spanIdOf((number % 3) + 1),
    }))
    for (const span of ring) await sendSpans(client, [span])
    await sendSpans(client, [{ traceId, spanId: spanIdOf(4), parentSpanId: spanIdOf(1), attributes: used(5) }])
    expect((await client.list('/traces'))[0]?.totalTokens).toBe(5)
    expect((await client.get(`/traces/${traceId}`)).status).toBe(200)
  })

  it('do not bring back a deleted item or run', async () => {
    const { client } = await app().newWorkspace()
    const componentId = await client.create('/components', { name: 'C' })
    const path = `/components/${componentId}`
    const traceId = traceIdOf(3)
    const attributes = {
      'touchstone.component': 'C',
      'touchstone.dataset': 'D',
      'touchstone.run': 'R',
      'input.value': 'x',
    }
    await sendSpans(client, [{ traceId, spanId: spanIdOf(1), attributes }])
    const [dataset] = await client.list(`${path}/datasets`)
    const [item] = await client.list(`${path}/datasets/${dataset?.id}/items`)
    const [run] = await client.list(`${path}/runs`)
    await client.delete(`${path}/datasets/${dataset?.id}/items/${item?.id}`)
    await client.delete(`${path}/runs/${run?.id}`)
    await sendSpans(client, [{ traceId, spanId: spanIdOf(2), parentSpanId: spanIdOf(1) }])
    expect(await client.list(`${path}/datasets/${dataset?.id}/items`)).toEqual([])
    expect(await client.list(`${path}/runs`)).toEqual([])
  })

  it('find their component without regard to the case of ASCII letters only, on both engines', async () => {
    const { client } = await app().newWorkspace()
    await client.create('/components', { name: 'Übung A' })
    const naming = (number: number, component: string) => ({
      traceId: traceIdOf(number),
      spanId: spanIdOf(1),
      attributes: { 'touchstone.component': component },
    })
    await sendSpans(client, [naming(4, 'ÜBUNG a')])
    expect((await client.list('/traces'))[0]?.componentName).toBe('Übung A')
    await client.post('/v1/traces', otlpRequest([naming(5, 'übung a')]))
    expect((await client.list('/traces'))[0]?.componentName).toBeNull()
  })

  it('may add up to a hundred tags to a trace', async () => {
    const { client } = await app().newWorkspace()
    const traceId = traceIdOf(6)
    const tagged = (number: number) => ({
      traceId,
      spanId: spanIdOf(number),
      attributes: { 'touchstone.tags': Array.from({ length: 60 }, (_, place) => `tag ${number} ${place}`) },
    })
    for (const number of [1, 2, 3]) await sendSpans(client, [tagged(number)])
    const { tags } = (await client.get(`/traces/${traceId}`)).body
    expect(tags).toHaveLength(100)
    expect((await client.get(`/traces?q=${encodeURIComponent('tag:"tag 1 7"')}`)).body.total).toBe(1)
  })
})
